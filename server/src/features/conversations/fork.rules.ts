import type { ConversationRow, MessageRow } from '../../db/tables/chat.ts';
import { newId } from '../../kernel/ids.ts';
import { taintOfRow, taintText } from '../../kernel/taint.ts';
import { ACTIVE } from './tree.rules.ts';

/** The rows of a conversation that begins as a branch of another one; `branch` is oldest first. */
export const forkOf = (
  from: ConversationRow,
  branch: readonly MessageRow[],
  messageId: string,
  now: number,
): { conversation: ConversationRow; messages: MessageRow[] } => {
  const id = newId();
  let parent: string | null = null;
  const messages = branch.map((row): MessageRow => {
    const copy = { ...row, id: newId(), conversation_id: id, parent_id: parent, active: ACTIVE };
    parent = copy.id;
    // Runs, and what they have cost, stay with the conversation that they were made for.
    return { ...copy, run_id: null, cost_nano: 0 };
  });
  const metadata = JSON.parse(from.metadata) as Record<string, unknown>;
  const conversation = {
    ...from,
    id,
    status: 'active',
    metadata: JSON.stringify({
      ...metadata,
      forked_from: { conversation_id: from.id, message_id: messageId },
    }),
    message_count: messages.length,
    cost_nano: 0,
    created_at: now,
    updated_at: now,
    archived_at: null,
    taint: taintText(taintOfRow(from)),
    branched: 0,
    pinned: 0,
  };
  return { conversation, messages };
};
