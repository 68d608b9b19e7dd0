import { sumNano } from '../../kernel/money.ts';
import { addConversationCost } from '../conversations/index.ts';
import type { Costs } from './index.ts';

/**
 * For calls that are made for a conversation beside its runs (votes, approved calls, what is learned from a message):
 * nobody else adds them to its cost.
 */
export const costsBesideRuns = (costs: Pick<Costs, 'hold' | 'settle'>): Pick<Costs, 'hold' | 'settle'> => ({
  hold: costs.hold,
  async settle(tx, hold, entries) {
    await costs.settle(tx, hold, entries);
    const added = sumNano(entries.map((entry) => entry.costNanoUsd));
    if (hold.conversationId === null || added === 0) return;
    await addConversationCost(tx, { id: hold.conversationId, tenantId: hold.tenantId, added });
  },
});
