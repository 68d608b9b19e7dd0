import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { compiled } from '../../db/compiled.ts';
import type { Along, Db, Queryable, Tx } from '../../db/db.ts';
import { listPage } from '../../db/page.ts';
import type { ConversationRow, FeedbackRow, MessageRow } from '../../db/tables/chat.ts';
import { dropKeysOf } from '../../http/idempotency.store.ts';
import type { Scope } from '../../kernel/caller.ts';
import type { PageRequest } from '../../kernel/pagination.ts';
import type { BrokenRun } from './ends.rules.ts';
import { INACTIVE, type TreeNode } from './tree.rules.ts';
import { pickBranch, treeOf } from './tree.store.ts';

/** Ids in one statement: engines bound the number of its values. */
const RUNS_AT_ONCE = 500;
const ROWS_AT_ONCE = 500;

export type Branches = 'active' | 'all';

export interface ConversationFilter {
  status: 'active' | 'archived';
  q: string | null;
  pinned?: boolean | undefined;
  folder?: string | undefined;
}

const within = (db: Queryable, scope: Scope) => {
  const query = db.selectFrom('conversations').where('tenant_id', '=', scope.tenantId);
  return scope.reach === 'tenant' ? query : query.where('user_id', '=', scope.userId);
};

const likeOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** What a page shows of a conversation: whose it is has been settled by the query. */
const LISTED = [
  'id',
  'title',
  'status',
  'metadata',
  'agent_ids',
  'message_count',
  'cost_nano',
  'created_at',
  'updated_at',
  'archived_at',
  'taint',
  'branched',
  'pinned',
  'folder',
] as const;
export type ListedConversation = Pick<ConversationRow, (typeof LISTED)[number]>;

interface OwnPage {
  tenant: string;
  user: string;
  status: string;
  limit: number;
  offset: number;
}

/** One's own conversations without a search, page by page: what every client asks for first and most. */
const ownPage = compiled<OwnPage, ListedConversation>((db, p) =>
  db
    .selectFrom('conversations')
    .select(LISTED)
    .where('tenant_id', '=', p('tenant'))
    .where('user_id', '=', p('user'))
    .where('status', '=', p('status'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(p('limit'))
    .offset(p('offset')),
);

const ownCount = compiled<Pick<OwnPage, 'tenant' | 'user' | 'status'>, { n: number }>((db, p) =>
  db
    .selectFrom('conversations')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('tenant_id', '=', p('tenant'))
    .where('user_id', '=', p('user'))
    .where('status', '=', p('status')),
);

/** First pages kept, at some ten kilobytes each. */
const KEPT_PAGES = 500;

interface FoundPage {
  rows: ListedConversation[];
  total: number;
}

export const createConversationStore = (db: Db) => {
  const kept = new LRUCache<string, { version: number; page: FoundPage }>({ max: KEPT_PAGES });

  const readOwn = async (own: Pick<OwnPage, 'tenant' | 'user' | 'status'>, page: PageRequest) => {
    const [rows, counted] = await Promise.all([
      ownPage(db.read, { ...own, limit: page.limit + 1, offset: (page.page - 1) * page.limit }),
      ownCount(db.read, own),
    ]);
    return { rows, total: Number(counted[0]?.n ?? 0) };
  };

  /** The first page is what clients ask for again and again: the same object until one of the conversations changes. */
  const firstPage = async (
    own: Pick<OwnPage, 'tenant' | 'user' | 'status'>,
    page: PageRequest,
  ): Promise<FoundPage> => {
    // Taken before the read: a commit in between makes the entry useless, never wrong.
    const version = db.conversationsVersion(own.user);
    if (version === null) return readOwn(own, page);
    const key = `${own.tenant} ${own.user} ${own.status} ${page.limit}`;
    const known = kept.get(key);
    if (known?.version === version) return known.page;
    const found = await readOwn(own, page);
    kept.set(key, { version, page: found });
    return found;
  };

  const filtered = (scope: Scope, filter: ConversationFilter) => {
    let query = within(db.read, scope).where('status', '=', filter.status);
    if (filter.pinned !== undefined)
      query = query.where((e) => e(e.fn.coalesce('pinned', e.lit(0)), '=', filter.pinned ? 1 : 0));
    if (filter.folder !== undefined) query = query.where('folder', '=', filter.folder);
    if (filter.q !== null) {
      const like = likeOf(filter.q);
      // SQLite's LIKE folds ASCII case by itself, PostgreSQL has ILIKE for it.
      const operator = sql.raw(db.dialect === 'sqlite' ? 'like' : 'ilike');
      query = query.where(
        sql<boolean>`(title ${operator} ${like} escape '\\' or exists (select 1 from messages m where m.conversation_id = conversations.id and m.active > 0 and m.content ${operator} ${like} escape '\\'))`,
      );
    }
    return query;
  };

  const messagesIn = (conversationId: string, branches: Branches) => {
    const query = db.read.selectFrom('messages').where('conversation_id', '=', conversationId);
    return branches === 'all' ? query : query.where('active', '>', INACTIVE);
  };

  return {
    insert: (row: ConversationRow) =>
      db.write(async (tx) => {
        await tx.insertInto('conversations').values(row).execute();
      }),

    find: (scope: Scope, id: string): Promise<ConversationRow | undefined> =>
      within(db.read, scope).selectAll().where('id', '=', id).executeTakeFirst(),

    async list(scope: Scope, filter: ConversationFilter, page: PageRequest): Promise<FoundPage> {
      const narrowed = filter.q !== null || filter.pinned !== undefined || filter.folder !== undefined;
      if (scope.reach === 'own' && !narrowed && page.after === null) {
        const own = { tenant: scope.tenantId, user: scope.userId, status: filter.status };
        return page.page === 1 ? firstPage(own, page) : readOwn(own, page);
      }
      return listPage(filtered(scope, filter).select(LISTED), page);
    },

    /** Sets fields of a conversation within the scope; undefined where it is not there. `first` is for a conversation known to be. */
    update: (
      scope: Scope,
      id: string,
      values: Partial<ConversationRow>,
      along: { first?: Along | undefined; note?: Along | undefined } = {},
    ): Promise<ConversationRow | undefined> =>
      db.write(async (tx) => {
        await along.first?.(tx);
        let query = tx
          .updateTable('conversations')
          .set(values)
          .where('id', '=', id)
          .where('tenant_id', '=', scope.tenantId);
        if (scope.reach === 'own') query = query.where('user_id', '=', scope.userId);
        const row = await query.returningAll().executeTakeFirst();
        if (row !== undefined) await along.note?.(tx);
        return row;
      }),

    /**
     * Deletes those of these that are within the scope and have no run that goes on, waits or is asked about, with all that is
     * in them; `note` is written for each. `busy`: those that have one.
     */
    deleteForGood: (
      scope: Scope,
      ids: readonly string[],
      note: (tx: Tx, id: string) => Promise<void>,
    ): Promise<{ deleted: string[]; busy: string[] }> =>
      db.write(async (tx) => {
        let query = tx
          .selectFrom('conversations')
          .select('id')
          .where('id', 'in', ids)
          .where('tenant_id', '=', scope.tenantId);
        if (scope.reach === 'own') query = query.where('user_id', '=', scope.userId);
        // Locked in one order, so that no run begins in them, and two of these do not wait for each other.
        const held = db.dialect === 'sqlite' ? query : query.orderBy('id').forUpdate();
        const found = (await held.execute()).map((row) => row.id);
        if (found.length === 0) return { deleted: [], busy: [] };
        const open = await tx
          .selectFrom('runs')
          .select('conversation_id')
          .where('conversation_id', 'in', found)
          .where('finished_at', 'is', null)
          .execute();
        const busy = new Set(open.map((row) => row.conversation_id));
        const deleted = found.filter((id) => !busy.has(id));
        // Messages, runs with their steps and the answers kept of them, feedback, summaries and marks of imports go with it by their foreign keys.
        if (deleted.length > 0) await tx.deleteFrom('conversations').where('id', 'in', deleted).execute();
        for (const id of deleted) await note(tx, id);
        return { deleted, busy: [...busy] };
      }),

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

    /** For an update: makes the branch through a message the active one, down to its newest leaf. */
    picking:
      (conversationId: string, messageId: string): Along =>
      (tx) =>
        pickBranch(tx, db.dialect, conversationId, messageId),

    /** A conversation with messages of another one. */
    insertFork: (conversation: ConversationRow, messages: readonly MessageRow[], note: Along) =>
      db.write(async (tx) => {
        await tx.insertInto('conversations').values(conversation).execute();
        for (let at = 0; at < messages.length; at += ROWS_AT_ONCE)
          await tx
            .insertInto('messages')
            .values(messages.slice(at, at + ROWS_AT_ONCE))
            .execute();
        await note(tx);
      }),

    /** Answers whose runs have not ended: what stands of them is not all. */
    async openAnswers(conversationId: string): Promise<string[]> {
      const rows = await db.read
        .selectFrom('runs')
        .select('message_id')
        .where('conversation_id', '=', conversationId)
        .where('finished_at', 'is', null)
        .execute();
      return rows.map((row) => row.message_id);
    },

    /** Oldest first. */
    async messagesById(conversationId: string, ids: readonly string[]): Promise<MessageRow[]> {
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
    },

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

    saveFeedback: (row: FeedbackRow) =>
      db.write(async (tx) => {
        await tx
          .insertInto('message_feedback')
          .values(row)
          .onConflict((c) =>
            c
              .columns(['message_id', 'user_id'])
              .doUpdateSet({ rating: row.rating, comment: row.comment, created_at: row.created_at }),
          )
          .execute();
      }),

    /** Erases all of a person's conversations with everything in them; how many there were. */
    idsOf: async (tenantId: string, userId: string): Promise<string[]> => {
      const rows = await db.read
        .selectFrom('conversations')
        .select('id')
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', userId)
        .execute();
      return rows.map((row) => row.id);
    },

    /** What a person said of answers, oldest first. */
    feedbackOf: (tenantId: string, userId: string) =>
      db.read
        .selectFrom('message_feedback as f')
        .innerJoin('messages as m', 'm.id', 'f.message_id')
        .select(['m.conversation_id', 'f.message_id', 'f.rating', 'f.comment', 'f.created_at'])
        .where('f.tenant_id', '=', tenantId)
        .where('f.user_id', '=', userId)
        .orderBy('f.created_at')
        .orderBy('f.message_id')
        .execute(),

    eraseOf: (tenantId: string, userId: string) =>
      db.write(async (tx) => {
        const ids = tx
          .selectFrom('conversations')
          .select('id')
          .where('tenant_id', '=', tenantId)
          .where('user_id', '=', userId);
        await tx
          .deleteFrom('message_feedback')
          .where((w) =>
            w.or([
              w('user_id', '=', userId),
              w(
                'message_id',
                'in',
                tx.selectFrom('messages').select('id').where('conversation_id', 'in', ids),
              ),
            ]),
          )
          .execute();
        await dropKeysOf(tx, userId);
        await tx.deleteFrom('messages').where('conversation_id', 'in', ids).execute();
        await tx.deleteFrom('runs').where('conversation_id', 'in', ids).execute();
        const gone = await tx
          .deleteFrom('conversations')
          .where('tenant_id', '=', tenantId)
          .where('user_id', '=', userId)
          .executeTakeFirst();
        return Number(gone.numDeletedRows);
      }),
  };
};

export type ConversationStore = ReturnType<typeof createConversationStore>;
