import { singleLine } from 'pentarch-prose';
import { own } from '../../kernel/own.ts';

/** Decisions of the memory: pure, with time as an argument. */

/** Owner of what the whole tenant shares. */
export const SHARED = '*';

export const MAX_NAME = 200;
export const MAX_TYPE = 100;
export const MAX_TEXT = 2_000;
export const MAX_OBSERVATIONS_PER_ENTITY = 1_000;
/** Entities of a graph when its reader names no limit, and at most. */
export const GRAPH_ENTITIES = 200;
export const MAX_GRAPH_ENTITIES = 5_000;
/** Relations of a graph for each entity of its limit: a graph that is denser cannot be looked at. */
export const GRAPH_RELATIONS_PER_ENTITY = 5;

/** As a JSON Schema pattern: holds something that a reader sees, not only blanks, control and zero-width characters. */
export const VISIBLE =
  '[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0]';
const VISIBLE_ONE = new RegExp(VISIBLE);
export const isVisible = (text: string): boolean => VISIBLE_ONE.test(text);

export const DEFAULT_IMPORTANCE = 0.5;
const DAY_MS = 86_400_000;
/** Days after which a fact that was never used has e⁻¹ of its importance left. */
const FIRST_STRENGTH_DAYS = 60;

/**
 * Importance as it stands now: Ebbinghaus' forgetting curve R = e^(−t/S), with t the time since the last use and the
 * strength S growing by its first value with each use, as in MemoryBank (Zhong et al., AAAI 2024, arXiv:2305.10250,
 * section 2.3). Result 0–1, four decimals.
 */
export const decayedImportance = (
  memory: { importance: number; usedCount: number; usedAtMs: number },
  nowMs: number,
): number => {
  const ageDays = Math.max(0, nowMs - memory.usedAtMs) / DAY_MS;
  const retention = Math.exp(-ageDays / (FIRST_STRENGTH_DAYS * (1 + memory.usedCount)));
  return Math.round(memory.importance * retention * 10_000) / 10_000;
};

/** Does a fact with this validity hold at `atMs`? The end itself is outside. */
export const holdsAt = (validity: { validFrom: number; validTo: number | null }, atMs: number): boolean =>
  validity.validFrom <= atMs && (validity.validTo === null || validity.validTo > atMs);

/** Relations that have one target at a time when a person's own words set them. */
const RELATION_OF_ATTRIBUTE: Readonly<Record<string, string>> = {
  employer: 'works_at',
  residence: 'lives_in',
};

/** The relation type that goes with a slot: `employer` → `works_at`, `manager` → `manager`. */
export const relationOfAttribute = (attribute: string): string =>
  own(RELATION_OF_ATTRIBUTE, attribute) ?? attribute.replaceAll(/[\s:]+/g, '_');

/** One line, no control characters, at most MAX_TEXT code points: what may stand in a prompt later. */
export const cleanText = (text: string): string => [...singleLine(text)].slice(0, MAX_TEXT).join('');
