import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import { listPage } from '../../db/page.ts';
import type { MessageRow } from '../../db/tables/chat.ts';
import type { Scope } from '../../kernel/caller.ts';
import type { PageRequest } from '../../kernel/pagination.ts';
import type { BrokenRun } from './ends.rules.ts';
import { likeOf } from './scope.store.ts';
import { INACTIVE, type TreeNode } from './tree.rules.ts';
import { treeOf } from './tree.store.ts';

/** Ids in one statement: engines bound the number of its values. */
const RUNS_AT_ONCE = 500;
const ROWS_AT_ONCE = 500;

export type Branches = 'active' | 'all';

/** Answers whose runs have not ended: what stands of them is not all. */
export const openAnswers = async (db: Db, conversationId: string): Promise<string[]> => {
  const rows = await db.read
    .selectFrom('runs')
    .select('message_id')
    .where('conversation_id', '=', conversationId)
    .where('finished_at', 'is', null)
    .execute();
  return rows.map((row) => row.message_id);
};

/** Oldest first. */
export const messagesById = async (
  db: Db,
  conversationId: string,
  ids: readonly string[],
): Promise<MessageRow[]> => {
  const found: MessageRow[] = [];
  for (let at = 0; at < ids.length; at += ROWS_AT_ONCE)
    found.push(
      ...(await db.read
        .selectFrom('messages')
        .selectAll()
        .where('conversation_id', '=', conversationId)
        .where('id', 'in', ids.slice(at, at + ROWS_AT_ONCE))
        .orderBy('created_at')
        .orderBy('id')
        .execute()),
    );
  return found;
};

/** Messages of conversations, and what is asked of their runs. */
export const createMessageReads = (db: Db) => {
  const messagesIn = (conversationId: string, branches: Branches) => {
    const query = db.read.selectFrom('messages').where('conversation_id', '=', conversationId);
    return branches === 'all' ? query : query.where('active', '>', INACTIVE);
  };

  return {
    /** The newest message of the active branch of each of these with the words, by conversation. */
    async hits(
      ids: readonly string[],
      q: string,
    ): Promise<ReadonlyMap<string, { id: string; content: string }>> {
      const found = new Map<string, { id: string; content: string }>();
      if (ids.length === 0) return found;
      const operator = sql.raw(db.dialect === 'sqlite' ? 'like' : 'ilike');
      const like = likeOf(q);
      for (const id of ids) {
        const row = await db.read
          .selectFrom('messages')
          .select(['id', 'content'])
          .where('conversation_id', '=', id)
          .where('active', '>', INACTIVE)
          .where(sql<boolean>`content ${operator} ${like} escape '\\'`)
          .orderBy('created_at', 'desc')
          .orderBy('id', 'desc')
          .limit(1)
          .executeTakeFirst();
        if (row !== undefined) found.set(id, row);
      }
      return found;
    },

    /** Which of these runs ended without a whole answer, and why. */
    async brokenRuns(ids: readonly string[]): Promise<ReadonlyMap<string, BrokenRun>> {
      const found = new Map<string, BrokenRun>();
      for (let at = 0; at < ids.length; at += RUNS_AT_ONCE) {
        const rows = await db.read
          .selectFrom('runs')
          .leftJoin('messages', 'messages.id', 'runs.message_id')
          .select(['runs.id', 'runs.status', 'runs.error', 'messages.id as answer'])
          .where('runs.id', 'in', ids.slice(at, at + RUNS_AT_ONCE))
          .where('runs.status', 'in', ['failed', 'cost_exceeded'])
          .execute();
        for (const { answer, ...run } of rows) found.set(run.id, { ...run, answered: answer !== null });
      }
      return found;
    },

    /** The newest `limit` messages, oldest first. */
    async newest(conversationId: string, limit: number, branches: Branches): Promise<MessageRow[]> {
      const rows = await messagesIn(conversationId, branches)
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.reverse();
    },

    messages: (conversationId: string, branches: Branches, page: PageRequest, order: 'asc' | 'desc') =>
      listPage(messagesIn(conversationId, branches).selectAll(), page, order),

    tree: (conversationId: string): Promise<TreeNode[]> => treeOf(db.read, conversationId),

    openAnswers: (conversationId: string) => openAnswers(db, conversationId),
    messagesById: (conversationId: string, ids: readonly string[]) => messagesById(db, conversationId, ids),

    findMessage: (scope: Scope, id: string): Promise<MessageRow | undefined> => {
      const query = db.read
        .selectFrom('messages')
        .selectAll()
        .where('id', '=', id)
        .where('tenant_id', '=', scope.tenantId);
      return (
        scope.reach === 'tenant' ? query : query.where('user_id', '=', scope.userId)
      ).executeTakeFirst();
    },
  };
};
