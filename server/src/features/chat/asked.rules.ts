import type { NewEvent } from '../../kernel/events.ts';
import type { Picture } from '../../kernel/picture.ts';
import { isTainted, type Taint, taintOfRow } from '../../kernel/taint.ts';

/** What stands in the conversation; null: a new one. */
export const taintOfConversation = (
  conversation: { taint: string | null; message_count: number } | null,
): Taint => (conversation === null ? [] : taintOfRow(conversation));

/** What is told of a question. */
export const askedEvent = (
  run: {
    conversationId: string;
    runId: string;
    questionId: string;
    /** Null for a first message, and for one whose place comes with its turn. */
    parentId?: string | null;
    subject: { tenantId: string; userId: string; requestId: string | null };
  },
  {
    content,
    attached,
    pictures,
  }: {
    content: string;
    attached: readonly { id: string; title: string }[];
    pictures?: readonly Picture[] | undefined;
  },
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
    parent_id: run.parentId ?? null,
    role,
    content,
    attachments: attached.map(({ id, title }) => ({ document_id: id, title })),
    ...(pictures === undefined ? {} : { pictures: pictures.map(({ id, name }) => ({ id, name })) }),
    tainted: isTainted(taint),
  },
  requestId: run.subject.requestId,
});
