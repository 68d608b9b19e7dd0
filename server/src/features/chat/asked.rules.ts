import type { NewEvent } from '../../kernel/events.ts';
import { isTainted, readTaint, type Taint } from '../../kernel/taint.ts';

/** What stands in the conversation. One that an earlier release has held does not say it, and has had answers. */
export const taintOfConversation = (
  conversation: { taint: string | null; message_count: number } | null,
): Taint => {
  if (conversation === null) return [];
  if (conversation.taint !== null) return readTaint(conversation.taint);
  return conversation.message_count > 0 ? ['earlier'] : [];
};

/** What is told of a question. */
export const askedEvent = (
  run: {
    conversationId: string;
    runId: string;
    questionId: string;
    subject: { tenantId: string; userId: string; requestId: string | null };
  },
  content: string,
  taint: Taint,
  role: 'user' | 'tool' = 'user',
): NewEvent => ({
  type: 'message.created',
  tenantId: run.subject.tenantId,
  userId: run.subject.userId,
  reach: 'own',
  permission: 'conversations:read',
  data: {
    conversation_id: run.conversationId,
    run_id: run.runId,
    id: run.questionId,
    role,
    content,
    tainted: isTainted(taint),
  },
  requestId: run.subject.requestId,
});
