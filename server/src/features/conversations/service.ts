import type { Clock } from '../../kernel/clock.ts';
import { createConversationChanges } from './changes.ts';
import { createFeedback } from './feedback.ts';
import { conversationFinder } from './finder.ts';
import { createMessageViews } from './message-views.ts';
import { createPersonalExport } from './personal-export.ts';
import { createConversationReading } from './reading.ts';
import type { ConversationStore } from './store.ts';

export const createConversationService = ({ store, clock }: { store: ConversationStore; clock: Clock }) => {
  const find = conversationFinder(store);
  const views = createMessageViews(store);

  return {
    ...createConversationReading({ store, find, views }),
    ...createConversationChanges({ store, clock, find }),
    feedback: createFeedback({ store, clock }),
    exportPersonal: createPersonalExport({ store, views }),
    personalIds: (tenantId: string, userId: string) => store.idsOf(tenantId, userId),
    erasePersonal: (tenantId: string, userId: string) => store.eraseOf(tenantId, userId),
  };
};

export type ConversationService = ReturnType<typeof createConversationService>;
