import { type Caller, ownScope } from '../../kernel/caller.ts';
import { type Clock, iso } from '../../kernel/clock.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import type { ConversationStore } from './store.ts';

/** What a person says of an answer. */
export const createFeedback =
  ({ store, clock }: { store: Pick<ConversationStore, 'findMessage' | 'saveFeedback'>; clock: Clock }) =>
  async (caller: Caller, messageId: string, input: { rating: 'up' | 'down'; comment?: string | null }) => {
    const message = await store.findMessage(ownScope(caller), messageId);
    if (message === undefined) throw notFound('message');
    if (message.role !== 'assistant') throw invalid({ field: '/id', reason: 'is not an answer of an agent' });
    const now = clock.now();
    const comment = input.comment ?? null;
    await store.saveFeedback({
      message_id: messageId,
      user_id: caller.userId,
      tenant_id: caller.tenantId,
      rating: input.rating,
      comment,
      created_at: now,
    });
    return { message_id: messageId, rating: input.rating, comment, created_at: iso(now) };
  };
