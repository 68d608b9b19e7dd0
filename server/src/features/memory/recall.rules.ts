import { slotOf } from 'pentarch-memory-patterns';
import { bounded } from 'pentarch-prose';
import { beginningsOf, stemsOf, termsOf } from './words.rules.ts';

/** What a question asks for: words, slots, and whether it is about the asker. Pure. */
export interface RecallQuery {
  terms: string[];
  /** What a text must contain one of to be looked at. */
  beginnings: string[];
  /** Slots that answer it. */
  attributes: string[];
  /** Beginnings of slots (`allergy `, `opinion `). */
  prefixes: string[];
  /** Asks for what the user likes or wants. */
  preferences: boolean;
  /** Asks for all that is known of the user. */
  aboutMe: boolean;
  firstPerson: boolean;
}

/** What of a question is read. */
export const MAX_QUERY = 4_096;

const INTENTS: readonly { of: RegExp; attributes?: string[]; prefixes?: string[]; preferences?: true }[] = [
  {
    of: bounded(
      MAX_QUERY,
      /\bwhere\b.*\bwork|\bwho\b.*\bwork(?:s|ing)? for|\bemploy(?:er|ed)|\b(?:company|workplace)\b|\bwo arbeite|\barbeitgeber/i,
    ),
    attributes: ['employer'],
  },
  {
    of: bounded(
      MAX_QUERY,
      /\bwhere\b.*\b(?:live|based|reside|home)|\b(?:which|what) (?:city|town|country)\b|\bmy (?:city|town|home|address)\b|\b(?:weather|near me|around here|local)\b|\bwo (?:wohn|leb)/i,
    ),
    attributes: ['residence', 'city', 'address'],
  },
  {
    of: /\b(?:my|whose|their|his|her) name\b|\bwho (?:am i|i am|i'm)\b|\bcall me\b|\bwie hei(?:ß|ss)e? ich|\bmein name/i,
    attributes: ['name', 'nickname'],
  },
  { of: /\bbirthday|\bborn\b|\bgeburtstag|\bgeboren/i, attributes: ['birthday', 'birthplace'] },
  { of: /\bhow old\b|\bmy age\b|\bwie alt/i, attributes: ['age', 'birthday'] },
  {
    of: bounded(MAX_QUERY, /\bwhere\b.*\bfrom\b|\bnationality\b|\bwoher\b/i),
    attributes: ['origin', 'nationality', 'birthplace'],
  },
  {
    of: bounded(
      MAX_QUERY,
      /\b(?:job|profession|occupation|for a living|role|position|do for work)\b|\bwhat do i do\b|\bwhat does .+ do\b|\bberuf\b|\bals was arbeite/i,
    ),
    attributes: ['role', 'employer'],
  },
  { of: /\b(?:boss|manager|supervisor|report to|chef|vorgesetzt)/i, attributes: ['manager', 'manager name'] },
  { of: /\ballerg|\bintoleran/i, prefixes: ['allergy ', 'condition '] },
  {
    of: /\b(?:vegan|vegetarian|diet|eat|food|restaurant|cook|recipe|meal|dinner|lunch|breakfast|snack|menu|milk|cheese|pizza|meat|dish|drink|bake|grocer|essen|kochen|rezept)/i,
    attributes: ['diet'],
    prefixes: ['allergy ', 'condition ', 'habit eat', 'favourite food', 'opinion '],
  },
  { of: /\b(?:married|spouse|wife|husband|frau|mann)\b/i, attributes: ['spouse', 'spouse name'] },
  { of: /\b(?:study|studying|major|university|degree)\b/i, attributes: ['study'] },
  { of: /\bdeadline|\bdue\b/i, attributes: ['deadline', 'date is'] },
  { of: bounded(MAX_QUERY, /\bwhen\b.*\b(?:start|begin|launch|end|ship)/i), prefixes: ['date '] },
  {
    of: bounded(
      MAX_QUERY,
      /\b(?:what|which|do|does)\b.*\b(?:like|love|enjoy|prefer|hate|dislike|stand)\b|\bpreferences?\b|\bwas mag ich\b|\bmag ich\b/i,
    ),
    preferences: true,
    prefixes: ['opinion ', 'prefers ', 'favourite '],
  },
  { of: /\bfavou?rites?\b|\blieblings/i, prefixes: ['favourite '] },
];

const ABOUT_ME = bounded(
  MAX_QUERY,
  /\b(?:know|remember|told you|stored?|have)\b.*\babout (?:me|myself)\b|\bdescribe me\b|\bwho (?:am i|i am)\b|\bweißt du (?:alles )?(?:über|von) mich?\b/i,
);

const SUBJECT = /\b(?:my|our|mein\w*|unser\w*)\s+([\p{L}'-]+(?:\s+[\p{L}'-]+){0,3})/giu;

export const readQuery = (whole: string): RecallQuery => {
  const query = whole.slice(0, MAX_QUERY);
  const attributes = new Set<string>();
  const prefixes = new Set<string>();
  let preferences = false;
  for (const intent of INTENTS) {
    if (!intent.of.test(query)) continue;
    for (const attribute of intent.attributes ?? []) attributes.add(attribute);
    for (const prefix of intent.prefixes ?? []) prefixes.add(prefix);
    preferences ||= intent.preferences === true;
  }
  // `my dog's name`: every beginning of the phrase may be the slot.
  for (const [, phrase] of query.matchAll(SUBJECT)) {
    const words = (phrase ?? '').trim().split(/\s+/);
    for (let n = 1; n <= words.length; n++) {
      const slot = slotOf(words.slice(0, n).join(' '));
      attributes.add(slot);
      attributes.add(`${slot} name`);
      if (slot.endsWith(' name')) attributes.add(slot.slice(0, -5));
      // `what does my wife do`: what is kept of her stands in slots of hers.
      if (n === 1 && slot !== 'favourite') prefixes.add(`${slot} `);
    }
  }
  return {
    terms: termsOf(query),
    beginnings: [...new Set([...beginningsOf(query), ...termsOf(query)])],
    attributes: [...attributes].filter((a) => a !== ''),
    prefixes: [...prefixes],
    preferences,
    aboutMe: ABOUT_ME.test(query),
    firstPerson: /\b(?:i|i'm|i've|me|my|mine|myself|our|we|us|ich|mich|mir|mein\w*|unser\w*)\b/i.test(query),
  };
};

export interface RecallCandidate {
  entityName: string;
  /** It is said of the asker. */
  isSelf: boolean;
  text: string;
  attribute: string | null;
  category: string;
  /** Decayed, 0–1. */
  importance: number;
  /** Likeness of meaning, −1–1; null without an embedding. */
  cosine: number | null;
}

const clamp = (n: number): number => Math.min(1, Math.max(0, n));

/** MiniLM gives unrelated short sentences about 0.1–0.25 and paraphrases 0.5 and more. */
const meaning = (cosine: number | null): number => (cosine === null ? 0 : clamp((cosine - 0.3) / 0.4));

/**
 * How well a fact answers, 0–1; 0 = does not belong in a prompt. What is said (slot, words or meaning) counts most,
 * then of whom it is said, then how important it is.
 */
export const scoreOf = (query: RecallQuery, candidate: RecallCandidate): number => {
  const nameStems = new Set(termsOf(candidate.entityName));
  const nameHits = query.terms.filter((term) => nameStems.has(term)).length;
  const named = !candidate.isSelf && nameHits > 0 && nameHits >= Math.min(nameStems.size, 1);
  const textStems = new Set(stemsOf(`${candidate.text} ${candidate.attribute ?? ''}`));
  const others = query.terms.filter((term) => !nameStems.has(term) || candidate.isSelf);
  const hits = others.filter((term) => textStems.has(term)).length;
  const lexical = others.length === 0 ? 0 : hits / others.length;
  const slot = candidate.attribute ?? '';
  const exact = slot !== '' && query.attributes.includes(slot);
  const near = slot !== '' && query.prefixes.some((prefix) => slot.startsWith(prefix));
  const byKind = query.preferences && candidate.category === 'preference';
  const intent = exact ? 1 : near ? 0.8 : byKind ? 0.7 : 0;
  const subject = named ? 1 : candidate.isSelf && query.firstPerson ? 0.8 : 0;
  const said = Math.max(intent, lexical, meaning(candidate.cosine));
  const all = query.aboutMe && candidate.isSelf;
  // One word in common of many is chance, unless the one who is spoken of is named.
  if (said < 0.3 && !named && !all) return 0;
  const base = 0.5 * Math.max(said, all ? 0.8 : 0) + 0.15 * lexical + 0.3 * subject;
  return Math.round(clamp(base + 0.05 * candidate.importance) * 1000) / 1000;
};
