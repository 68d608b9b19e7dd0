import { type Caller, ownScope, readScope } from '../../kernel/caller.ts';
import { forbidden, notFound } from '../../kernel/errors.ts';
import { type PageResult, pageRequest, pageResult } from '../../kernel/pagination.ts';
import { toMarkdown } from './export.rules.ts';
import type { FindConversation } from './finder.ts';
import type { MessageViews } from './message-views.ts';
import type { Branches } from './messages.store.ts';
import type { ListedConversation as ListedRow } from './pages.store.ts';
import type { Conversation } from './schema.ts';
import { snippetOf } from './snippet.rules.ts';
import type { ConversationStore } from './store.ts';
import { conversationOf } from './wire.ts';

const NEWEST = 200;
/** An export is read in one piece; a conversation of more messages than this is cut, oldest first. */
export const MAX_EXPORT = 100_000;

export interface ConversationListQuery {
  page?: number;
  limit?: number;
  cursor?: string;
  status?: Conversation['status'];
  q?: string;
  scope?: 'me' | 'tenant';
  pinned?: boolean;
  folder?: string;
}

export interface ReadingOptions {
  store: ConversationStore;
  find: FindConversation;
  views: MessageViews;
}

/** Conversations and messages, for whoever may read them. */
export const createConversationReading = ({ store, find, views }: ReadingOptions) => {
  const { messagesOf, withMessages } = views;
  /** Of pages that the store gives out again; frozen, so that its text can be kept as well (`http/validate.ts`). */
  const answers = new WeakMap<object, Readonly<PageResult<Conversation>>>();

  const withHits = async (rows: readonly ListedRow[], q: string) => {
    const ids = rows.map((row) => row.id);
    const hits = await store.hits(ids, q);
    return rows.map((row) => {
      const hit = hits.get(row.id);
      const snippet = snippetOf(hit?.content ?? row.title ?? '', q);
      return { ...conversationOf(row), hit: { message_id: hit?.id ?? null, snippet } };
    });
  };

  return {
    /** Throws NOT_FOUND: also for a picture of a conversation that the caller may not read. */
    async picture(caller: Caller, { id, pictureId }: { id: string; pictureId: string }) {
      await find(readScope(caller), id);
      const picture = await store.picture(id, pictureId.toLowerCase());
      if (picture === undefined) throw notFound('picture');
      return picture;
    },

    async list(caller: Caller, query: ConversationListQuery) {
      const all = readScope(caller);
      if (query.scope === 'tenant' && all.reach !== 'tenant')
        throw forbidden('conversations:read of the tenant');
      const scope = query.scope === 'tenant' ? all : ownScope(caller);
      const page = pageRequest(query);
      const { status = 'active', q = null, pinned, folder } = query;
      const found = await store.list(scope, { status, q, pinned, folder }, page);
      let answer = answers.get(found);
      if (answer === undefined) {
        const { rows, total } = found;
        const result = pageResult(page, rows, total, (row) => ({ createdAt: row.created_at, id: row.id }));
        const items = q === null ? result.items.map(conversationOf) : await withHits(result.items, q);
        answer = Object.freeze({ ...result, items });
        answers.set(found, answer);
      }
      return answer;
    },

    folders: async (caller: Caller, status?: 'active' | 'archived') => ({
      items: await store.folders(ownScope(caller), status),
    }),

    async get(caller: Caller, id: string) {
      const row = await find(readScope(caller), id);
      return withMessages(row, await store.newest(id, NEWEST, 'active'));
    },

    async messages(
      caller: Caller,
      id: string,
      query: { page?: number; limit?: number; cursor?: string; order?: 'asc' | 'desc'; branches?: Branches },
    ) {
      const conversation = await find(readScope(caller), id);
      const page = pageRequest(query);
      const branches = query.branches ?? 'active';
      const { rows, total } = await store.messages(id, branches, page, query.order ?? 'asc');
      const result = pageResult(page, rows, total, (row) => ({ createdAt: row.created_at, id: row.id }));
      return { ...result, items: await messagesOf(conversation, result.items) };
    },

    async export(caller: Caller, id: string, format: 'json' | 'markdown') {
      const row = await find(readScope(caller), id);
      const rows = await store.newest(id, MAX_EXPORT, format === 'json' ? 'all' : 'active');
      const { messages, ...conversation } = await withMessages(row, rows);
      if (format === 'json')
        return {
          type: 'application/json; charset=utf-8',
          body: JSON.stringify({ ...conversation, messages }),
        };
      return { type: 'text/markdown; charset=utf-8', body: toMarkdown(conversation, messages) };
    },
  };
};
