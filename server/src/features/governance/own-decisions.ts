import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../kernel/caller.ts';
import type { OwnDecisions } from '../../kernel/decisions.ts';
import { AppError, forbidden } from '../../kernel/errors.ts';
import { nanoToUsd } from '../../kernel/money.ts';
import { decidesAlone } from './own-decisions.rules.ts';
import type { ProposalService } from './proposal-service.ts';
import type { Proposal } from './types.ts';

const MAX_ARGUMENTS = 2_000;

const shortened = (text: string): string =>
  text.length > MAX_ARGUMENTS ? `${text.slice(0, MAX_ARGUMENTS)}… (cut)` : text;

/** The arguments stand apart as JSON: their words must not read like words of the platform. */
const textOf = ({ action, estimatedNano, risk, tool, id }: Proposal): string =>
  [
    `May this call be made? ${action} (risk ${risk}, ${nanoToUsd(estimatedNano)} USD, proposal ${id})`,
    ...(tool === null ? [] : [`Arguments: ${shortened(JSON.stringify(tool.arguments))}`]),
  ].join('\n');

/** Questions that a caller may answer about their own calls; the rights and rules are those of the routes. */
export const createOwnDecisions = (options: {
  proposals: Pick<ProposalService, 'get' | 'confirm' | 'vote'>;
  allowSelfApproval: boolean;
}): OwnDecisions => {
  const { proposals, allowSelfApproval } = options;

  const find = async (caller: Caller, id: string): Promise<Proposal | null> => {
    try {
      return await proposals.get(caller, id);
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
      throw error;
    }
  };

  return {
    async question(caller, proposalId) {
      const proposal = await find(caller, proposalId);
      if (proposal === null || decidesAlone(proposal, caller, allowSelfApproval) === null) return null;
      return { proposalId, text: textOf(proposal) };
    },

    async isFor(caller, proposalId, { server, tool, args }) {
      const proposal = await find(caller, proposalId);
      return (
        proposal !== null &&
        proposal.requestedBy === caller.userId &&
        proposal.tool?.server === server &&
        proposal.tool.name === tool &&
        isDeepStrictEqual(proposal.tool.arguments, args)
      );
    },

    async answer(caller, proposalId, approve, requestId) {
      const proposal = await proposals.get(caller, proposalId);
      const way = decidesAlone(proposal, caller, allowSelfApproval);
      if (way === 'confirm') await proposals.confirm(caller, proposalId, approve, requestId);
      else if (way === 'vote') {
        const vote = approve ? 'approve' : 'reject';
        await proposals.vote(caller, proposalId, { vote, reason: '', seat: null }, requestId);
      } else throw forbidden('governance:vote');
    },
  };
};
