import type { Db, Queryable } from '../../db/db.ts';
import { listPage } from '../../db/page.ts';
import type { ProposalRow, ProposalVoteRow } from '../../db/tables/governance.ts';
import type { CallEvidence } from '../../kernel/call-evidence.ts';
import type { Scope } from '../../kernel/caller.ts';
import type { PageRequest } from '../../kernel/pagination.ts';
import { readCredential } from '../../kernel/stored-credential.ts';
import { FLAGS, RISKS } from '../../kernel/tool-policy.ts';
import type { ToolAnnotations } from '../../kernel/tools.ts';
import {
  type Ballot,
  EXECUTION_STATUSES,
  isSeat,
  type Proposal,
  type ProposalStatus,
  STATUSES,
  type StoredTool,
  VETO_REASONS,
  VOTES,
} from './types.ts';

/** Columns to a record and back. What stands in the store was written here, so a stranger in it is a fault of ours. */
const known = <const T extends readonly string[]>(values: T, text: string): T[number] => {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new Error(`unknown word in the store: ${text}`);
  return found;
};

interface ToolFacts {
  v: 1;
  description: string;
  annotations: ToolAnnotations | null;
  origin?: string | undefined;
}

const toolOf = (row: ProposalRow): StoredTool | null => {
  if (row.tool_server === null || row.tool_name === null) return null;
  const facts = JSON.parse(row.tool_facts ?? '{"v":1,"description":"","annotations":null}') as ToolFacts;
  return {
    server: row.tool_server,
    name: row.tool_name,
    arguments: JSON.parse(row.tool_arguments ?? '{}') as Record<string, unknown>,
    description: facts.description,
    annotations: facts.annotations,
    origin: facts.origin,
  };
};

const ballotOf = (row: ProposalVoteRow): Ballot => ({
  voter: row.voter,
  voterType: row.voter_type === 'agent' ? 'agent' : 'user',
  seat: isSeat(row.seat) ? row.seat : null,
  vote: known(VOTES, row.vote),
  reason: row.reason,
  veto: row.veto === null ? null : known(VETO_REASONS, row.veto),
  confidence: row.confidence,
  createdAt: row.created_at,
});

const proposalOf = (row: ProposalRow, votes: readonly ProposalVoteRow[]): Proposal => ({
  id: row.id,
  tenantId: row.tenant_id,
  requestedBy: row.requested_by,
  agentId: row.agent_id,
  conversationId: row.conversation_id,
  runId: row.run_id,
  requestId: row.request_id,
  action: row.action,
  description: row.description,
  estimatedNano: row.estimated_nano,
  risk: known(RISKS, row.risk),
  flags: (JSON.parse(row.flags) as string[]).map((flag) => known(FLAGS, flag)),
  status: known(STATUSES, row.status),
  reason: row.reason,
  tool: toolOf(row),
  tainted: row.tainted === 1,
  decider: row.decider === 'requester' ? 'requester' : null,
  thenApproval: row.then_approval === 'pentarchy' ? 'pentarchy' : null,
  confirmedAt: row.confirmed_at,
  credential: readCredential(row.credential),
  evidence: row.evidence === null ? null : (JSON.parse(row.evidence) as CallEvidence),
  createdAt: row.created_at,
  deadline: row.deadline,
  expiresAt: row.expires_at,
  decidedAt: row.decided_at,
  decidedBy: row.decided_by,
  execution:
    row.execution_status === null
      ? null
      : {
          status: known(EXECUTION_STATUSES, row.execution_status),
          result: row.execution_result === null ? null : (JSON.parse(row.execution_result) as unknown),
          error: row.execution_error,
        },
  ballots: votes.map(ballotOf),
});

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

/** The proposal as it stands after every other writer of it; nobody else changes it until the end of `tx`. */
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

/** Takes the one right to carry out the stored call: true for one caller, ever. */
export const claimExecution = async (
  tx: Queryable,
  id: string,
  nodeId: string,
  deadline: number,
): Promise<boolean> => {
  const rows = await tx
    .updateTable('proposals')
    .set({ execution_status: 'running', execution_node: nodeId, execution_deadline: deadline })
    .where('id', '=', id)
    .where('status', '=', 'approved')
    .where('execution_status', '=', 'pending')
    .returning('id')
    .execute();
  return rows.length === 1;
};

/** Ends a running execution; false where it has been given up as unknown before. */
export const finishExecution = async (
  tx: Queryable,
  id: string,
  end: { status: 'completed' | 'failed' | 'unknown'; result: unknown; error: string | null },
): Promise<boolean> => {
  const rows = await tx
    .updateTable('proposals')
    .set({
      execution_status: end.status,
      execution_result: end.result === undefined || end.result === null ? null : JSON.stringify(end.result),
      execution_error: end.error,
    })
    .where('id', '=', id)
    .where('execution_status', '=', 'running')
    .returning('id')
    .execute();
  return rows.length === 1;
};

export const markSettled = (db: Db, id: string): Promise<void> =>
  db.write(async (tx) => {
    await tx.updateTable('proposals').set({ settled: 1 }).where('id', '=', id).execute();
  });

/**
 * Everything that has something to come by itself at `now`: what waits for a person is left out until it expires. A row that
 * cannot be read (of an archive of elsewhere, say) is told of, and keeps nobody's else from going on.
 */
export const unsettledProposals = async (
  db: Queryable,
  now: number,
  unreadable: (error: unknown) => void,
): Promise<(Proposal & { executionNode: string | null; executionDeadline: number | null })[]> => {
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

/** What waits for votes or for a person, over all tenants: for metrics. */
export const waitingProposals = async (
  db: Queryable,
  now: number,
): Promise<{ status: string; count: number; oldestMs: number }[]> => {
  const open = ['voting', 'awaiting_human'] as const;
  const rows = await db
    .selectFrom('proposals')
    .select([
      'status',
      (eb) => eb.fn.countAll<number>().as('n'),
      (eb) => eb.fn.min('created_at').as('oldest'),
    ])
    .where('settled', '=', 0)
    .where('status', 'in', open)
    .groupBy('status')
    .execute();
  return open.map((status) => {
    const row = rows.find((one) => one.status === status);
    return {
      status,
      count: Number(row?.n ?? 0),
      oldestMs: row === undefined ? 0 : Math.max(0, now - Number(row.oldest)),
    };
  });
};

export const proposalIdsOf = async (
  db: Queryable,
  owner: { tenantId: string; userId: string },
  only: { open: boolean } = { open: false },
): Promise<string[]> => {
  let query = db
    .selectFrom('proposals')
    .select('id')
    .where('tenant_id', '=', owner.tenantId)
    .where('requested_by', '=', owner.userId);
  if (only.open) query = query.where('status', 'in', ['voting', 'awaiting_human']);
  return (await query.execute()).map((row) => row.id);
};

/** A person's votes with their reasons, oldest first. */
export const votesBy = (db: Queryable, owner: { tenantId: string; userId: string }) =>
  db
    .selectFrom('proposal_votes as v')
    .innerJoin('proposals as p', 'p.id', 'v.proposal_id')
    .select(['v.proposal_id', 'v.seat', 'v.vote', 'v.reason', 'v.created_at'])
    .where('p.tenant_id', '=', owner.tenantId)
    .where('v.voter_type', '=', 'user')
    .where('v.voter', '=', owner.userId)
    .orderBy('v.created_at')
    .orderBy('v.proposal_id')
    .execute();

const ERASED = 'Erased';

/**
 * Takes the words out of what a person proposed and of how they voted. What was decided, by whom and at what cost stays: it
 * is the company's record. A call that was approved and not begun is not carried out any more. How many proposals.
 */
export const eraseWordsOf = async (
  tx: Queryable,
  owner: { tenantId: string; userId: string },
): Promise<number> => {
  const own = tx
    .selectFrom('proposals')
    .select('id')
    .where('tenant_id', '=', owner.tenantId)
    .where('requested_by', '=', owner.userId);
  await tx
    .updateTable('proposal_votes')
    .set({ reason: '' })
    .where((eb) =>
      eb.or([
        eb('proposal_id', 'in', own),
        eb.and([eb('voter_type', '=', 'user'), eb('voter', '=', owner.userId)]),
      ]),
    )
    .execute();
  await tx
    .updateTable('proposals')
    .set({ reason: null })
    .where('tenant_id', '=', owner.tenantId)
    .where('decided_by', '=', owner.userId)
    .execute();
  const mine = tx
    .updateTable('proposals')
    .where('tenant_id', '=', owner.tenantId)
    .where('requested_by', '=', owner.userId);
  await mine.set({ execution_status: 'failed' }).where('execution_status', '=', 'pending').execute();
  await mine.set({ evidence: null }).where('evidence', 'is not', null).execute();
  await mine.set({ tool_arguments: '{}' }).where('tool_arguments', 'is not', null).execute();
  const done = await mine
    .set({
      action: ERASED,
      description: '',
      reason: null,
      call_hash: null,
      consent_hash: null,
      execution_result: null,
      execution_error: null,
    })
    .where((eb) => eb.or([eb('action', '!=', ERASED), eb('description', '!=', '')]))
    .executeTakeFirst();
  return Number(done.numUpdatedRows);
};
