export { claimOfObservation } from './clauses.ts';
export { createExtract, type Extract, topicToForget } from './extract.ts';
export {
  type EntityMention,
  type Extracted,
  type ExtractedFact,
  factLines,
  slotOf,
  spelling,
} from './facts.ts';
export { isNote } from './notes.ts';
export {
  PREFERENCE_NAMES,
  PREFERENCES,
  type PreferenceName,
  preferenceFact,
  preferenceIn,
  TOLD_PREFERENCES,
} from './preferences.ts';
export type { Revision } from './revisions.ts';
export { isQuestion, MAX_MESSAGE_CHARACTERS, sentencesOf } from './sentences.ts';
export { kindOfValue, type ValueKind, valuesOf } from './values.ts';
