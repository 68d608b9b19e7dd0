import { compiled } from '../../db/compiled.ts';

/** Adds what a call outside of any run (a vote, an approved tool call) has cost to the conversation that it was made for. */
export const addConversationCost = compiled<{ id: string; tenantId: string; added: number }, never>((db, p) =>
  db
    .updateTable('conversations')
    .set((e) => ({ cost_nano: e('cost_nano', '+', p('added')) }))
    .where('id', '=', p('id'))
    .where('tenant_id', '=', p('tenantId')),
);
