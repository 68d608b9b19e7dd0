import type { Extracted } from './facts.ts';
import { trimValue } from './sentences.ts';
import { kindOfValue, valuesOf, wordsOf } from './values.ts';

/**
 * Sentences that revise what was said: `the party moved to 14 July`, `Maria took over the project from Jan`, `no peanuts, it
 * is shellfish`. They are read word by word, in English, German, French and Spanish: what is revised, the old value where
 * it is named, and the new one. Whether something was said that they revise, only the memory knows.
 */

export type Revision = Extract<Extracted, { kind: 'revise' }>;

type Words = ReturnType<typeof wordsOf>;
const lower = (word: { bare: string } | undefined): string => word?.bare.toLowerCase() ?? '';
const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** What happens to a value. */
const CHANGES = set(
  `moved moves changed changes postponed cut raised reduced increased lowered renamed rescheduled shifted pushed delayed
extended switched updated bumped revised relocated dropped rose grew shrank fell swapped upgraded downgraded slipped trimmed
halved doubled brought put verschoben verlegt geändert gekürzt erhöht gesenkt umbenannt vorverlegt verlängert reduziert
gewechselt umgezogen verändert déplacé déplacée reporté reportée réduit réduite augmenté augmentée changé changée renommé
renommée avancé avancée baissé baissée repoussé repoussée aplazado aplazada pospuesto pospuesta reducido reducida aumentado
aumentada cambiado cambiada cambió movido movida movió trasladado trasladada trasladó retrasado retrasada adelantado
adelantada redujo aumentó subió bajó pospuso aplazó renombrado cambiamos`,
);
const SWAPS = set('swapped traded exchanged replaced getauscht ersetzt échangé cambié');
const FOR = set('for with gegen durch contre por');
const TO = set('to until till auf nach à au aux a al para zu zum');
const FROM = set('from von vom de du des desde del');
/** `7 de julio`: a word of the date. */
const isFrom = (words: Words, i: number): boolean =>
  FROM.has(lower(words[i])) && !(/^de$/.test(lower(words[i])) && /\d/.test(lower(words[i - 1])));
const OVER = set('over on along');
const AUXILIARY = set(
  `has have had was were is are been being be got get gets had to now just finally again since then already also will hat
haben wurde wurden ist sind worden nun jetzt inzwischen a été est sont se ha han sido fue fueron va vont on wir ich i we
they he she it man je nous yo nosotros`,
);
const ARTICLES = set(
  `the a an my our your his her their this that der die das den dem des ein eine einen einem einer mein meine meinen meinem
meiner unser unsere unseren unserem unserer le la les l' un une mon ma mes notre nos el los las una mi mis nuestro nuestra
nuestros nuestras`,
);
const NEGATIONS = set('not no nicht kein keine keinen keiner pas nunca');
const CONNECTIVES = set("but it's sondern mais sino it's c'est");
const COPULAS = set(
  `is are was were am i'm it's ist sind war bin est sont était es son era soy suis heißt costs starts ends begins closes
opens leaves expires have has haben hat avons tenemos`,
);

/** Copulas of what is over. */
const PAST = set('was were had did went war waren hatte hatten était étaient avait era eran fue fueron tuvo');

const join = (words: Words): string => words.map(({ bare }) => bare).join(' ');

/** What is spoken of, without articles and auxiliaries at its ends. */
const topicOf = (words: Words): string => {
  let [from, to] = [0, words.length];
  while (from < to && (AUXILIARY.has(lower(words[from])) || ARTICLES.has(lower(words[from])))) from += 1;
  while (to > from && AUXILIARY.has(lower(words[to - 1]))) to -= 1;
  return join(words.slice(from, to));
};

/** Without what leads to it: `with Initech`, `bei der Siemens`. */
const valueFrom = (sentence: string, start: number, end: number): string =>
  trimValue(sentence.slice(start, end))
    .replace(/^(?:now|jetzt|maintenant|ahora) /i, '')
    .replace(/^(?:with|at|for|in|on|bei|für|mit|am|im|chez|avec|en|con) /i, '')
    .replace(/^(?:the|an?|den|dem|der|le|la|el|les|los) (?=\S)/iu, '');

const MAX_TOPIC_WORDS = 8;
const MAX_VALUE_CHARACTERS = 120;

const revision = (topic: string, before: string | null, after: string): Revision | null => {
  if (after === '' || after.length > MAX_VALUE_CHARACTERS || topic.split(' ').length > MAX_TOPIC_WORDS)
    return null;
  if (before?.toLowerCase() === after.toLowerCase()) return null;
  return { kind: 'revise', topic, before, after, form: 'change', otherwise: [] };
};

/** `the launch slipped by two weeks, it is now 15 October`. */
const lateValue = (sentence: string, words: Words, verb: number): Revision | null => {
  const it = words.findIndex(
    (word, i) =>
      i > verb &&
      /[,;–—-]$/.test(words[i - 1]?.text ?? '') &&
      (/^(?:it's|c'est)$/.test(lower(word)) ||
        (/^(?:it|es|er|sie|elle|il|ahora|jetzt)$/.test(lower(word)) && COPULAS.has(lower(words[i + 1])))),
  );
  if (it < 0) return null;
  const start = /^(?:it's|c'est)$/.test(lower(words[it])) ? it + 1 : it + 2;
  const after = valueFrom(sentence, words[start]?.start ?? sentence.length, sentence.length);
  const topic = topicOf(words.slice(0, verb));
  return topic === '' || kindOfValue(after) === null ? null : revision(topic, null, after);
};

/** `the budget was cut (from 50,000) to 40,000`, `they moved the party to 14 July`, `das Fest wurde auf den 14. verschoben`. */
const changeOf = (sentence: string, words: Words): Revision | null => {
  const verb = words.findIndex(
    (word, i) =>
      CHANGES.has(lower(word)) || (lower(word) === 'went' && /^(?:up|down|from)$/.test(lower(words[i + 1]))),
  );
  if (verb < 0) return null;
  const late = lateValue(sentence, words, verb);
  if (late !== null) return late;
  const atEnd = !words.slice(verb + 1).some((word) => TO.has(lower(word)));
  // German puts the participle last: the new value then stands before it.
  const [first, end] = atEnd ? [0, verb] : [verb + 1, words.length];
  const to = words.findIndex((word, i) => i >= first && i < end && TO.has(lower(word)) && i > 0);
  if (to < 0 || to + 1 >= end) return null;
  const from = words.findIndex(
    (_, i) => i >= (atEnd ? 1 : first) && i < end && i !== to && isFrom(words, i) && i > (atEnd ? 0 : verb),
  );
  const afterEnd =
    from > to ? (words[from]?.start ?? 0) : atEnd ? (words[verb]?.start ?? 0) : sentence.length;
  const after = valueFrom(sentence, words[to + 1]?.start ?? 0, afterEnd);
  const beforeEnd = from > to ? end : to;
  const before =
    from < 0 ? null : valueFrom(sentence, words[from + 1]?.start ?? 0, words[beforeEnd - 1]?.end ?? 0);
  const cut = from < 0 ? to : Math.min(from, to);
  const object = atEnd
    ? ''
    : topicOf(
        words.slice(verb + 1, cut).filter((word) => !/^(?:forward|back|up|down|out)$/i.test(word.bare)),
      );
  const subject = topicOf(words.slice(0, atEnd ? cut : verb));
  const topic = object === '' ? subject : object;
  if (topic === '' && before === null) return null;
  return revision(topic, before, after);
};

/** `we swapped the Golf for a Tesla`, `we replaced Slack with Teams`. */
const swapOf = (sentence: string, words: Words): Revision | null => {
  const verb = words.findIndex((word) => SWAPS.has(lower(word)));
  const link = words.findIndex((word, i) => i > verb + 1 && FOR.has(lower(word)));
  if (verb < 1 || link < 0) return null;
  const before = topicOf(words.slice(verb + 1, link));
  const after = valueFrom(sentence, words[link + 1]?.start ?? sentence.length, sentence.length);
  return before === '' ? null : revision('', before, after);
};

const HANDS = set('handed passed transferred hands passes');
const REPLACES = set(
  'replaces replaced replacing succeeds succeeded ersetzt ersetzte remplace remplacé remplacera reemplaza sustituye',
);
const AS = set('as als comme como');

/** `A took over the project (from B)`, `B handed the project to A`, `A replaces B (as lead)`. */
const takeoverOf = (sentence: string, words: Words): Revision | null => {
  const taken = words.findIndex(
    (word, i) =>
      (/^(?:took|taken|takes|taking)$/.test(lower(word)) && lower(words[i + 1]) === 'over') ||
      /^(?:übernimmt|übernahm|übernommen|reprend|repris|asume|asumió|inherits|inherited)$/.test(lower(word)),
  );
  if (taken >= 0) {
    const from = words.findIndex((word, i) => i > 0 && (FROM.has(lower(word)) || lower(word) === 'for'));
    const start = /^(?:took|taken|takes|taking)$/.test(lower(words[taken])) ? taken + 2 : taken + 1;
    const german = /übernommen|repris/.test(lower(words[taken]));
    const helper = german ? words.findIndex((word) => /^(?:hat|haben|a|ha)$/.test(lower(word))) : -1;
    const who = topicOf(words.slice(0, helper > 0 ? helper : taken));
    const last = from < 0 ? words.length : from;
    const what = topicOf(
      helper > 0 && lower(words[taken]) === 'übernommen'
        ? words.slice(helper + 1, from < 0 ? taken : from)
        : words.slice(start, last),
    );
    const beforeEnd = from < taken ? taken : words.length;
    const before = from < 0 ? null : (topicOf(words.slice(from + 1, beforeEnd)).split(/[,;]/)[0] ?? null);
    return what === '' ? null : { ...(revision(what, before, who) ?? NONE), form: 'takeover' };
  }
  const hands = words.findIndex((word) => HANDS.has(lower(word)));
  const to = words.findIndex((word, i) => i > hands && TO.has(lower(word)));
  if (hands > 0 && to > hands + 1) {
    const what = topicOf(words.slice(hands + 1, to).filter((word) => !OVER.has(lower(word))));
    const after = valueFrom(sentence, words[to + 1]?.start ?? sentence.length, sentence.length);
    const made = revision(what, topicOf(words.slice(0, hands)), after);
    return made === null
      ? null
      : { ...made, before: valuesOf(made.before ?? '').length > 0 ? made.before : null, form: 'takeover' };
  }
  const replaces = words.findIndex((word) => REPLACES.has(lower(word)));
  if (replaces <= 0 || lower(words[replaces + 1]) === 'by') return null;
  const as = words.findIndex((word, i) => i > replaces && AS.has(lower(word)));
  const before = topicOf(words.slice(replaces + 1, as < 0 ? words.length : as));
  const made = revision(
    as < 0 ? '' : topicOf(words.slice(as + 1)),
    before,
    topicOf(words.slice(0, replaces)),
  );
  return made === null || before === '' ? null : { ...made, form: 'takeover' };
};

const NONE: Revision = { kind: 'revise', topic: '', before: null, after: '', form: 'change', otherwise: [] };

/** `not blue but green`, `no peanut allergy, it is shellfish`, `green, not blue`, `Teams instead of Slack`. */
const contrastOf = (sentence: string, words: Words): Revision | null => {
  const negation = words.findIndex(
    (word, i) => NEGATIONS.has(lower(word)) || (/n't$/.test(lower(word)) && i > 0),
  );
  if (negation >= 0) {
    const connective = words.findIndex(
      (word, i) =>
        i > negation + 1 &&
        (CONNECTIVES.has(lower(word)) ||
          /[,;–—-]$/.test(words[i - 1]?.text ?? '') ||
          lower(words[i - 1]) === '—'),
    );
    if (connective > 0) {
      let start = connective;
      while (
        start < words.length &&
        (CONNECTIVES.has(lower(words[start])) ||
          COPULAS.has(lower(words[start])) ||
          AUXILIARY.has(lower(words[start])))
      )
        start += 1;
      const before = topicOf(words.slice(negation + 1, connective)).replace(
        /^(?:longer|more|mehr|plus|más) /i,
        '',
      );
      const after = valueFrom(sentence, words[start]?.start ?? sentence.length, sentence.length);
      const copula = words.findIndex((word, i) => i < negation && COPULAS.has(lower(word)));
      const topic = copula < 0 ? '' : topicOf(words.slice(0, copula));
      const made = before === '' ? null : revision(topic, before, after);
      if (made !== null) return { ...made, form: 'contrast' };
    }
    const isLate = negation > 0 && /[,;–—-]$/.test(words[negation - 1]?.text ?? '');
    if (!isLate) return null;
    return latter(sentence, words, negation, negation + 1);
  }
  const instead = words.findIndex(
    (word, i) =>
      i > 0 &&
      ((lower(word) === 'instead' && lower(words[i + 1]) === 'of') ||
        (lower(word) === 'rather' && lower(words[i + 1]) === 'than') ||
        lower(word) === 'statt'),
  );
  return instead < 0
    ? null
    : latter(sentence, words, instead, instead + (lower(words[instead]) === 'statt' ? 1 : 2));
};

/** The new value before `at`, the old one from `old` on. */
const latter = (sentence: string, words: Words, at: number, old: number): Revision | null => {
  const copula = words.findIndex((word, i) => i < at && COPULAS.has(lower(word)));
  const before = topicOf(words.slice(old)).replace(/ any ?more$/i, '');
  const after = valueFrom(sentence, words[copula < 0 ? 0 : copula + 1]?.start ?? 0, words[at]?.start ?? 0);
  const topic = copula <= 0 ? '' : topicOf(words.slice(0, copula));
  const kind = kindOfValue(before);
  const alike =
    copula >= 0 || kind === null ? undefined : valuesOf(after).findLast((one) => one.kind === kind);
  if (alike !== undefined) return { ...(revision('', before, alike.text) ?? NONE), form: 'contrast' };
  const isInstead = !NEGATIONS.has(lower(words[at]));
  const made =
    before === '' || (copula < 0 && at > 3 && !isInstead)
      ? null
      : revision(/^(?:it|that|this|es|das)$/i.test(topic) ? '' : topic, before, after);
  return made === null ? null : { ...made, form: 'contrast' };
};

/** `my daughter's name is spelled Maja`. */
const spelledOf = (words: Words): Revision | null => {
  const verb = words.findIndex((word) =>
    /^(?:spelled|spelt|written|geschrieben|schreibt|s'écrit|escribe)$/.test(lower(word)),
  );
  if (verb < 1) return null;
  const next = /^(?:with|mit|avec|con|as|like)$/.test(lower(words[verb + 1])) ? verb + 2 : verb + 1;
  const after = topicOf(words.slice(next, next + 1));
  if (!/^\p{Lu}/u.test(after) || after.length < 3) return null;
  const topic = topicOf(words.slice(0, verb))
    .replace(/(?: name|'s name|’s name)$/i, '')
    .replace(/['’]s$/, '');
  return { kind: 'revise', topic, before: null, after, form: 'spelling', otherwise: [] };
};

/** `the party is on 14 July`, after `actually` or beside an earlier one of the same words. */
const statedOf = (sentence: string, words: Words, corrected: boolean): Revision | null => {
  const copula = words.findIndex((word, i) => i > 0 && COPULAS.has(lower(word)));
  if (copula < 1 || copula > MAX_TOPIC_WORDS) return null;
  // What was on one day may have been on another day too.
  if (!corrected && PAST.has(lower(words[copula]))) return null;
  const after = valueFrom(sentence, words[copula + 1]?.start ?? sentence.length, sentence.length);
  const topic = topicOf(words.slice(0, copula));
  const counted = /^(?:have|has|haben|hat|avons|tenemos)$/.test(lower(words[copula]));
  if (/^(?:it|that|this|there|he|she|they|you|es|das|er|sie)$/i.test(topic) || (topic === '' && !counted))
    return null;
  const values = valuesOf(after);
  if (counted && !/^\S*\d/.test(after) && values[0]?.start !== 0) return null;
  if (!corrected && !values.some(({ kind }) => kind !== 'name')) return null;
  const made = revision(topic, null, after);
  return made === null ? null : { ...made, form: corrected ? 'stated again' : 'stated' };
};

/** `it's Tuesday`, `make it 40`, after `scratch that`: of what was said last. */
const bareOf = (sentence: string): Revision | null => {
  const value = trimValue(
    sentence.replace(
      /^(?:it's|it is|it was|that's|make (?:it|that)|i (?:meant|mean)|es ist|ich meinte|c'est|es el|es|je voulais dire|quería decir)\s/i,
      '',
    ),
  ).replace(/^(?:on|at|in|am|um|le|el) /i, '');
  return kindOfValue(value) === null || value.split(' ').length > 5
    ? null
    : { kind: 'revise', topic: '', before: null, after: value, form: 'last', otherwise: [] };
};

/** What a sentence revises, or null. `corrected`: it began with `actually`, `scratch that` or the like. */
export const revisionOf = (said: string, corrected: boolean): Revision | null => {
  const sentence = said.replace(/(?<![.!\s])[.!\s]+$/, '');
  const words = wordsOf(sentence);
  if (words.length < 1 || words.length > 40) return null;
  const found =
    spelledOf(words) ??
    swapOf(sentence, words) ??
    takeoverOf(sentence, words) ??
    changeOf(sentence, words) ??
    contrastOf(sentence, words) ??
    (corrected ? bareOf(sentence) : null) ??
    statedOf(sentence, words, corrected);
  return found === null || found.after === '' ? null : found;
};
