import type { Scope } from '../../kernel/caller.ts';
import { iso } from '../../kernel/clock.ts';
import type { MessageViews } from './message-views.ts';
import { MAX_EXPORT } from './reading.ts';
import { CONVERSATION_STATUSES } from './schema.ts';
import type { ConversationStore } from './store.ts';
import { conversationOf } from './wire.ts';

/** Of all pictures of an export, which is one answer: the newest have their bytes. */
const MAX_PICTURE_BYTES_IN_ALL = 64 * 1024 * 1024;

/** Takes bytes off what is left of the amount; false where there is not as much. */
const createBudget = (amount: number) => {
  let left = amount;
  return (bytes: number): boolean => {
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
};

const picturesFor =
  (store: Pick<ConversationStore, 'picture' | 'picturesIn'>, fits: (bytes: number) => boolean) =>
  async (conversationId: string): Promise<unknown[]> => {
    const exported: unknown[] = [];
    for (const { user_id: _whose, created_at: at, ...picture } of await store.picturesIn(conversationId)) {
      // One at a time, and none that there is no room for.
      const whole = fits(picture.size_bytes) ? await store.picture(conversationId, picture.id) : undefined;
      exported.push({
        ...picture,
        created_at: iso(at),
        bytes_base64: whole === undefined ? null : Buffer.from(whole.bytes).toString('base64'),
      });
    }
    return exported;
  };

/** Everything of a person, for the export of their data. */
export const createPersonalExport =
  ({ store, views }: { store: ConversationStore; views: Pick<MessageViews, 'messagesOf'> }) =>
  async (tenantId: string, userId: string): Promise<unknown[]> => {
    const scope: Scope = { tenantId, userId, reach: 'own' };
    const result: unknown[] = [];
    const pictures = picturesFor(store, createBudget(MAX_PICTURE_BYTES_IN_ALL));
    const feedback = Map.groupBy(await store.feedbackOf(tenantId, userId), (row) => row.conversation_id);
    for (const status of CONVERSATION_STATUSES) {
      for (let page = 1; ; page++) {
        const { rows } = await store.list(scope, { status, q: null }, { page, limit: 100, after: null });
        for (const row of rows.slice(0, 100)) {
          const messages = await store.newest(row.id, MAX_EXPORT, 'all');
          result.push({
            ...conversationOf(row),
            messages: await views.messagesOf(row, messages),
            pictures: await pictures(row.id),
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
