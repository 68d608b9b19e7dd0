import type { Caller } from '../../kernel/caller.ts';
import type { FactSource } from './records.ts';

/** Of what is written through the API: it counts as the word of whoever calls. */
export const apiSource = (caller: Caller): FactSource => ({
  kind: 'api',
  messageId: null,
  conversationId: null,
  userId: caller.userId,
});

export const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);
