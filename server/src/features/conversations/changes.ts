import type { Along, Tx } from '../../db/db.ts';
import { type Caller, ownScope } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { conflict, invalid, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { taintText } from '../../kernel/taint.ts';
import type { FindConversation } from './finder.ts';
import { forkOf } from './fork.rules.ts';
import type { Conversation, PatchConversation } from './schema.ts';
import type { ConversationStore } from './store.ts';
import { pathTo } from './tree.rules.ts';
import { conversationOf } from './wire.ts';

const MAX_METADATA_CHARACTERS = 16 * 1024;

const metadataText = (metadata: Record<string, unknown>): string => {
  const text = JSON.stringify(metadata);
  if (text.length > MAX_METADATA_CHARACTERS)
    throw invalid({ field: '/metadata', reason: 'must be at most 16 KiB of JSON' });
  return text;
};

export interface ChangesOptions {
  store: ConversationStore;
  clock: Clock;
  find: FindConversation;
}

/** Conversations begun, changed, forked, archived and deleted by their owner. */
export const createConversationChanges = ({ store, clock, find }: ChangesOptions) => {
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
      await store.insertFork({ from: id, ...copied }, note);
      return conversationOf(copied.conversation);
    },

    /** Archives; again is no fault. `note` is written together with the change. */
    async archive(caller: Caller, id: string, note: Along): Promise<void> {
      const row = await find(ownScope(caller), id);
      if (row.status !== 'archived')
        await update(caller, id, { status: 'archived', archived_at: clock.now() }, { note });
    },

    renameFolder: async (caller: Caller, name: string, to: string | null) => ({
      changed: await store.renameFolder(ownScope(caller), { name, to }, clock.now()),
    }),

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
  };
};
