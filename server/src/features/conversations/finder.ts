import type { ConversationRow } from '../../db/tables/chat.ts';
import type { Scope } from '../../kernel/caller.ts';
import { notFound } from '../../kernel/errors.ts';
import type { ConversationStore } from './store.ts';

/** A conversation within a scope. Throws NOT_FOUND. */
export type FindConversation = (scope: Scope, id: string) => Promise<ConversationRow>;

export const conversationFinder =
  (store: Pick<ConversationStore, 'find'>): FindConversation =>
  async (scope, id) => {
    const row = await store.find(scope, id);
    if (row === undefined) throw notFound('conversation');
    return row;
  };
