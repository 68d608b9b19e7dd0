import type { NewEvent } from '../../kernel/events.ts';

/** What is told of a question. */
export const askedEvent = (
  run: {
    conversationId: string;
    runId: string;
    questionId: string;
    subject: { tenantId: string; userId: string; requestId: string | null };
  },
  content: string,
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
  },
  requestId: run.subject.requestId,
});
