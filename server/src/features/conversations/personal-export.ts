import type { Scope } from '../../kernel/caller.ts';
import { iso } from '../../kernel/clock.ts';
import type { MessageViews } from './message-views.ts';
import { MAX_EXPORT } from './reading.ts';
import { CONVERSATION_STATUSES } from './schema.ts';
import type { ConversationStore } from './store.ts';
import { conversationOf } from './wire.ts';

/** Everything of a person, for the export of their data. */
export const createPersonalExport =
  ({ store, views }: { store: ConversationStore; views: Pick<MessageViews, 'messagesOf'> }) =>
  async (tenantId: string, userId: string): Promise<unknown[]> => {
    const scope: Scope = { tenantId, userId, reach: 'own' };
    const result: unknown[] = [];
    const feedback = Map.groupBy(await store.feedbackOf(tenantId, userId), (row) => row.conversation_id);
    for (const status of CONVERSATION_STATUSES) {
      for (let page = 1; ; page++) {
        const { rows } = await store.list(scope, { status, q: null }, { page, limit: 100, after: null });
        for (const row of rows.slice(0, 100)) {
          const messages = await store.newest(row.id, MAX_EXPORT, 'all');
          result.push({
            ...conversationOf(row),
            messages: await views.messagesOf(row, messages),
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
  };
