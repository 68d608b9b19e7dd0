import type { ConversationRow, MessageRow } from '../../db/tables/chat.ts';
import { unsettledRuns } from './ends.rules.ts';
import { isQueuedAt } from './queued.rules.ts';
import type { Message } from './schema.ts';
import type { ConversationStore } from './store.ts';
import { INACTIVE, siblingsOf } from './tree.rules.ts';
import { conversationOf, messageOf } from './wire.ts';

/** Messages as their readers see them: with how they ended, and with their branches. */
export const createMessageViews = (store: Pick<ConversationStore, 'brokenRuns' | 'tree'>) => {
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

  /** Of rows of one branch, oldest first. */
  const leafOf = (rows: readonly MessageRow[]): string | null =>
    rows.findLast((row) => !isQueuedAt(row.created_at))?.id ?? null;

  const withMessages = async (row: ConversationRow, rows: readonly MessageRow[]) => ({
    ...conversationOf(row),
    active_message_id: leafOf(rows.filter((message) => message.active > INACTIVE)),
    messages: await messagesOf(row, rows),
  });

  return { messagesOf, withMessages };
};

export type MessageViews = ReturnType<typeof createMessageViews>;
