import { sql } from 'kysely';
import type { Db, Queryable } from '../../db/db.ts';
import type { MessageRow } from '../../db/tables/chat.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import { ACTIVE, INACTIVE, isQueuedAt, QUEUED_FROM, saidAt } from '../conversations/index.ts';
import { type Place, TurnTaken } from './queue.ts';

/** Statements for messages that wait for their conversation's turn: few, so that none of them is compiled ahead. */

/** The time of acceptance that puts a new question behind all that wait in the conversation. */
export const placeAtEnd = async (tx: Queryable, conversationId: string, now: number): Promise<number> => {
  const last = await tx
    .selectFrom('messages')
    .select('created_at')
    .where('conversation_id', '=', conversationId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last === undefined || !isQueuedAt(last.created_at)
    ? now
    : Math.max(now, saidAt(last.created_at) + 1);
};

/** Behind the last message of the active branch that has had its turn. */
export const placeBehindSaid = async (
  tx: Queryable,
  conversationId: string,
  now: number,
): Promise<{ at: number; parentId: string | null }> => {
  const last = await tx
    .selectFrom('messages')
    .select(['id', 'created_at'])
    .where('conversation_id', '=', conversationId)
    .where('created_at', '<', QUEUED_FROM)
    .where('active', '>', INACTIVE)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return { at: Math.max(now, (last?.created_at ?? 0) + 1), parentId: last?.id ?? null };
};

/** Gives a message its place in the tree. */
export const placeMessage = async (
  tx: Queryable,
  id: string,
  { at, parentId }: { at: number; parentId: string | null },
): Promise<void> => {
  await tx
    .updateTable('messages')
    .set({ created_at: at, parent_id: parentId, active: ACTIVE })
    .where('id', '=', id)
    .execute();
};

/** All that stands behind the rest of a conversation, in order: questions, and answers of those that were taken back there. */
export const queuedMessages = (
  db: Queryable,
  conversationId: string,
): Promise<Pick<MessageRow, 'id' | 'run_id' | 'role' | 'created_at'>[]> =>
  db
    .selectFrom('messages')
    .select(['id', 'run_id', 'role', 'created_at'])
    .where('conversation_id', '=', conversationId)
    .where('created_at', '>=', QUEUED_FROM)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

/** Whether a run waits in the conversation before this place; null: whether one waits at all. */
export const createQueuedBefore =
  (db: Db) =>
  async (conversationId: string, place: Place | null): Promise<boolean> => {
    let query = db.read
      .selectFrom('runs')
      .select('id')
      .where('conversation_id', '=', conversationId)
      .where('status', '=', 'queued');
    if (place !== null) {
      query = query.where((w) =>
        w.or([
          w('created_at', '<', place.at),
          w.and([w('created_at', '=', place.at), w('id', '<', place.id)]),
        ]),
      );
    }
    return (await query.limit(1).executeTakeFirst()) !== undefined;
  };

/**
 * Whether a run of another node is going on in the conversation; `runId`: of one that has begun itself, which only earlier
 * ones precede. What goes on in this process is known to its queue.
 */
const otherRunning = async (
  db: Queryable,
  nodeId: string,
  conversationId: string,
  runId: string | null,
): Promise<boolean> => {
  let query = db
    .selectFrom('runs')
    .select('id')
    .where('conversation_id', '=', conversationId)
    .where('status', '=', 'running')
    .where('node_id', '<>', nodeId);
  if (runId !== null) {
    query = query.where((w) =>
      w.or([
        w('id', '<', runId),
        w.not(
          w.exists(
            w
              .selectFrom('runs as own')
              .select('own.id')
              .where('own.id', '=', runId)
              .where('own.status', '=', 'running'),
          ),
        ),
      ]),
    );
  }
  return (await query.limit(1).executeTakeFirst()) !== undefined;
};

export const createOtherRunning =
  (db: Db, nodeId: string) => (conversationId: string, runId: string | null) =>
    otherRunning(db.read, nodeId, conversationId, runId);

/** The last message of the active branch when a history was loaded; null: there was none. */
type LastSaid = { created_at: number; id: string } | null;

/** Whether another run has said something in the active branch since its history was loaded. */
const saidSince = async (
  tx: Queryable,
  conversationId: string,
  runId: string,
  last: LastSaid,
): Promise<boolean> => {
  const { created_at, id } = last ?? { created_at: -1, id: '' };
  const row = await tx
    .selectFrom('messages')
    .select('id')
    .where('conversation_id', '=', conversationId)
    .where('created_at', '<', QUEUED_FROM)
    .where('active', '>', INACTIVE)
    .where('run_id', 'is distinct from', runId)
    .where((w) =>
      w.or([w('created_at', '>', created_at), w.and([w('created_at', '=', created_at), w('id', '>', id)])]),
    )
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
};

/**
 * For the write that lets a run begin or go on, in a conversation that other nodes know: with the conversation's row locked, of
 * two claims the later one sees the earlier one's run, or what that one has answered meanwhile. Throws `TurnTaken`.
 */
export const createClaimTurn =
  ({ nodeId, alone }: Cluster) =>
  async (
    tx: Queryable,
    claim: {
      conversationId: string;
      runId: string;
      /** What the run's history ends with; left out for a run that has begun before. */
      lastSaid?: LastSaid | undefined;
    },
  ): Promise<void> => {
    const { conversationId, runId, lastSaid } = claim;
    if (alone) return;
    await sql`select 1 from conversations where id = ${conversationId} for update`.execute(tx);
    const [running, said] = await Promise.all([
      otherRunning(tx, nodeId, conversationId, runId),
      lastSaid === undefined ? false : saidSince(tx, conversationId, runId, lastSaid),
    ]);
    if (running || said) throw new TurnTaken();
  };
