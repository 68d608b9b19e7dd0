import { bounded } from 'pentarch-prose';
import { hasDate } from './dates.ts';
import { type Claim, claim, slotOf } from './facts.ts';
import { MAX_CLAUSE, trimValue } from './sentences.ts';

/**
 * What people do for long, in the words in which they say it: after the exact patterns, by lists of verbs that tell of
 * something lasting, and by words of habit (`every Sunday`).
 */

const IRREGULAR: Readonly<Record<string, string>> = {
  have: 'has',
  go: 'goes',
  do: 'does',
  am: 'is',
  are: 'is',
  be: 'is',
};
const PAST =
  /^(?:grew|was|were|became|got|won|wrote|founded|started|retired|served|spent|lost|met|built|bought|adopted|finished|completed|passed|quit|had|moved|switched|changed|broke|been)$/;

/** `run a bakery` → `runs a bakery`; past forms and adverbs before the verb stay. */
export const thirdPerson = (predicate: string): string =>
  predicate.replace(
    /^((?:usually|always|often|never|also|mostly|generally|currently|typically|sometimes|regularly|normally) )?([\p{L}']+)/iu,
    (_all, adverb: string | undefined, verb: string) => {
      const word = verb.toLowerCase();
      if (PAST.test(word) || word === 'is' || word === 'has') return `${adverb ?? ''}${word}`;
      const known = IRREGULAR[word];
      const form =
        known ??
        (/s$/.test(word) && !/ss$/.test(word)
          ? word
          : /(?:[sxz]|ch|sh)$/.test(word)
            ? `${word}es`
            : /[^aeiou]y$/.test(word)
              ? `${word.slice(0, -1)}ies`
              : `${word}s`);
      return `${adverb ?? ''}${form}`;
    },
  );

const LASTING =
  /^(?:(?:usually|always|often|never|also|mostly|generally|currently|typically|sometimes|regularly|normally|still) )?(?:run|support|own|commute|volunteer|coach|sing|dance|paint|garden|breed|raise|manage|lead|maintain|host|organi[sz]e|mentor|train|practi[sc]e|follow|subscribe|belong|rent|share|smoke|wear|cook|bake|drink|eat|read|watch|listen|swim|cycle|jog|ski|surf|climb|sail|fish|hunt|knit|sew|code|program|write|grow|build|make|sell|design|specialise|specialize|major|travel|wake up|get up|go to bed|sleep|fly|vote|work best|work better|work mostly|work only|work alone|work full|work from|work out|work remotely|work on|work in|work part|work nights|grew up|was promoted|became|was hired|founded|co-founded|retired|served|got married|adopted)s?\b/i;

const HABIT =
  /\b(?:every|each) (?:(?:second|other|single|third) )?(?:day|week|weekend|month|year|morning|evening|night|\w+day)s?\b|\bon (?:mon|tues|wednes|thurs|fri|satur|sun)days\b|^(?:usually|always|normally|typically|regularly|generally)\b|\b(?:once|twice|three times) an? (?:day|week|month|year)\b|\bat weekends\b|\bon weekends\b/i;

const MOMENTARY =
  /^(?:(?:always|usually|often|never|also|still) )?(?:want|need|think|see|guess|mean|hope|understand|agree|feel|know|wonder|believe|suppose|get|got|try|tried|can|can't|cannot|could|will|won't|have to|had to|just|did|didn't|do not|don't|am|was|were|asked|forgot|remember|expect|read (?:that|in|the)|write (?:to|this|that|in)|make (?:sure|a mistake)|run (?:into|this|the|it)|follow (?:you|up|the)|watch (?:out)|eat (?:it)|share (?:this|the)|build (?:this|it|the)|support (?:this|that|it|the idea)|follow (?:this|that))\b/i;

const PLANS =
  /^(?:am|are|is) (?:(?:also|currently|now|still) )?(?:planning|getting married|moving|flying|travell?ing|going|starting|visiting|organi[sz]ing|hosting|retiring|expecting|training|preparing|writing|building|working on|renovating|saving|taking|attending|celebrating|having|leaving|changing jobs|reading|watching)\b/i;
const LASTS_ANYWAY =
  /\b(?:getting married|moving to|retiring|expecting a|training for|preparing for|writing a|building a|renovating|saving (?:up )?for|planning (?:a|an|our|my)|learning)\b/i;

/** How one wants a thing of one's own: `need my reports in PDF`, `take my coffee black`. */
const WAY =
  /^(?<verb>need|want|like|take|drink|prefer|have|eat|get)s? (?:my|all my) (?<np>[\p{L}-]+(?: [\p{L}-]+)?) (?<how>(?:in|as|to be|without|with|on|black|medium|rare|well|hot|cold|iced|short|long|strong|weak|sweet|spicy|plain|early|late)\b.*)$/isu;

const HAS = /^(?:have|has) (?:an?|the) (?<np>[\p{Ll}]+(?: [\p{Ll}]+)?) of (?<value>.*\d.*)$/su;

const PROMOTED = bounded(
  MAX_CLAUSE,
  /^(?:was|were|got|am|is|have been|has been|just got) (?:promoted to|appointed(?: as)?|hired as|made) (?<role>.+)$|^became (?<became>an?\s.+|the\s.+)$/is,
);

/** Forms that tell of a trait or a belonging, whatever the noun. */
const OTHER: readonly RegExp[] = [
  /^(?:have|have got) (?!to\b|been\b|never\b|just\b|already\b)(?:an? |two |three |four |five |six |many |several |\d+ )?[\p{L}-]+(?: [\p{L}-]+)?(?: (?:in|at|with|near|on|from|named|called)\s.+)?$/isu,
  /^am (?:an?|the) [\p{L}-]+(?: [\p{L}-]+)?(?: (?:of|at|in|for|from|with)\s.+)?$/isu,
  /^(?:was|were) (?:born|raised)\b/i,
];

/** What one has or is for an hour. */
const FLEETING =
  /\b(?:question|problem|issue|meeting|idea|error|bug|doubt|request|minute|moment|second|favou?r|look|feeling|hard time|point|deadline|call|appointment|headache|cold|draft|task|thing|look|bit|little|lot|few|one|same|only|right|wrong|first|next|last|kind|sort|way|reason|trouble|access|time|no|some|any|done|seen|tried|way|while|chance|clue|choice|news|thought|suggestion|comment|feedback|plan|rush|hurry|mess|loop|follow-up)s?\b/i;

const PAST_VERB =
  /^(?:joined|started|moved|bought|founded|married|got married|graduated|finished|met|left|retired|became|began|adopted|lost|won|published|completed|opened|sold|switched|visited|was diagnosed|were married)\b/i;

/** The predicate in the third person where it tells of something lasting, else null. */
export const habitOfPredicate = (predicate: string): Claim | null => {
  const text = trimValue(predicate);
  if (text === '' || text.length > 200) return null;
  const promoted = PROMOTED.exec(text)?.groups;
  if (promoted)
    return claim(`works as ${trimValue(promoted.role ?? promoted.became ?? '')}`, 'role', 'identity');
  const way = WAY.exec(text)?.groups;
  if (way?.np !== undefined)
    return claim(
      `${thirdPerson(way.verb ?? '')} ${way.np} ${trimValue(way.how ?? '')}`,
      `way ${slotOf(way.np)}`,
      'preference',
    );
  const has = HAS.exec(text)?.groups;
  if (has?.np !== undefined) return claim(`${has.np} is ${trimValue(has.value ?? '')}`, slotOf(has.np));
  const grown = /^grew up (?:in|on|near|at) (?<where>.+)$/is.exec(text)?.groups?.where;
  if (grown !== undefined) return claim(`grew up in ${trimValue(grown)}`, 'childhood', 'identity');
  if (PLANS.test(text))
    return hasDate(text) || LASTS_ANYWAY.test(text)
      ? claim(text.replace(/^(?:am|are)\b/i, 'is'), null)
      : null;
  const barred =
    /^(?:can't|cannot|can not|must not|mustn't|may not) (?<verb>eat|drink|have|digest|tolerate|take) (?<what>.+)$/is.exec(
      text,
    )?.groups;
  if (barred?.what !== undefined && !/^(?:it|this|that)\b/i.test(barred.what))
    return claim(`cannot ${barred.verb} ${barred.what}`, `habit eat ${slotOf(barred.what)}`, 'preference');
  if (OTHER.some((form) => form.test(text)) && !FLEETING.test(text)) return claim(thirdPerson(text), null);
  if (MOMENTARY.test(text)) return null;
  if (hasDate(text) && PAST_VERB.test(text)) return claim(text, null);
  const rest = text.replace(/^\S+ ?/, '');
  if (/^(?:it|this|that|them|these|those|you|your)\b/i.test(rest)) return null;
  return LASTING.test(text) || HABIT.test(text) ? claim(thirdPerson(text), null) : null;
};
