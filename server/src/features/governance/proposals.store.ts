import type { Db, Queryable } from '../../db/db.ts';
import { listPage } from '../../db/page.ts';
import type { ProposalRow, ProposalVoteRow } from '../../db/tables/governance.ts';
import type { Scope } from '../../kernel/caller.ts';
import type { PageRequest } from '../../kernel/pagination.ts';
import { proposalOf, type ToolFacts } from './proposal-rows.ts';
import type { Ballot, Proposal, ProposalStatus } from './types.ts';

const votesOf = async (db: Queryable, ids: readonly string[]): Promise<Map<string, ProposalVoteRow[]>> => {
  const byProposal = new Map<string, ProposalVoteRow[]>();
  if (ids.length === 0) return byProposal;
  const rows = await db
    .selectFrom('proposal_votes')
    .selectAll()
    .where('proposal_id', 'in', [...ids])
    .orderBy('created_at')
    .orderBy('voter')
    .execute();
  for (const row of rows) byProposal.set(row.proposal_id, [...(byProposal.get(row.proposal_id) ?? []), row]);
  return byProposal;
};

const withVotes = async (db: Queryable, rows: readonly ProposalRow[]): Promise<Proposal[]> => {
  const votes = await votesOf(
    db,
    rows.map((row) => row.id),
  );
  return rows.map((row) => proposalOf(row, votes.get(row.id) ?? []));
};

/** Names of the call within its run, and within its conversation; null outside of these. */
export interface CallHashes {
  call: string | null;
  consent: string | null;
}

export const insertProposal = async (
  tx: Queryable,
  proposal: Omit<Proposal, 'ballots'>,
  hashes: CallHashes,
): Promise<void> => {
  const { tool, execution } = proposal;
  const facts: ToolFacts | null =
    tool === null
      ? null
      : { v: 1, description: tool.description, annotations: tool.annotations, origin: tool.origin };
  await tx
    .insertInto('proposals')
    .values({
      id: proposal.id,
      tenant_id: proposal.tenantId,
      requested_by: proposal.requestedBy,
      agent_id: proposal.agentId,
      conversation_id: proposal.conversationId,
      run_id: proposal.runId,
      request_id: proposal.requestId,
      action: proposal.action,
      description: proposal.description,
      estimated_nano: proposal.estimatedNano,
      risk: proposal.risk,
      flags: JSON.stringify(proposal.flags),
      status: proposal.status,
      reason: proposal.reason,
      tool_server: tool?.server ?? null,
      tool_name: tool?.name ?? null,
      tool_arguments: tool === null ? null : JSON.stringify(tool.arguments),
      tool_facts: facts === null ? null : JSON.stringify(facts),
      call_hash: hashes.call,
      tainted: proposal.tainted ? 1 : 0,
      decider: proposal.decider,
      then_approval: proposal.thenApproval,
      consent_hash: hashes.consent,
      confirmed_at: proposal.confirmedAt,
      evidence: proposal.evidence === null ? null : JSON.stringify(proposal.evidence),
      credential: proposal.credential === null ? null : JSON.stringify(proposal.credential),
      version: 1,
      created_at: proposal.createdAt,
      deadline: proposal.deadline,
      expires_at: proposal.expiresAt,
      decided_at: proposal.decidedAt,
      decided_by: proposal.decidedBy,
      execution_status: execution?.status ?? null,
      execution_result: null,
      execution_error: null,
      execution_node: null,
      execution_deadline: null,
      settled: 0,
    })
    .execute();
};

/** The proposal after every other writer of it; nobody else changes it until the end of `tx`. */
export const lockProposal = async (
  tx: Queryable,
  tenantId: string,
  id: string,
): Promise<Proposal | undefined> => {
  const rows = await tx
    .updateTable('proposals')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .where('tenant_id', '=', tenantId)
    .returningAll()
    .execute();
  return (await withVotes(tx, rows))[0];
};

export const findProposal = async (
  db: Queryable,
  scope: Scope,
  id: string,
): Promise<Proposal | undefined> => {
  let query = db
    .selectFrom('proposals')
    .selectAll()
    .where('id', '=', id)
    .where('tenant_id', '=', scope.tenantId);
  if (scope.reach === 'own') query = query.where('requested_by', '=', scope.userId);
  return (await withVotes(db, await query.execute()))[0];
};

/** Ids of the proposals of a run that wait for votes or a person. */
export const openOfRun = async (
  db: Queryable,
  owner: { tenantId: string; userId: string },
  runId: string,
): Promise<string[]> => {
  const rows = await db
    .selectFrom('proposals')
    .select('id')
    .where('settled', '=', 0)
    .where('run_id', '=', runId)
    .where('tenant_id', '=', owner.tenantId)
    .where('requested_by', '=', owner.userId)
    .where('status', 'in', ['voting', 'awaiting_human'])
    .execute();
  return rows.map(({ id }) => id);
};

/** Newest first, up to `limit + 1`, and the number of all. */
export const listProposals = async (
  db: Queryable,
  scope: Scope,
  filter: {
    status?: ProposalStatus | undefined;
    runId?: string | undefined;
    conversationId?: string | undefined;
  },
  page: PageRequest,
): Promise<{ proposals: Proposal[]; total: number }> => {
  let matching = db.selectFrom('proposals').where('tenant_id', '=', scope.tenantId);
  if (scope.reach === 'own') matching = matching.where('requested_by', '=', scope.userId);
  if (filter.status !== undefined) matching = matching.where('status', '=', filter.status);
  if (filter.runId !== undefined) matching = matching.where('run_id', '=', filter.runId);
  if (filter.conversationId !== undefined)
    matching = matching.where('conversation_id', '=', filter.conversationId);
  const { rows, total } = await listPage(matching.selectAll(), page);
  return { proposals: await withVotes(db, rows), total };
};

/** Proposals for the same call: of the run where there is one, else of the person; newest first. */
export const proposalsOfCall = async (
  tx: Queryable,
  tenantId: string,
  callHash: string,
): Promise<Proposal[]> =>
  withVotes(
    tx,
    await tx
      .selectFrom('proposals')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('call_hash', '=', callHash)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(20)
      .execute(),
  );

/** Whether the person has said yes to an equal call of the conversation. */
export const hasConsent = async (db: Queryable, tenantId: string, consentHash: string): Promise<boolean> => {
  const row = await db
    .selectFrom('proposals')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('consent_hash', '=', consentHash)
    .where('confirmed_at', 'is not', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
};

export const countRejections = async (
  db: Queryable,
  proposal: Pick<Proposal, 'tenantId' | 'action' | 'id'>,
  since: number,
): Promise<number> => {
  const row = await db
    .selectFrom('proposals')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('tenant_id', '=', proposal.tenantId)
    .where('action', '=', proposal.action)
    .where('id', '!=', proposal.id)
    .where('status', 'in', ['rejected', 'vetoed'])
    .where('decided_at', '>=', since)
    .executeTakeFirstOrThrow();
  return Number(row.n);
};

/** One ballot for each voter; a later one of the same voter replaces it. */
export const saveBallot = async (tx: Queryable, proposalId: string, ballot: Ballot): Promise<void> => {
  const values = {
    seat: ballot.seat,
    vote: ballot.vote,
    reason: ballot.reason,
    veto: ballot.veto,
    confidence: ballot.confidence,
    created_at: ballot.createdAt,
  };
  await tx
    .insertInto('proposal_votes')
    .values({ proposal_id: proposalId, voter_type: ballot.voterType, voter: ballot.voter, ...values })
    .onConflict((c) => c.columns(['proposal_id', 'voter_type', 'voter']).doUpdateSet(values))
    .execute();
};

export const saveState = async (
  tx: Queryable,
  id: string,
  state: Pick<
    Proposal,
    | 'status'
    | 'reason'
    | 'decidedAt'
    | 'decidedBy'
    | 'deadline'
    | 'expiresAt'
    | 'decider'
    | 'thenApproval'
    | 'confirmedAt'
  >,
): Promise<void> => {
  await tx
    .updateTable('proposals')
    .set({
      status: state.status,
      reason: state.reason,
      decided_at: state.decidedAt,
      decided_by: state.decidedBy,
      deadline: state.deadline,
      expires_at: state.expiresAt,
      decider: state.decider,
      then_approval: state.thenApproval,
      confirmed_at: state.confirmedAt,
    })
    .where('id', '=', id)
    .execute();
};

export const markSettled = (db: Db, id: string): Promise<void> =>
  db.write(async (tx) => {
    await tx.updateTable('proposals').set({ settled: 1 }).where('id', '=', id).execute();
  });

export type UnfinishedProposal = Proposal & {
  executionNode: string | null;
  executionDeadline: number | null;
};

/**
 * Everything that has something to come by itself at `now`: what waits for a person is left out until it expires. A row that
 * cannot be read (of an archive of elsewhere, say) is reported, and does not keep the others from being seen to.
 */
export const unfinishedProposals = async (
  db: Queryable,
  now: number,
  unreadable: (error: unknown) => void,
): Promise<UnfinishedProposal[]> => {
  const rows = await db
    .selectFrom('proposals')
    .selectAll()
    .where('settled', '=', 0)
    .where((eb) => eb.or([eb('status', '!=', 'awaiting_human'), eb('expires_at', '<=', now)]))
    .orderBy('created_at')
    .limit(1_000)
    .execute();
  const votes = await votesOf(
    db,
    rows.map((row) => row.id),
  );
  return rows.flatMap((row) => {
    try {
      const proposal = proposalOf(row, votes.get(row.id) ?? []);
      return [{ ...proposal, executionNode: row.execution_node, executionDeadline: row.execution_deadline }];
    } catch (error) {
      unreadable(new Error(`the proposal ${row.id} cannot be read`, { cause: error }));
      return [];
    }
  });
};
