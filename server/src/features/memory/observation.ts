import { claimOfObservation } from 'pentarch-memory-patterns';
import type { NewObservation } from './records.ts';

/** A text as it is stored, with the slot that its words name. */
export const observationOf = (text: string, entityName: string): NewObservation => {
  const trimmed = text.trim();
  const claim = trimmed.length > 400 ? null : claimOfObservation(trimmed, entityName);
  return { text: trimmed, attribute: claim?.attribute ?? null, category: claim?.category ?? 'fact' };
};
