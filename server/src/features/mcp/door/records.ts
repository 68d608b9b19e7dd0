import type { Caller } from '../../../kernel/caller.ts';
import type { ConversationService } from '../../conversations/index.ts';
import type { Knowledge } from '../../knowledge/index.ts';
import type { DoorRecords } from './resources.ts';

/** The caller's documents and those shared with them, and their conversations. */
export const doorRecords = ({
  knowledge,
  conversations,
}: {
  knowledge: Pick<Knowledge, 'page' | 'text'>;
  conversations: Pick<ConversationService, 'list' | 'export'>;
}): DoorRecords[] => [
  {
    kind: 'documents',
    title: 'Document',
    description: 'The text of a document of the knowledge base.',
    mimeType: 'text/plain',
    permission: 'knowledge:read',
    async list(caller, { limit, cursor }) {
      const { items, next_cursor: next } = await knowledge.page(caller, { limit, cursor });
      return {
        items: items.map(({ id, title, contentType, changedAt }) => ({
          id,
          title,
          description: contentType,
          changedAt,
        })),
        next,
      };
    },
    read: (caller, id) => knowledge.text(caller, id),
  },
  {
    kind: 'conversations',
    title: 'Conversation',
    description: 'A conversation as Markdown.',
    mimeType: 'text/markdown',
    permission: 'conversations:read',
    async list(caller: Caller, { limit, cursor }) {
      const { items, next_cursor: next } = await conversations.list(caller, {
        limit,
        ...(cursor === null ? {} : { cursor }),
      });
      return {
        items: items.map(({ id, title, updated_at: changedAt }) => ({
          id,
          title: title ?? 'Conversation',
          description: '',
          changedAt,
        })),
        next,
      };
    },
    read: async (caller, id) => (await conversations.export(caller, id, 'markdown')).body,
  },
];
