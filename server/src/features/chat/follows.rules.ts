import { invalid } from '../../kernel/errors.ts';
import type { ChatRequest } from './schema.ts';

/** Where a message joins its conversation's tree (features/conversations/tree.rules.ts). */

/**
 * The message that one follows by name, null for a first one; undefined: the leaf of the active branch at its turn. Throws
 * VALIDATION_ERROR where a message is named and its conversation is not.
 */
export const namedParent = (request: ChatRequest): string | null | undefined => {
  const { parent_message_id: parent, conversation_id: conversation } = request;
  if (typeof parent === 'string' && conversation === undefined)
    throw invalid({ field: '/parent_message_id', reason: 'needs the conversation_id' });
  return conversation === undefined ? undefined : parent;
};
