/** From here on a stored time is that of a question whose turn has not come (features/conversations/queued.rules.ts). */
export const UNPLACED_FROM = '500000000000000';

/**
 * The statement that makes a chain of the messages of each conversation, as every one of a release before the tree was. `which`:
 * a condition on messages, the same for all of a conversation.
 */
export const chainMessages = (which: string): string =>
  `update messages set parent_id = chain.before, active = 1 from (
     select id, lag(id) over (partition by conversation_id order by created_at, id) as before
     from messages where created_at < ${UNPLACED_FROM} and ${which}
   ) as chain where chain.id = messages.id`;
