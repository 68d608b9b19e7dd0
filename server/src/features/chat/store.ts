// Over 500 lines: the statements of runs and messages and the store over them; each statement stands by itself.
import { sql } from 'kysely';
import { compiled } from '../../db/compiled.ts';
import type { Db, Queryable, Tx, WriteOptions } from '../../db/db.ts';
import type { ConversationRow, ConversationSummaryRow, MessageRow, RunRow } from '../../db/tables/chat.ts';
import type { RunStepRow } from '../../db/tables/run-steps.ts';
import type { Scope } from '../../kernel/caller.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import { type Taint, taintOfRow } from '../../kernel/taint.ts';
import {
  brokenReason,
  INACTIVE,
  QUEUED_FROM,
  readPictures,
  storedReason,
  type TreeNode,
  treeOf,
} from '../conversations/index.ts';
import { createOwnedRuns } from './owned-runs.store.ts';
import { FIRST_PARTIAL } from './partials.rules.ts';
import { createClaimTurn, createOtherRunning, createQueuedBefore, queuedMessages } from './queued.store.ts';
import { moveRun } from './run-state.store.ts';
import type { RunStatus } from './schema.ts';

/** Statements of the run. Those of the hot path are compiled once. */

export const insertConversation = compiled<ConversationRow, never>((db, p) =>
  db.insertInto('conversations').values({
    id: p('id'),
    tenant_id: p('tenant_id'),
    user_id: p('user_id'),
    title: p('title'),
    status: p('status'),
    metadata: p('metadata'),
    agent_ids: p('agent_ids'),
    message_count: p('message_count'),
    cost_nano: p('cost_nano'),
    created_at: p('created_at'),
    updated_at: p('updated_at'),
    archived_at: p('archived_at'),
    taint: p('taint'),
    branched: p('branched'),
  }),
);

export const insertMessage = compiled<MessageRow, never>((db, p) =>
  db.insertInto('messages').values({
    id: p('id'),
    tenant_id: p('tenant_id'),
    user_id: p('user_id'),
    conversation_id: p('conversation_id'),
    role: p('role'),
    content: p('content'),
    agent_id: p('agent_id'),
    tool_calls: p('tool_calls'),
    citations: p('citations'),
    usage: p('usage'),
    metadata: p('metadata'),
    cost_nano: p('cost_nano'),
    run_id: p('run_id'),
    created_at: p('created_at'),
    parent_id: p('parent_id'),
    active: p('active'),
    attachments: p('attachments'),
  }),
);

export const insertRun = compiled<Omit<RunRow, 'delegated'>, never>((db, p) =>
  db.insertInto('runs').values({
    id: p('id'),
    tenant_id: p('tenant_id'),
    user_id: p('user_id'),
    conversation_id: p('conversation_id'),
    message_id: p('message_id'),
    question_id: p('question_id'),
    status: p('status'),
    agent_id: p('agent_id'),
    agent_ids: p('agent_ids'),
    request: p('request'),
    usage: p('usage'),
    cost_nano: p('cost_nano'),
    error: p('error'),
    journal: p('journal'),
    tool_call_count: p('tool_call_count'),
    first_token_ms: p('first_token_ms'),
    created_at: p('created_at'),
    finished_at: p('finished_at'),
    node_id: p('node_id'),
    credential: p('credential'),
  }),
);

/** Adds messages to the count of an active conversation. `taint` null leaves its mark as it is; a title that it has stays. */
export const touchConversation = compiled<
  { id: string; now: number; taint: string | null; added: number; title: string | null },
  never
>((db, p) =>
  db
    .updateTable('conversations')
    .set((e) => ({
      message_count: e('message_count', '+', p('added')),
      updated_at: p('now'),
      taint: e.fn.coalesce(e.val(p('taint')), 'taint'),
      title: e.fn.coalesce('title', e.val(p('title'))),
    }))
    .where('id', '=', p('id')),
);

/** One that lists leave out stands among the others from now on. */
export const listConversation = async (tx: Queryable, id: string): Promise<void> => {
  await tx
    .updateTable('conversations')
    .set({ status: 'active' })
    .where('id', '=', id)
    .where('status', '=', 'unlisted')
    .execute();
};

/** What says whether untrusted content stands in a conversation. */
export const markOfConversation = compiled<{ id: string }, Pick<ConversationRow, 'taint' | 'message_count'>>(
  (db, p) => db.selectFrom('conversations').select(['taint', 'message_count']).where('id', '=', p('id')),
);

/** What stands in the conversation; null: there is none. */
export const taintHeld = async (db: Queryable, id: string): Promise<Taint | null> => {
  const [mark] = await markOfConversation(db, { id });
  return mark === undefined ? null : taintOfRow(mark);
};

/** The mark of untrusted content, which only grows. */
export const markConversation = compiled<{ id: string; taint: string }, never>((db, p) =>
  db
    .updateTable('conversations')
    .set({ taint: p('taint') })
    .where('id', '=', p('id')),
);

interface ConversationEnd {
  id: string;
  added_messages: number;
  added_cost: number;
  agent_ids: string;
  /** Kept where the conversation has a title. */
  title: string;
  now: number;
}

export const finishConversation = compiled<ConversationEnd, never>((db, p) =>
  db
    .updateTable('conversations')
    .set((e) => ({
      message_count: e('message_count', '+', p('added_messages')),
      cost_nano: e('cost_nano', '+', p('added_cost')),
      agent_ids: p('agent_ids'),
      title: e.fn.coalesce('title', e.val(p('title'))),
      updated_at: p('now'),
    }))
    .where('id', '=', p('id')),
);

export const insertStep = compiled<RunStepRow, never>((db, p) =>
  db.insertInto('run_steps').values({
    run_id: p('run_id'),
    n: p('n'),
    kind: p('kind'),
    payload: p('payload'),
    created_at: p('created_at'),
  }),
);

export const hasStep = compiled<Pick<RunStepRow, 'run_id' | 'n'>, { n: number }>((db, p) =>
  db.selectFrom('run_steps').select('n').where('run_id', '=', p('run_id')).where('n', '=', p('n')),
);

/** The answer of a run that had waited: it stands already, with what had come by then. */
export const replaceAnswer = compiled<
  Pick<MessageRow, 'id' | 'content' | 'tool_calls' | 'citations' | 'usage' | 'metadata' | 'cost_nano'>,
  never
>((db, p) =>
  db
    .updateTable('messages')
    .set({
      content: p('content'),
      tool_calls: p('tool_calls'),
      citations: p('citations'),
      usage: p('usage'),
      metadata: p('metadata'),
      cost_nano: p('cost_nano'),
    })
    .where('id', '=', p('id')),
);

const findConversation = compiled<{ id: string; tenant_id: string; user_id: string }, ConversationRow>(
  (db, p) =>
    db
      .selectFrom('conversations')
      .selectAll()
      .where('id', '=', p('id'))
      .where('tenant_id', '=', p('tenant_id'))
      .where('user_id', '=', p('user_id')),
);

const TURN = ['id', 'created_at', 'role', 'content', 'agent_id', 'attachments'] as const;
/** Ids in one statement: engines bound the number of its values. */
const IDS_AT_ONCE = 500;
/** Before all ids: nothing of the same time is before it. */
const FIRST_ID = '';

const findSummary = compiled<{ id: string }, ConversationSummaryRow>((db, p) =>
  db.selectFrom('conversation_summaries').selectAll().where('conversation_id', '=', p('id')),
);

/** Takes the place of the one before. */
export const saveSummary = async (tx: Queryable, row: ConversationSummaryRow): Promise<void> => {
  const { conversation_id: _key, ...values } = row;
  await tx
    .insertInto('conversation_summaries')
    .values(row)
    .onConflict((conflict) => conflict.column('conversation_id').doUpdateSet(values))
    .execute();
};

const newestTurns = compiled<{ id: string; limit: number }, Pick<MessageRow, (typeof TURN)[number]>>(
  (db, p) =>
    db
      .selectFrom('messages')
      .select(TURN)
      .where('conversation_id', '=', p('id'))
      .where('active', '>', INACTIVE)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(p('limit')),
);

const withAttachments = compiled<
  { id: string },
  Pick<MessageRow, 'id' | 'created_at' | 'active' | 'attachments'>
>((db, p) =>
  db
    .selectFrom('messages')
    .select(['id', 'created_at', 'active', 'attachments'])
    .where('conversation_id', '=', p('id'))
    .where('attachments', 'is not', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc'),
);

/** Another node has taken the run over, since this one was taken for dead: nothing more is written of it here. */
export class RunLost extends Error {
  constructor() {
    super('the run is another node’s by now');
    this.name = 'RunLost';
  }
}

interface Moment {
  created_at: number;
  id: string;
}

const readTurnsBefore = async (
  db: Db,
  conversationId: string,
  before: Moment,
  behind: { upto_created_at: number; upto_id: string } | null,
  limit: number,
) => {
  let query = db.read
    .selectFrom('messages')
    .select(TURN)
    .where('conversation_id', '=', conversationId)
    .where('active', '>', INACTIVE)
    .where((e) =>
      e.or([
        e('created_at', '<', before.created_at),
        e.and([e('created_at', '=', before.created_at), e('id', '<', before.id)]),
      ]),
    );
  if (behind !== null) {
    query = query.where((e) =>
      e.or([
        e('created_at', '>', behind.upto_created_at),
        e.and([e('created_at', '=', behind.upto_created_at), e('id', '>', behind.upto_id)]),
      ]),
    );
  }
  const rows = await query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
  return rows.reverse();
};

/** An interrupted run has not failed by what was asked of it, and of one that is kept no longer nothing is known. */
const hasFailed = (row: {
  role: string;
  metadata: string | null;
  status: string | null;
  error: string | null;
}): boolean => {
  if (row.role === 'assistant')
    return storedReason(JSON.parse(row.metadata ?? '{}') as Record<string, unknown>) === 'failed';
  if (row.status !== 'failed') return false;
  const error = JSON.parse(row.error ?? 'null') as Parameters<typeof brokenReason>[0];
  return brokenReason(error) === 'failed';
};

/** Of the runs that this node starts and takes over. */
export const createChatStore = (db: Db, { nodeId, alone }: Cluster) => ({
  nodeId,

  /** Whose turn it is in a conversation, for the queue and for the writes that take it. */
  turnsAhead: { ahead: createQueuedBefore(db), goingOn: createOtherRunning(db, nodeId) },
  claimTurn: createClaimTurn({ nodeId, alone }),

  write: <T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T> => db.write(work, options),

  async conversation(scope: Scope, id: string): Promise<ConversationRow | undefined> {
    const rows = await findConversation(db.read, { id, tenant_id: scope.tenantId, user_id: scope.userId });
    return rows[0];
  },

  /** What stands in the conversation, by its row; null: there is none. */
  taintHeld: (id: string): Promise<Taint | null> => taintHeld(db.read, id),

  tree: (conversationId: string): Promise<TreeNode[]> => treeOf(db.read, conversationId),

  pictures: (conversationId: string, ids: readonly string[]) => readPictures(db.read, conversationId, ids),

  /** Messages of all branches that documents were sent with, newest first. */
  withAttachments: (conversationId: string) => withAttachments(db.read, { id: conversationId }),

  /** Those of these ids, oldest first. */
  async turnsOf(conversationId: string, ids: readonly string[]) {
    const found: Pick<MessageRow, (typeof TURN)[number]>[] = [];
    for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
      const some = ids.slice(at, at + IDS_AT_ONCE);
      const query = db.read.selectFrom('messages').select(TURN).where('conversation_id', '=', conversationId);
      found.push(...(await query.where('id', 'in', some).orderBy('created_at').orderBy('id').execute()));
    }
    return found;
  },

  /** Which of these messages are failed answers, or questions whose run failed without one. */
  async failedOf(conversationId: string, ids: readonly string[]): Promise<Set<string>> {
    const rows = await db.read
      .selectFrom('messages')
      .leftJoin('runs', 'runs.id', 'messages.run_id')
      .select(['messages.id', 'messages.role', 'messages.metadata', 'runs.status', 'runs.error'])
      .where('messages.conversation_id', '=', conversationId)
      .where('messages.id', 'in', ids)
      .execute();
    return new Set(rows.flatMap((row) => (hasFailed(row) ? [row.id] : [])));
  },

  /** The newest turns of the active branch, oldest first. */
  async turns(conversationId: string, limit: number) {
    return (await newestTurns(db.read, { id: conversationId, limit })).reverse();
  },

  /** The newest turns before those that wait (`queued.store.ts`), oldest first, and these. */
  async saidAndQueued(conversationId: string, limit: number) {
    const [said, queued] = await Promise.all([
      this.turnsBefore(conversationId, { created_at: QUEUED_FROM, id: FIRST_ID }, null, limit),
      queuedMessages(db.read, conversationId),
    ]);
    return { said, queued };
  },

  async summary(conversationId: string): Promise<ConversationSummaryRow | null> {
    return (await findSummary(db.read, { id: conversationId }))[0] ?? null;
  },

  /** The newest `limit` turns before one and behind another (where there is one), oldest first. */
  turnsBefore: (
    conversationId: string,
    before: Moment,
    behind: { upto_created_at: number; upto_id: string } | null,
    limit: number,
  ) => readTurnsBefore(db, conversationId, before, behind, limit),

  run: (scope: Scope, id: string): Promise<RunRow | undefined> => {
    const query = db.read
      .selectFrom('runs')
      .selectAll()
      .where('id', '=', id)
      .where('tenant_id', '=', scope.tenantId);
    return (scope.reach === 'tenant' ? query : query.where('user_id', '=', scope.userId)).executeTakeFirst();
  },

  /** Runs of a person, newest first; `before`: the id of the last one that has been seen. */
  async runsOf(
    scope: Scope,
    filter: { conversationId?: string; statuses?: readonly string[]; updatedAfter?: number },
    page: { limit: number; before: string | null },
  ): Promise<{ rows: RunRow[]; total: number }> {
    if (filter.statuses?.length === 0) return { rows: [], total: 0 };
    let query = db.read
      .selectFrom('runs')
      .where('tenant_id', '=', scope.tenantId)
      .where('user_id', '=', scope.userId);
    if (filter.conversationId !== undefined)
      query = query.where('conversation_id', '=', filter.conversationId);
    if (filter.statuses !== undefined) query = query.where('status', 'in', filter.statuses);
    const { updatedAfter } = filter;
    if (updatedAfter !== undefined)
      query = query.where((e) => e(e.fn.coalesce('finished_at', 'created_at'), '>', updatedAfter));
    const { n } = await query.select((e) => e.fn.countAll<number>().as('n')).executeTakeFirstOrThrow();
    const rest = page.before === null ? query : query.where('id', '<', page.before);
    const rows = await rest.selectAll().orderBy('id', 'desc').limit(page.limit).execute();
    return { rows, total: Number(n) };
  },

  message: (id: string): Promise<MessageRow | undefined> =>
    db.read.selectFrom('messages').selectAll().where('id', '=', id).executeTakeFirst(),

  steps: (runId: string): Promise<RunStepRow[]> =>
    db.read
      .selectFrom('run_steps')
      .selectAll()
      .where('run_id', '=', runId)
      .where('n', '<', FIRST_PARTIAL)
      .orderBy('n')
      .execute(),

  /** A run that has waited goes on. Throws `TurnTaken`, and `RunLost` where the run is another node's by now. */
  goOn(id: string, conversationId: string): Promise<void> {
    return db.write(async (tx) => {
      await this.claimTurn(tx, { conversationId, runId: id });
      const move = { id, nodeId, from: 'awaiting_approval', event: 'resume' } as const;
      if (!(await moveRun(tx, move))) throw new RunLost();
    });
  },

  /** Which of the runs wait for a decision. */
  async waitingRuns(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await db.read
      .selectFrom('runs')
      .select('id')
      .where('id', 'in', ids)
      .where('status', '=', 'awaiting_approval')
      .execute();
    return new Set(rows.map((row) => row.id));
  },

  ...createOwnedRuns(db, { nodeId, alone }),

  /** Of whichever person: where a run is now. */
  anyRun: (id: string): Promise<RunRow | undefined> =>
    db.read.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst(),

  /**
   * Ends a run that was interrupted; nothing happens where it has ended or is another node's. `rest` writes what had come of it,
   * and gives what the run's row says of that.
   */
  async interrupt(
    run: { id: string; status: RunStatus },
    end: { error: string; journal: string; now: number },
    rest: (tx: Tx) => Promise<Partial<Pick<RunRow, 'usage' | 'cost_nano'>>>,
  ): Promise<void> {
    const move = { id: run.id, nodeId, from: run.status, event: 'fail' } as const;
    const { error, journal, now } = end;
    try {
      await db.write(async (tx) => {
        await this.hold(tx, run.id);
        const used = await rest(tx);
        if (!(await moveRun(tx, move, { error, journal, finished_at: now, ...used }))) throw new RunLost();
      });
    } catch (thrown) {
      if (!(thrown instanceof RunLost)) throw thrown;
    }
  },

  /** Locks the run's row and says whether it is this node's; for writes that follow in `tx`. */
  async hold(tx: Queryable, id: string): Promise<void> {
    if (db.dialect === 'sqlite') return;
    const { rows } =
      await sql`select 1 from runs where id = ${id} and node_id = ${nodeId} for update`.execute(tx);
    if (rows.length === 0) throw new RunLost();
  },
});

export type ChatStore = ReturnType<typeof createChatStore>;
