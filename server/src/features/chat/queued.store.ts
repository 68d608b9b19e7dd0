import { sql } from 'kysely';
import type { Db, Queryable } from '../../db/db.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import { isQueuedAt, QUEUED_FROM, saidAt } from '../conversations/index.ts';
import { type Place, TurnTaken } from './queue.ts';

/** Statements for messages that wait for their conversation's turn: few, so that none of them is compiled ahead. */

/** A question behind the others, and the answer of one that was taken back while it stood there. */
export interface QueuedMessage {
  id: string;
  run_id: string | null;
  role: string;
  created_at: number;
}

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

/** Epoch ms behind the last message that has had its turn. */
export const placeBehindSaid = async (
  tx: Queryable,
  conversationId: string,
  now: number,
): Promise<number> => {
  const last = await tx
    .selectFrom('messages')
    .select('created_at')
    .where('conversation_id', '=', conversationId)
    .where('created_at', '<', QUEUED_FROM)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return Math.max(now, (last?.created_at ?? 0) + 1);
};

export const placeMessage = async (tx: Queryable, id: string, at: number): Promise<void> => {
  await tx.updateTable('messages').set({ created_at: at }).where('id', '=', id).execute();
};

/** All that stands behind the rest of a conversation, in order. */
export const queuedMessages = (db: Queryable, conversationId: string): Promise<QueuedMessage[]> =>
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

/**
 * For the write that lets a run begin or go on, in a conversation that other nodes know: with the conversation's row locked, of
 * two claims the later one sees the earlier one's run. Throws `TurnTaken`.
 */
export const createClaimTurn =
  ({ nodeId, alone }: Cluster) =>
  async (tx: Queryable, conversationId: string, runId: string): Promise<void> => {
    if (alone) return;
    await sql`select 1 from conversations where id = ${conversationId} for update`.execute(tx);
    if (await otherRunning(tx, nodeId, conversationId, runId)) throw new TurnTaken();
  };
