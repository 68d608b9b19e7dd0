import { defineTool, READS, said, toolSource, WRITES } from '../../kernel/define-tool.ts';
import { Strict } from '../../kernel/schema.ts';
import type { ToolSource } from '../../kernel/tools.ts';
import type { ProposalService } from './proposal-service.ts';
import { ProposalParams, ProposalQuery, VoteBody } from './schema.ts';
import { type ProposalWire, proposalWire } from './wire.ts';

const lineOf = (proposal: ProposalWire): string =>
  `- ${proposal.id} (${proposal.status}): ${proposal.action}, ${proposal.estimated_cost} USD, risk ${proposal.risk}`;

/**
 * Proposals for people who use the platform through an MCP client of theirs, with the rights and rules of the routes.
 * Not for agents: these must not vote on what they ask for.
 */
export const proposalTools = (proposals: ProposalService): ToolSource =>
  toolSource([
    defineTool({
      name: 'list_proposals',
      description:
        'Lists the proposals that the person may see, newest first; awaiting_human are those that wait for a person.',
      input: ProposalQuery,
      annotations: READS,
      permission: 'governance:read',
      async run(query, { caller }) {
        const { proposals: found, total, next } = await proposals.list(caller, query);
        const items = found.map(proposalWire);
        const text = items.length === 0 ? 'There are no such proposals.' : items.map(lineOf).join('\n');
        return said(text, { items, total, next });
      },
    }),
    defineTool({
      name: 'get_proposal',
      description: 'One proposal with its votes, and what became of the call that it holds.',
      input: ProposalParams,
      annotations: READS,
      permission: 'governance:read',
      async run({ id }, { caller }) {
        const proposal = proposalWire(await proposals.get(caller, id));
        return said(JSON.stringify(proposal, null, 1), proposal);
      },
    }),
    defineTool({
      name: 'vote_on_proposal',
      description:
        'Votes on a proposal as the person: takes a seat while the five vote, or decides what awaits a person. Only with the word of the person for this very proposal.',
      input: Strict({ ...ProposalParams.properties, ...VoteBody.properties }),
      annotations: { ...WRITES, idempotent: false },
      permission: 'governance:vote',
      async run({ id, vote, reason, seat }, { caller, requestId }) {
        const ballot = { vote, reason: reason ?? '', seat: seat ?? null };
        const proposal = proposalWire(await proposals.vote(caller, id, ballot, requestId));
        return said(`The vote is cast. ${lineOf(proposal).slice(2)}`, proposal);
      },
    }),
  ]);
