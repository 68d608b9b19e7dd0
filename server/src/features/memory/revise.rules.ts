import { kindOfValue, type Revision, slotOf, type ValueKind, valuesOf } from 'pentarch-memory-patterns';
import { bounded, foldName } from 'pentarch-prose';
import { MAX_TEXT } from './rules.ts';
import { stem, stemsOf, termsOf } from './words.rules.ts';

/** Which statements a later sentence ends, and how they read with the new value. Pure. */

export interface Held {
  entityName: string;
  /** It is said of the speaker. */
  isSelf: boolean;
  text: string;
  attribute: string | null;
}

/** The statement as it holds from now on: null = what was said stands for itself. `subject` is the new name of whom it is said of. */
export interface Revised {
  text: string | null;
  subject: string | null;
}

/** From which likeness of meaning two sentences speak of the same. */
const ALIKE = 0.5;
const MAX_VALUE_WORDS = 5;
const ROLE = bounded(
  MAX_TEXT,
  /\b(?:leads?|manages?|runs?|heads?|owns?|owner|manager|lead|responsible|in charge|coordinates?|supervises?|handles?|contact|maintains?|looks after|leitet|verantwort\p{L}*|dirige|gère|lidera|gestiona)\b/iu,
);
/** A word or a number, without the comma or full stop after it. */
const WORD = bounded(MAX_TEXT, /[\p{L}\p{N}€$£][\p{L}\p{N}'.,%€$£-]*(?<![.,])/gu);
const COPULA = bounded(
  MAX_TEXT,
  /^(.*?\s(?:is|are|was|were|ist|sind|war|est|sont|es|son)(?: on| in| at| am| le| el)?) (\S.*)$/iu,
);

const named = (held: Held): string => (held.isSelf ? '' : held.entityName);
const documentOf = (held: Held): Set<string> =>
  new Set(stemsOf(`${named(held)} ${held.text} ${held.attribute ?? ''}`));

const has = (document: ReadonlySet<string>, terms: readonly string[]): number =>
  terms.filter((term) => document.has(term) || [...document].some((word) => sameBeginning(word, term)))
    .length;

/** `allergic` and `allergy`, `scheduled` and `schedule`. */
const sameBeginning = (a: string, b: string): boolean => {
  const shared = Math.min(a.length, b.length) - 1;
  return shared >= 5 && Math.abs(a.length - b.length) <= 3 && a.slice(0, shared) === b.slice(0, shared);
};

/** The words from the first to the last that the terms name, as `after`. */
const withSpan = (text: string, terms: readonly string[], after: string): string | null => {
  const words = [...text.matchAll(WORD)].filter(
    ({ 0: word }) => termsOf(word).some((one) => terms.includes(one)) || terms.includes(stem(foldName(word))),
  );
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return null;
  return text.slice(0, first.index) + after + text.slice(last.index + last[0].length);
};

/** Letters to change between two names; no more than three are counted. */
export const editsBetween = (a: string, b: string): number => {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
    row = next;
  }
  return Math.min(3, row[b.length] ?? 3);
};

const respelled = (found: Revision, held: Held): Revised | null => {
  const wanted = foldName(found.after);
  const isNear = (word: string): boolean => {
    const one = foldName(word);
    return one !== wanted && one[0] === wanted[0] && editsBetween(one, wanted) <= 2;
  };
  const names = [...held.text.matchAll(/\p{Lu}[\p{L}-]+/gu)].filter(({ 0: word }) => isNear(word));
  const subject =
    !held.isSelf && held.entityName.split(' ').some(isNear)
      ? held.entityName
          .split(' ')
          .map((word) => (isNear(word) ? found.after : word))
          .join(' ')
      : null;
  if (names.length === 0 && subject === null) return null;
  const text = names.reduce((line, { 0: word }) => line.replace(word, found.after), held.text);
  return { text, subject };
};

/** The value of the kind that stands in the statement, unless it is the topic itself. */
const valueIn = (held: Held, kind: ValueKind, topic: readonly string[]) =>
  valuesOf(held.text).filter(
    (span) => span.kind === kind && !termsOf(span.text).every((term) => topic.includes(term)),
  );

const modifiersOf = (before: readonly string[], after: readonly string[]): readonly string[] =>
  before.length > 1 && after.length === 1 ? before.slice(0, -1) : before;

const replacedOld = (found: Revision, before: string, held: Held, likeness: number): Revised | null => {
  const terms = termsOf(before);
  const document = documentOf(held);
  const topic = termsOf(found.topic).filter((term) => !terms.includes(term));
  if (terms.length === 0 || has(document, terms) < terms.length) return null;
  if (topic.length > 0 && has(document, topic) * 2 < topic.length && likeness < ALIKE) return null;
  // `it is shellfish` of what has shellfish already: this is the sentence itself.
  if (has(document, termsOf(found.after)) === termsOf(found.after).length) return null;
  if (!held.isSelf && termsOf(held.entityName).every((term) => terms.includes(term)))
    return found.form === 'takeover' ? { text: held.text, subject: found.after } : null;
  // A sentence of its own: it stands beside what ended.
  if (found.after.split(' ').length > MAX_VALUE_WORDS) return { text: null, subject: null };
  const kind = kindOfValue(found.after);
  // Like by like: of `work at Acme` the name, of `a peanut allergy` what is before its head.
  const alike = kind === null ? undefined : valuesOf(before).findLast((one) => one.kind === kind);
  if (kind !== null && alike === undefined && valuesOf(before).length > 0)
    return { text: null, subject: null };
  const old = alike === undefined ? modifiersOf(terms, termsOf(found.after)) : termsOf(alike.text);
  const own = old.filter((term) => stemsOf(held.text).includes(term));
  return { text: withSpan(held.text, own, found.after), subject: null };
};

/** The words of both but for their values, so that `the party is on 7 July` meets `the party is on 14 July`. */
const frameOf = (text: string): string => {
  let rest = text;
  for (const span of valuesOf(text).toReversed())
    if (span.kind !== 'name') rest = `${rest.slice(0, span.start)} ${rest.slice(span.end)}`;
  return termsOf(rest.replace(/^(?:said|noted): /, ''))
    .toSorted()
    .join(' ');
};

const PAST = bounded(
  MAX_TEXT,
  /(?<![\p{L}\p{N}])(?:was|were|had|did|went|war|waren|hatten?|était|étaient|avait|era|eran|fue|fueron|tuvo)(?![\p{L}\p{N}])/iu,
);

const statedAgain = (found: Revision, held: Held): Revised | null => {
  if (found.form === 'stated' && PAST.test(held.text)) return null;
  const values = valuesOf(found.after).filter(({ kind }) => kind !== 'name');
  const other = valuesOf(held.text).filter(({ kind }) => kind !== 'name');
  const differs = values.some(
    (value) =>
      other.some((one) => one.kind === value.kind) &&
      !other.some((one) => foldName(one.text) === foldName(value.text)),
  );
  const frame = frameOf(`${found.topic} is ${found.after}`);
  return differs && frame !== '' && frame === frameOf(`${named(held)} ${held.text}`)
    ? { text: null, subject: null }
    : null;
};

const changed = (found: Revision, held: Held, likeness: number): Revised | null => {
  const topic = termsOf(found.topic);
  const document = documentOf(held);
  const met = has(document, topic);
  if (topic.length === 0 || met === 0) return null;
  if (met < topic.length && !(met * 2 >= topic.length && likeness >= ALIKE)) return null;
  if (has(document, termsOf(found.after)) === termsOf(found.after).length) return null;
  const kind = kindOfValue(found.after);
  if (found.form === 'takeover') {
    if (
      !held.isSelf &&
      ROLE.test(held.text) &&
      !termsOf(held.entityName).some((term) => topic.includes(term))
    )
      return { text: held.text, subject: found.after };
    if (!ROLE.test(held.text) && likeness < ALIKE) return null;
  }
  if (kind !== null) {
    const [span, ...more] = valueIn(held, kind, topic);
    if (span === undefined) return null;
    if (more.length > 0) return { text: null, subject: null };
    return {
      text: held.text.slice(0, span.start) + found.after + held.text.slice(span.end),
      subject: null,
    };
  }
  const said = COPULA.exec(held.text);
  const isTopic =
    held.attribute === slotOf(found.topic) ||
    (said !== null && has(new Set(stemsOf(said[1] ?? '')), topic) === topic.length);
  return said !== null && isTopic ? { text: `${said[1]} ${found.after}`, subject: null } : null;
};

/** What becomes of a statement by the sentence: null = it stands. `likeness` of meaning to the sentence, −1–1. */
export const revisedBy = (found: Revision, held: Held, likeness: number): Revised | null => {
  if (found.form === 'spelling') return respelled(found, held);
  if (found.before !== null) {
    const replaced = replacedOld(found, found.before, held, likeness);
    if (replaced !== null || found.form === 'contrast') return replaced;
  }
  if (found.form === 'last') {
    const kind = kindOfValue(found.after);
    const span = kind === null ? undefined : valueIn(held, kind, []).at(-1);
    if (span === undefined || foldName(span.text) === foldName(found.after)) return null;
    return {
      text: held.text.slice(0, span.start) + found.after + held.text.slice(span.end),
      subject: null,
    };
  }
  if (found.form === 'stated') return statedAgain(found, held);
  return changed(found, held, likeness);
};

const namesIn = (text: string): Set<string> =>
  new Set(
    valuesOf(text.replace(/^(?:said|noted): /, ''))
      .filter(({ kind }) => kind === 'name')
      .flatMap((span) => termsOf(span.text)),
  );

/** Whether two statements that the same words fit speak of two different things: `the deadline` of one project and of another. */
export const areApart = (said: readonly string[], a: Held, b: Held): boolean => {
  const namesOf = (held: Held): Set<string> =>
    new Set([...termsOf(named(held)), ...namesIn(held.text)].filter((term) => !said.includes(term)));
  const [first, second] = [namesOf(a), namesOf(b)];
  if (a.isSelf && b.isSelf && a.attribute !== null && b.attribute !== null && a.attribute !== b.attribute)
    return true;
  if (first.size === 0 && second.size === 0) return !a.isSelf && !b.isSelf && named(a) !== named(b);
  return ![...first].some((term) => second.has(term));
};

/**
 * Those of the statements that the sentence fits that it can mean: the ones that share most of its words; none where
 * these are of different things.
 */
export const meantOf = <T extends { held: Held }>(found: Revision, fits: readonly T[]): T[] => {
  const terms = termsOf(`${found.topic} ${found.before ?? ''}`);
  const said = [...terms, ...termsOf(found.after)];
  const apart = (one: T, other: T): boolean =>
    // With the old value named, slots may differ that have it.
    areApart(said, { ...one.held, ...(found.before === null ? {} : { attribute: null }) }, other.held);
  const scored = fits.map((fit) => ({ fit, score: has(documentOf(fit.held), terms) }));
  const top = Math.max(0, ...scored.map(({ score }) => score));
  const [best, ...others] = scored.filter(({ score }) => score === top).map(({ fit }) => fit);
  if (best === undefined || others.some((one) => apart(best, one))) return [];
  return fits.filter((one) => !apart(best, one));
};
