import { sql } from 'kysely';
import type { DialectName, Queryable } from '../../db/db.ts';
import { conflict, notFound } from '../../kernel/errors.ts';
import { QUEUED_FROM } from './queued.rules.ts';
import { ACTIVE, changesTo, INACTIVE, leafUnder, type TreeNode } from './tree.rules.ts';

/** Ids in one statement: engines bound the number of its values. */
const IDS_AT_ONCE = 500;

/** All messages of a conversation but those that wait for their turn, oldest first; read from the index alone. */
export const treeOf = (db: Queryable, conversationId: string): Promise<TreeNode[]> =>
  db
    .selectFrom('messages')
    .select(['id', 'parent_id', 'created_at', 'active'])
    .where('conversation_id', '=', conversationId)
    .where('created_at', '<', QUEUED_FROM)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

const mark = async (tx: Queryable, ids: readonly string[], active: number): Promise<void> => {
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE)
    await tx
      .updateTable('messages')
      .set({ active })
      .where('id', 'in', ids.slice(at, at + IDS_AT_ONCE))
      .execute();
};

/**
 * Makes the path to a message the active branch of a conversation that has, or now gets, more than one. For the transaction that
 * holds the conversation's turn, or sees that nobody has it.
 */
export const activateBranch = async (tx: Queryable, conversationId: string, leaf: string): Promise<void> => {
  const { on, off } = changesTo(await treeOf(tx, conversationId), leaf);
  await mark(tx, on, ACTIVE);
  await mark(tx, off, INACTIVE);
  await tx
    .updateTable('conversations')
    .set((e) => ({
      branched: 1,
      message_count: e
        .selectFrom('messages')
        .select((m) => m.fn.countAll<number>().as('n'))
        .where('conversation_id', '=', conversationId)
        .where('active', '>', INACTIVE),
    }))
    .where('id', '=', conversationId)
    .execute();
};

/** Throws CONFLICT where a run goes on or waits in the conversation; with its row locked, so that none begins meanwhile. */
const holdFree = async (tx: Queryable, dialect: DialectName, conversationId: string): Promise<void> => {
  if (dialect === 'postgres')
    await sql`select 1 from conversations where id = ${conversationId} for update`.execute(tx);
  const going = await tx
    .selectFrom('runs')
    .select('id')
    .where('conversation_id', '=', conversationId)
    .where('status', 'in', ['running', 'queued'])
    .limit(1)
    .executeTakeFirst();
  if (going !== undefined) throw conflict('this conversation is busy with a message');
};

/** Throws NOT_FOUND where the message is not of the conversation, CONFLICT where a turn goes on. */
export const pickBranch = async (
  tx: Queryable,
  dialect: DialectName,
  conversationId: string,
  messageId: string,
): Promise<void> => {
  await holdFree(tx, dialect, conversationId);
  const nodes = await treeOf(tx, conversationId);
  if (!nodes.some(({ id }) => id === messageId)) throw notFound('message');
  const leaf = leafUnder(nodes, messageId);
  const { on, off } = changesTo(nodes, leaf);
  if (on.length + off.length > 0) await activateBranch(tx, conversationId, leaf);
};
