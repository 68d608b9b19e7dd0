import type { Along, Tx } from '../../db/db.ts';
import type { ConversationRow, MessageRow } from '../../db/tables/chat.ts';
import { type Caller, ownScope, readScope, type Scope } from '../../kernel/caller.ts';
import { type Clock, iso } from '../../kernel/clock.ts';
import { conflict, forbidden, invalid, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { type PageResult, pageRequest, pageResult } from '../../kernel/pagination.ts';
import { taintText } from '../../kernel/taint.ts';
import { unsettledRuns } from './ends.rules.ts';
import { toMarkdown } from './export.rules.ts';
import { forkOf } from './fork.rules.ts';
import { isQueuedAt } from './queued.rules.ts';
import type { Conversation, Message, PatchConversation } from './schema.ts';
import { snippetOf } from './snippet.rules.ts';
import type { Branches, ConversationStore, ListedConversation as ListedRow } from './store.ts';
import { INACTIVE, pathTo, siblingsOf } from './tree.rules.ts';
import { conversationOf, messageOf } from './wire.ts';

const MAX_METADATA_CHARACTERS = 16 * 1024;
const NEWEST = 200;
/** An export is read in one piece; a conversation of more messages than this is cut, oldest first. */
const MAX_EXPORT = 100_000;

const metadataText = (metadata: Record<string, unknown>): string => {
  const text = JSON.stringify(metadata);
  if (text.length > MAX_METADATA_CHARACTERS)
    throw invalid({ field: '/metadata', reason: 'must be at most 16 KiB of JSON' });
  return text;
};

export interface ConversationListQuery {
  page?: number;
  limit?: number;
  cursor?: string;
  status?: 'active' | 'archived';
  q?: string;
  scope?: 'me' | 'tenant';
  pinned?: boolean;
  folder?: string;
}

export const createConversationService = ({ store, clock }: { store: ConversationStore; clock: Clock }) => {
  /** Of pages that the store gives out again; frozen, so that its text can be kept as well (`http/validate.ts`). */
  const answers = new WeakMap<object, Readonly<PageResult<Conversation>>>();

  const messagesOf = async (
    conversation: Pick<ConversationRow, 'id' | 'branched'>,
    rows: readonly MessageRow[],
  ): Promise<Message[]> => {
    const unsettled = unsettledRuns(rows);
    const [runs, siblings] = await Promise.all([
      store.brokenRuns(unsettled),
      conversation.branched === 0 ? null : store.tree(conversation.id).then(siblingsOf),
    ]);
    const runOf = (id: string | null) => (id !== null && unsettled.includes(id) ? runs.get(id) : undefined);
    return rows.map((row) => messageOf(row, runOf(row.run_id), siblings?.get(row.id)));
  };

  const withHits = async (rows: readonly ListedRow[], q: string) => {
    const ids = rows.map((row) => row.id);
    const hits = await store.hits(ids, q);
    return rows.map((row) => {
      const hit = hits.get(row.id);
      const snippet = snippetOf(hit?.content ?? row.title ?? '', q);
      return { ...conversationOf(row), hit: { message_id: hit?.id ?? null, snippet } };
    });
  };

  /** Of rows of one branch, oldest first. */
  const leafOf = (rows: readonly MessageRow[]): string | null =>
    rows.findLast((row) => !isQueuedAt(row.created_at))?.id ?? null;

  const withMessages = async (row: ConversationRow, rows: readonly MessageRow[]) => ({
    ...conversationOf(row),
    active_message_id: leafOf(rows.filter((message) => message.active > INACTIVE)),
    messages: await messagesOf(row, rows),
  });

  const find = async (scope: Scope, id: string) => {
    const row = await store.find(scope, id);
    if (row === undefined) throw notFound('conversation');
    return row;
  };

  const update = async (
    caller: Caller,
    id: string,
    values: Parameters<ConversationStore['update']>[2],
    along: Parameters<ConversationStore['update']>[3] = {},
  ) => {
    const row = await store.update(ownScope(caller), id, { ...values, updated_at: clock.now() }, along);
    if (row === undefined) throw notFound('conversation');
    return conversationOf(row);
  };

  return {
    async create(
      caller: Caller,
      input: { title?: string | null; metadata?: Record<string, unknown> },
    ): Promise<Conversation> {
      const now = clock.now();
      const row = {
        id: newId(),
        tenant_id: caller.tenantId,
        user_id: caller.userId,
        title: input.title ?? null,
        status: 'active',
        metadata: metadataText(input.metadata ?? {}),
        agent_ids: '[]',
        message_count: 0,
        cost_nano: 0,
        created_at: now,
        updated_at: now,
        archived_at: null,
        taint: taintText([]),
        branched: 0,
      };
      await store.insert(row);
      return conversationOf(row);
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

    /** Throws CONFLICT where a branch is picked during a turn. */
    async patch(caller: Caller, id: string, patch: PatchConversation): Promise<Conversation> {
      const { active_message_id: picked } = patch;
      if (picked !== undefined) await find(ownScope(caller), id);
      const values = {
        ...(patch.title === undefined ? {} : { title: patch.title }),
        ...(patch.pinned === undefined ? {} : { pinned: patch.pinned ? 1 : 0 }),
        ...(patch.folder === undefined ? {} : { folder: patch.folder }),
        ...(patch.metadata === undefined ? {} : { metadata: metadataText(patch.metadata) }),
      };
      return update(caller, id, values, picked === undefined ? {} : { first: store.picking(id, picked) });
    },

    /** A conversation of its own with the messages up to one of another's; nothing of it has cost anything. Throws CONFLICT where an answer among them has not ended. */
    async fork(caller: Caller, id: string, messageId: string, note: Along): Promise<Conversation> {
      const from = await find(ownScope(caller), id);
      const path = pathTo(await store.tree(id), messageId);
      if (path.length === 0) throw notFound('message');
      const open = await store.openAnswers(id);
      if (open.some((answer) => path.includes(answer)))
        throw conflict('an answer up to this message has not ended');
      const copied = forkOf(from, await store.messagesById(id, path), messageId, clock.now());
      await store.insertFork(copied.conversation, copied.messages, note);
      return conversationOf(copied.conversation);
    },

    /** Archives; again is no fault. `note` is written together with the change. */
    async archive(caller: Caller, id: string, note: Along): Promise<void> {
      const row = await find(ownScope(caller), id);
      if (row.status !== 'archived')
        await update(caller, id, { status: 'archived', archived_at: clock.now() }, { note });
    },

    /** Throws NOT_FOUND, and CONFLICT while a run of it has not ended. */
    async deleteForGood(caller: Caller, id: string, note: Along): Promise<void> {
      const { deleted, busy } = await store.deleteForGood(ownScope(caller), [id], (tx) => note(tx));
      if (busy.length > 0) throw conflict('a run of this conversation has not ended; cancel it first');
      if (deleted.length === 0) throw notFound('conversation');
    },

    /** The same for many at once; each by itself. */
    async deleteMany(caller: Caller, ids: readonly string[], note: (tx: Tx, id: string) => Promise<void>) {
      const { deleted, busy } = await store.deleteForGood(ownScope(caller), ids, note);
      const failed = ids
        .filter((id) => !deleted.includes(id))
        .map((id) => ({ id, code: busy.includes(id) ? ('CONFLICT' as const) : ('NOT_FOUND' as const) }));
      return { deleted, failed };
    },

    restore: (caller: Caller, id: string, note: Along) =>
      update(caller, id, { status: 'active', archived_at: null }, { note }),

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

    async feedback(
      caller: Caller,
      messageId: string,
      input: { rating: 'up' | 'down'; comment?: string | null },
    ) {
      const message = await store.findMessage(ownScope(caller), messageId);
      if (message === undefined) throw notFound('message');
      if (message.role !== 'assistant')
        throw invalid({ field: '/id', reason: 'is not an answer of an agent' });
      const now = clock.now();
      const comment = input.comment ?? null;
      await store.saveFeedback({
        message_id: messageId,
        user_id: caller.userId,
        tenant_id: caller.tenantId,
        rating: input.rating,
        comment,
        created_at: now,
      });
      return { message_id: messageId, rating: input.rating, comment, created_at: iso(now) };
    },

    /** Everything of a person, for the export of their data. */
    async exportPersonal(tenantId: string, userId: string) {
      const scope: Scope = { tenantId, userId, reach: 'own' };
      const result: unknown[] = [];
      const feedback = Map.groupBy(await store.feedbackOf(tenantId, userId), (row) => row.conversation_id);
      for (const status of ['active', 'archived'] as const) {
        for (let page = 1; ; page++) {
          const { rows } = await store.list(scope, { status, q: null }, { page, limit: 100, after: null });
          for (const row of rows.slice(0, 100)) {
            const messages = await store.newest(row.id, MAX_EXPORT, 'all');
            result.push({
              ...conversationOf(row),
              messages: await messagesOf(row, messages),
              feedback: (feedback.get(row.id) ?? []).map((said) => ({
                message_id: said.message_id,
                rating: said.rating,
                comment: said.comment,
                created_at: iso(said.created_at),
              })),
            });
          }
          if (rows.length <= 100) break;
        }
      }
      return result;
    },

    personalIds: (tenantId: string, userId: string) => store.idsOf(tenantId, userId),
    erasePersonal: (tenantId: string, userId: string) => store.eraseOf(tenantId, userId),
  };
};

export type ConversationService = ReturnType<typeof createConversationService>;
