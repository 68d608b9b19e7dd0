import { readTaint, type Taint } from '../../kernel/taint.ts';

/** What stands in a conversation. One that an earlier release has held does not say it, and has had answers. */
export const taintOf = (conversation: { taint: string | null; message_count: number }): Taint => {
  if (conversation.taint !== null) return readTaint(conversation.taint);
  return conversation.message_count > 0 ? ['earlier'] : [];
};
