import type { Message } from 'pentarch-sdk';

/** Messages are a tree; what is shown is one branch of it (docs/conversations.md, "Versions"). */

/** What follows the same message stands at the same place of the page, whichever version of it is shown. */
export const placeOf = (message: Pick<Message, 'id' | 'parent_id'>, at: number): string =>
  message.parent_id === null ? (at === 0 ? 'first' : message.id) : `after-${message.parent_id}`;

/**
 * The branch that a version is being written in: nothing behind the message that it follows. As soon as something of its run is
 * stored in the branch, all of that is shown.
 */
export const branchOf = (
  messages: readonly Message[],
  run: { readonly runId: string; readonly after?: string | null | undefined },
): readonly Message[] => {
  const { runId, after } = run;
  if (after === undefined) return messages;
  if (runId !== '' && messages.some((one) => one.run_id === runId)) return messages;
  return after === null ? [] : messages.slice(0, messages.findIndex((one) => one.id === after) + 1);
};

/** The version at a place beside a message, of those of all branches. */
export const isVersionAt = (
  one: Pick<Message, 'parent_id' | 'siblings'>,
  message: Pick<Message, 'parent_id' | 'siblings'>,
  index: number,
): boolean =>
  one.parent_id === message.parent_id &&
  one.siblings.count === message.siblings.count &&
  one.siblings.index === index;
