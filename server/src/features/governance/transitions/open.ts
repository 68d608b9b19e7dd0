import type { Tx } from '../../../db/db.ts';
import { newId } from '../../../kernel/ids.ts';
import { nanoToUsd } from '../../../kernel/money.ts';
import { lockCall } from '../call-lock.store.ts';
import { hashOf, sha256 } from '../hash.ts';
import { type CallHashes, insertProposal, proposalsOfCall } from '../proposals.store.ts';
import type { RequiredApproval } from '../required-approval.rules.ts';
import { isOpen, type Proposal, type ProposalDraft, type ProposalStatus } from '../types.ts';
import { type Actor, auditProposal, emitProposal, type TransitionDeps } from './transition.ts';

/** What a proposal is opened from. */
export interface Opening {
  draft: ProposalDraft;
  required: RequiredApproval;
  actor: Actor;
}

const firstStatus = ({ requester, approval }: RequiredApproval): ProposalStatus => {
  if (requester !== null || approval === 'human') return 'awaiting_human';
  return approval === 'auto' ? 'approved' : 'voting';
};

const newProposal = (
  { clock, config }: Pick<TransitionDeps, 'clock' | 'config'>,
  draft: ProposalDraft,
  required: RequiredApproval,
): Proposal => {
  const now = clock.now();
  const asksRequester = required.requester !== null;
  const status = firstStatus(required);
  const voting = status === 'voting';
  return {
    ...draft,
    id: newId(),
    status,
    reason: required.requester ?? required.reason,
    decider: asksRequester ? 'requester' : null,
    thenApproval: asksRequester && required.approval === 'pentarchy' ? 'pentarchy' : null,
    confirmedAt: null,
    createdAt: now,
    deadline: voting ? now + config.votingMs : null,
    expiresAt: now + (voting ? config.votingMs : 0) + config.humanMs,
    decidedAt: status === 'approved' ? now : null,
    decidedBy: status === 'approved' ? 'policy' : null,
    execution: draft.tool === null ? null : { status: 'pending', result: null, error: null },
    ballots: [],
  };
};

const insert = async (
  deps: TransitionDeps,
  tx: Tx,
  { draft, required, actor }: Opening,
  hashes: CallHashes,
): Promise<Proposal> => {
  const proposal = newProposal(deps, draft, required);
  await insertProposal(tx, proposal, hashes);
  await auditProposal(deps, tx, proposal, {
    action: 'proposal.created',
    actor,
    details: {
      status: proposal.status,
      reason: required.reason,
      route: required.approval,
      asks_requester: required.requester !== null,
      estimated_cost_usd: nanoToUsd(proposal.estimatedNano),
      risk: proposal.risk,
      flags: proposal.flags,
      action_sha256: sha256(proposal.action),
      server: proposal.tool?.server ?? null,
      tool: proposal.tool?.name ?? null,
      arguments_sha256: hashOf(proposal.tool?.arguments ?? null),
      requested_by: proposal.requestedBy,
      agent_id: proposal.agentId,
      run_id: proposal.runId,
      tainted: proposal.tainted,
    },
  });
  await emitProposal(tx, 'proposal.created', proposal, proposal.requestId);
  if (!isOpen(proposal.status)) await emitProposal(tx, 'proposal.decided', proposal, proposal.requestId);
  return proposal;
};

export const openProposal = (deps: TransitionDeps, opening: Opening): Promise<Proposal> =>
  deps.db.write((tx) => insert(deps, tx, opening, { call: null, consent: null }));

/** Whether it answers another call with the same hash: open, being carried out, or turned down in the same run. */
const holdsFor = ({ status, execution }: Proposal, draft: ProposalDraft): boolean => {
  if (isOpen(status)) return true;
  if (status !== 'approved') return draft.runId !== null;
  return execution?.status === 'pending' || execution?.status === 'running';
};

/** The proposal for a call: the one that there is for the same call, or a new one. `isNew` says which. */
export const openForCall = (
  deps: TransitionDeps,
  opening: Opening,
  hashes: CallHashes & { call: string },
): Promise<{ proposal: Proposal; isNew: boolean }> =>
  deps.db.write(async (tx) => {
    await lockCall(tx, deps.db.dialect, hashes.call);
    const { draft } = opening;
    const earlier = await proposalsOfCall(tx, draft.tenantId, hashes.call);
    const held = earlier.find((proposal) => holdsFor(proposal, draft));
    if (held !== undefined) return { proposal: held, isNew: false };
    return { proposal: await insert(deps, tx, opening, hashes), isNew: true };
  });
