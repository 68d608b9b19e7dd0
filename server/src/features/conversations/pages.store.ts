import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { compiled } from '../../db/compiled.ts';
import type { Db } from '../../db/db.ts';
import { listPage } from '../../db/page.ts';
import type { ConversationRow } from '../../db/tables/chat.ts';
import type { Scope } from '../../kernel/caller.ts';
import type { PageRequest } from '../../kernel/pagination.ts';
import type { GramSearch } from './gram-search.ts';
import type { Candidates } from './grams.store.ts';
import type { Conversation } from './schema.ts';
import { likeOf, within } from './scope.store.ts';

export interface ConversationFilter {
  status: Conversation['status'];
  q: string | null;
  pinned?: boolean | undefined;
  folder?: string | undefined;
}

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

export interface FoundPage {
  rows: ListedConversation[];
  total: number;
}

/** Messages whose text has the words: all of them, or those that may have them and those that nobody has looked through yet. */
const withWords = (db: Db, like: string, known: Candidates | null) => {
  // SQLite's LIKE folds ASCII case by itself, PostgreSQL has ILIKE for it.
  const operator = sql.raw(db.dialect === 'sqlite' ? 'like' : 'ilike');
  const matches = (column: 'title' | 'm.content') => sql`${sql.ref(column)} ${operator} ${like} escape '\\'`;
  const behind = known === null ? sql`` : sql` and m.id > ${known.upto}`;
  const among =
    known === null || known.ids.length === 0
      ? sql``
      : sql` or conversations.id in (select m.conversation_id from messages m
          where m.id in (${sql.join(known.ids)}) and m.active > 0 and ${matches('m.content')})`;
  return sql<boolean>`(${matches('title')} or exists (select 1 from messages m
    where m.conversation_id = conversations.id and m.active > 0${behind} and ${matches('m.content')})${among})`;
};

/** Pages of conversations. */
export const createConversationPages = (db: Db, search: Omit<GramSearch, 'close'> | null = null) => {
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

  const filtered = (scope: Scope, filter: ConversationFilter, known: Candidates | null) => {
    let query = within(db.read, scope).where('status', '=', filter.status);
    if (filter.pinned !== undefined)
      query = query.where((e) => e(e.fn.coalesce('pinned', e.lit(0)), '=', filter.pinned ? 1 : 0));
    if (filter.folder !== undefined) query = query.where('folder', '=', filter.folder);
    if (filter.q !== null) query = query.where(withWords(db, likeOf(filter.q), known));
    return query;
  };

  return {
    async list(scope: Scope, filter: ConversationFilter, page: PageRequest): Promise<FoundPage> {
      const narrowed = filter.q !== null || filter.pinned !== undefined || filter.folder !== undefined;
      if (scope.reach === 'own' && !narrowed && page.after === null) {
        const own = { tenant: scope.tenantId, user: scope.userId, status: filter.status };
        return page.page === 1 ? firstPage(own, page) : readOwn(own, page);
      }
      const own = filter.q !== null && scope.reach === 'own';
      const known = own ? ((await search?.candidates(scope, filter.q ?? '')) ?? null) : null;
      const found = await listPage(filtered(scope, filter, known).select(LISTED), page);
      if (own) search?.searched(scope);
      return found;
    },
  };
};
