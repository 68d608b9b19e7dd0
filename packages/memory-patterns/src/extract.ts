import { bounded, singleLine } from 'pentarch-prose';
import { factsOfClause, mentionedPeople } from './clauses.ts';
import { claim, type Extracted, slotOf } from './facts.ts';
import { notedOf } from './notes.ts';
import { type Revision, revisionOf } from './revisions.ts';
import {
  clausesOf,
  isHypothetical,
  isQuestion,
  isReported,
  MAX_CLAUSE,
  oneLine,
  sentencesOf,
  trimValue,
} from './sentences.ts';

/**
 * Facts from a user's message by patterns, for English and some German: preferences, names, roles, employers, places,
 * dates, favourites, people and what is said of them, `remember that …`, corrections, `forget …`. Questions,
 * hypotheticals, quoted or reported words and secrets give nothing. Wrong facts cost more than missed ones, so of what no
 * pattern knows nothing is understood: whole statements are kept as they were said (`notes.ts`).
 */

const LEAD_IN =
  /^(?:(?:hi|hello|hey|hallo|ok|okay|well|oh|ah|also|so|by the way|btw|fyi|for your information|just so you know|just to let you know|for the record|for context|for (?:future )?reference|for what it's worth|heads[- ]up|(?:a )?(?:quick|small|short) (?:background|note|update|context|word)(?: (?:before|on|from|about|for)\b[^:,.]{0,40})?|my (?:doctor|dentist|therapist|physio\w*|trainer|coach) says(?: that)?|as (?:i|you) (?:already )?(?:said|told you|mentioned|know)|i (?:already )?(?:said|told you|mentioned) that|you should know that|it's worth knowing that|let me introduce myself|good (?:morning|evening|afternoon)|thanks|thank you|übrigens|nur zur info|guten (?:tag|morgen|abend)|yes|ja)(?: there| everyone| again)?\b[\s,:!–—-]*)+/i;

const REMEMBER =
  /^(?:(?:please|can you|could you|kindly|bitte|und|and) )*(?:remember|keep in mind|bear in mind|note down|note to self|make a note|take a note|note|don't forget|do not forget|never forget|save|memori[sz]e|merk(?:e)? dir|denk daran|vergiss nicht|notiere)(?: ?(?:bitte))?(?<how> ?[,:]? (?:that|dass|the following|this)\b ?[,:]?| ?:| ?,)? (?<what>.+)$/is;

/** Only a sentence of nothing but what is known of the person: `all rows you have in the table` is work at hand. */
const FORGET_ALL: readonly RegExp[] = [
  bounded(
    MAX_CLAUSE,
    /^(?:please |you can |can you |could you |now )*(?:forget|delete|erase|remove|wipe|clear),? (?:please )?(?:(?:absolutely )?(?:everything|anything|all(?: of)?)(?: (?:the )?(?:data|information|facts|memories|things|notes))?(?: that)?(?: (?:you(?:'ve| have)? (?:(?:ever )?(?:know|remember|remembered|learned|learnt|stored|saved|kept|noted|collected)|have)|i(?:'ve| have)? (?:ever )?told you|is known|is stored))? (?:about|of|on) (?:me|myself)|(?:everything|all) (?:that )?i(?:'ve| have)? ever told you|all (?:of )?(?:my (?:data|memories|memory)|your (?:data|memories|memory) (?:about|of|on) me))(?: from (?:your |the )?(?:memory|memories|records))?(?: ?,? (?:please|now|again|for good|forever))?$/i,
  ),
  bounded(
    MAX_CLAUSE,
    /^(?:bitte )?(?:vergiss|vergessen sie|lösche?|lösch) (?:bitte )?(?:alles(?: ?, ?was du)? (?:über mich|von mir)(?: (?:weißt|gespeichert hast|gelernt hast|gemerkt hast|dir gemerkt hast|hast))?|alles ?, ?was ich dir (?:je|jemals) (?:gesagt|erzählt) habe|alle (?:(?:deine )?(?:daten|erinnerungen|informationen) (?:über mich|von mir)|meine (?:daten|erinnerungen)))(?: aus (?:deinem|dem) gedächtnis)?(?: bitte)?$/i,
  ),
  bounded(
    MAX_CLAUSE,
    /^(?:oublie[zs]?|supprime[zs]?|efface[zs]?) (?:tout(?: ce que (?:tu sais|vous savez|je t'ai dit))? (?:de|sur) moi|toutes mes données)(?: s'il te plaît)?$|^(?:olvida|olvide|borra|elimina) (?:todo(?: lo que (?:sabes|recuerdas|te dije))? (?:de|sobre) mí|todos mis datos)(?: por favor)?$/i,
  ),
];

const FORGET =
  /^(?:please |bitte |and |you can )*(?:forget|vergiss|vergessen sie|lösche?|stop remembering|don't remember|do not remember|oublie[zs]?|supprime[zs]?|efface[zs]?|olvida|olvide|borra|elimina),? (?:bitte )?(?<what>(?:that|about|what|the fact that|everything|anything|all|how|my|where|when|our|mein\w*|unser\w*|dass|was|wo|wie|alles|mon|ma|mes|notre|nos|ce|que|tout|mis?|nuestr\w*|lo|todo)\b.+|\p{Lu}.+)$/isu;
/** `delete everything about my visa`: with `delete my visa` a task may be meant. */
const FORGET_ABOUT = bounded(
  MAX_CLAUSE,
  /^(?:please |bitte |and |you can )*(?:delete|erase|remove|wipe|clear) (?:(?:everything|anything|all)(?: (?:that )?you (?:know|remember|have|stored))?|what(?:ever)? (?:you (?:know|remember|have|stored)|i (?:said|told you))) (?<what>(?:about|on) .+)$/is,
);
const FORGET_FROM = bounded(
  MAX_CLAUSE,
  /^(?:please |bitte )?(?:delete|remove|erase|lösche|clear) (?<what>.+?) (?:from (?:your |the )?(?:memory|memories|records)|aus (?:deinem|dem) gedächtnis)$/i,
);

const CORRECTION =
  /^(?:(?:no|nope|sorry|actually|correction|in fact|wait|oops|my mistake|i was wrong|that's wrong|that is wrong|that's not right|i misspoke|let me correct (?:that|myself)|scratch that|strike that|eigentlich|tatsächlich|doch|nein|korrektur|stimmt nicht|non|en fait|pardon|désolée?|je me suis trompée?|en realidad|perdón|me equivoqué)\b[\s,:;.!–—-]*)+/i;

const INSTEAD: readonly RegExp[] = [
  bounded(
    MAX_CLAUSE,
    /^(?:it's|it is|that's|it was|it should be|make (?:it|that)|i meant(?: to say)?|i mean|es ist|ich meinte) (?<after>.+?)(?: ?, | )(?:not|instead of|rather than|and not|nicht) (?<before>.+)$/is,
  ),
  /^(?:(?:it's|it is|that's|i meant) )?not (?<before>.+?)(?: ?, ?(?:but|it's|it is)?| but) (?<after>.+)$/is,
  /^(?<after>[^,]{1,60}), not (?<before>[^,]{1,60})$/i,
];

const words = (text: string): string =>
  trimValue(
    text
      .replace(
        /^(?:that|about|(?:everything |anything |all )?(?:that )?(?:what )?(?:i (?:have )?(?:ever )?(?:said|told you|mentioned)(?: about)?|you (?:know|remember) about)|(?:everything|anything|all) (?:about|on)|the fact that|(?:alles,? )?was ich (?:dir )?(?:über|zu|von)|alles (?:über|zu|von)|dass|(?:tout )?ce que j'ai dit (?:sur|de)|tout (?:sur|ce qui concerne)|(?:todo )?lo que (?:te )?dije (?:sobre|de)|todo (?:sobre|lo de)|que|where|when|what|how|wie) /i,
        '',
      )
      .replace(/\b(?:gesagt habe|i told you|i said|bitte|please|s'il te plaît|por favor)\b/gi, ''),
  );

/** Another request after what is to be left aside: `forget the weather, tell me about Clara`. */
const REQUEST = bounded(
  MAX_CLAUSE,
  /(?: ?[,;:–—-] ?| (?:and|but|und|aber|et|y) )(?:(?:and|then|but|now|please|just|instead|rather|und|dann|aber|bitte|lieber|et|plutôt|y|mejor) )*(?:(?:tell|show|give|help|explain|let|let's|lets|talk|speak|describe|write|list|compare|translate|summari[sz]e|search|find|look|focus|continue|start over|go on|move on|think|try|answer|switch|suggest|recommend|check|draft|remind|erkläre?|erzähle?|sage?|lass|lasst|zeige?|gib|nenne|schreibe?|hilf|parlons|dis-moi|explique|montre|donne|aide|hablemos|háblame|dime|explica|muestra|dame|ayuda)\b|(?:what|how|why|when|where|who|which)(?:'s|'re| about\b| (?:\p{L}+ )?(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have)\b)|(?:can|could|would|will) you\b|(?:i want|i need|i'd like|we need|we should|i have a question)\b|(?:was|wie|warum|wann|wo|wer) (?:ist|sind|war|macht|heißt|kann|geht)\b)/iu,
);
/** Left aside only for a while. */
const FOR_NOW =
  / (?:for (?:now|today|(?:a|one|the) (?:moment|second|minute|while))|just now|right now|vorerst|erst ?mal|(?:für den|im) moment|pour (?:l'instant|le moment)|por (?:ahora|el momento)|de momento)(?![\p{L}\p{N}])/iu;
/** What somebody said is never left aside by a turn of phrase. */
const SAID =
  /^(?:(?:everything|anything|all|alles|tout|todo),? )?(?:that )?(?:(?:what )?i(?:'ve| have)? (?:ever )?(?:said|told you|mentioned)|what you know|was ich (?:dir )?(?:über|zu|von)|ce que j'ai dit|lo que (?:te )?dije)\b/i;

/** What a request to forget means; null where it only leads to another request. */
export const topicToForget = (what: string): string | null => {
  if (FOR_NOW.test(what)) return null;
  const at = what.search(REQUEST);
  if (at < 0) return what;
  const before = what.slice(0, at);
  return SAID.test(before) ? before : null;
};

const forgetOf = (sentence: string): Extracted | null => {
  const text = sentence.replace(/(?<![.!\s])[.!\s]+$/, '');
  if (FORGET_ALL.some((one) => one.test(text))) return { kind: 'forget', words: '', everything: true };
  const what =
    FORGET.exec(text)?.groups?.what ??
    FORGET_ABOUT.exec(text)?.groups?.what ??
    FORGET_FROM.exec(text)?.groups?.what;
  const meant = what === undefined ? null : topicToForget(what);
  if (meant === null) return null;
  const topic = words(meant);
  // `forget that`, `forget about it`: no topic, only a turn of phrase.
  if (
    /^(?:(?:about )?(?:it|that|this)\b.{0,14}|me|what i (?:just )?said|the last (?:one|message)|)$/i.test(
      topic,
    )
  )
    return null;
  return { kind: 'forget', words: topic, everything: false };
};

const bare = (value: string): string => trimValue(value).replace(/^(?:the|an?|my|our) /i, '');

/** What was said with `remember that`: a known form where one fits, else the words themselves. */
const rememberOf = (what: string): Extracted[] => {
  const text = trimValue(what.replace(/^((?:my|our|the)\s[^:]{1,60}?) ?: /i, '$1 is '));
  const known = clausesOf(text).flatMap(factsOfClause);
  if (known.length > 0) return known;
  const slot =
    /^(?:the|our|my|der|die|das|unser\w*|mein\w*) (?<np>[\p{L}\p{N}'-]+(?: [\p{L}\p{N}'-]+){0,4}?) (?:is|are|was|ist|sind) (?<value>.+)$/isu.exec(
      text,
    );
  const noted = claim(text, slot?.groups?.np === undefined ? null : slotOf(slot.groups.np));
  return [{ kind: 'fact', subject: null, ...noted, text: `noted: ${text}`, importance: 0.8 }];
};

/** `I switched from the Pixel to a Fairphone`, `we renamed our boat from Petrel to Tern`. */
const SWITCHED =
  /^(?:i|we)(?:'ve| have)? (?:just )?(?:switched|changed|swapped|upgraded|renamed\b.{1,40}?) from (?<before>.+?) to (?<after>.+)$/is;

const replaceOf = (text: string): Extracted | null => {
  for (const pattern of INSTEAD) {
    const groups = pattern.exec(text.replace(/(?<![.!\s])[.!\s]+$/, ''))?.groups;
    if (groups?.after && groups.before)
      return { kind: 'replace', before: trimValue(groups.before), after: trimValue(groups.after) };
  }
  return null;
};

/** `…, please remember that`: the same as `remember that …`. */
const REMEMBER_AFTER =
  /[,;]? (?:(?:and|so) )?(?:please )?(?:(?:remember|note|keep in mind|don't forget|memori[sz]e) (?:that|this|it)|keep (?:that|this|it) in mind)(?: please)?[.!]*$/i;

const ofSentence = (said: string): Extracted[] => {
  const sentence = oneLine(said);
  const spoken = sentence.replace(LEAD_IN, '');
  const plain = REMEMBER_AFTER.test(spoken) ? `remember that ${spoken.replace(REMEMBER_AFTER, '')}` : spoken;
  // `Forget the French, answer me in English again`: what shall be from now on says it all.
  const instead = /^(?:please )?forget [^,]{1,40}, (?<rest>.+)$/is.exec(plain)?.groups?.rest;
  const wishes = instead === undefined ? [] : factsOfClause(instead);
  if (wishes.length > 0) return wishes;
  const forget = forgetOf(plain);
  if (forget) return [forget];
  const remember = REMEMBER.exec(plain.replace(/(?<![.!\s])[.!\s]+$/, ''))?.groups;
  if (remember?.what !== undefined) {
    const { what } = remember;
    const isTask =
      /^(?:to|me|when|how|zu|the (?:last|time)|last|mich)\b/i.test(what) || /\? ?$/.test(sentence);
    const isBare = remember.how === undefined && !/^(?:I|I'm|my|our|the|\p{Lu}|ich|mein)/u.test(what);
    return isTask || isBare ? [] : rememberOf(what.replace(LEAD_IN, ''));
  }
  const corrected = plain.replace(CORRECTION, '');
  const isCorrection = corrected !== plain;
  if (isReported(corrected)) return [];
  const asserted = corrected.replace(/^I told you (?:that )?/i, '');
  // Whom one calls one's own is known also in a question or a condition.
  if (isQuestion(asserted) || isHypothetical(asserted)) return mentionedPeople(asserted);
  const negated = /^no \p{L}/iu.test(plain) ? revisionOf(plain, false) : null;
  const otherwise = assertedOf(asserted, corrected, isCorrection);
  return revising(negated ?? revisionOf(asserted, isCorrection), otherwise);
};

/** A slot that a pattern knows ends its earlier value itself. */
const revising = (found: Revision | null, otherwise: Extracted[]): Extracted[] => {
  if (found === null || (found.form === 'stated' && otherwise.length === 0)) return otherwise;
  const known = otherwise.some((one) => one.kind === 'fact' && one.attribute !== null);
  return known && (found.form === 'change' || found.form === 'stated' || found.form === 'stated again')
    ? otherwise
    : [{ ...found, otherwise }];
};

/** What a sentence says by itself. */
const assertedOf = (asserted: string, corrected: string, isCorrection: boolean): Extracted[] => {
  const switched = SWITCHED.exec(asserted.replace(/(?<![.!\s])[.!\s]+$/, ''))?.groups;
  if (switched?.before && switched.after)
    return [
      { kind: 'replace', before: bare(switched.before), after: trimValue(switched.after) },
      ...notedOf(asserted),
    ];
  const facts = clausesOf(asserted).flatMap(factsOfClause);
  // Of somebody by what they are to the author: the words themselves tie what is said of them to that.
  if (facts.some((one) => one.kind === 'fact' && one.subject !== null) && /^(?:my|our)\b/i.test(asserted))
    return [...facts, ...notedOf(asserted)];
  if (facts.length > 0) return facts;
  const people = mentionedPeople(asserted);
  if (people.length > 0) return [...people, ...notedOf(asserted)];
  const replaced =
    isCorrection || /^(?:i meant|it's|it is)\b.*\bnot\b/i.test(corrected) ? replaceOf(corrected) : null;
  return replaced === null ? notedOf(asserted) : [replaced];
};

const keepable = (found: Extracted, isSecret: (text: string) => boolean): boolean =>
  found.kind === 'revise'
    ? !isSecret(`${found.topic} is ${found.after}`) && !`${found.topic}${found.after}`.includes('…')
    : found.kind !== 'fact' ||
      (!isSecret(found.text) &&
        found.text.length <= 400 &&
        !found.text.includes('…') &&
        (found.subject === null || found.subject.name.length <= 100));

const oneLined = (found: Extracted, isSecret: (text: string) => boolean): Extracted =>
  found.kind === 'fact'
    ? { ...found, text: singleLine(found.text) }
    : found.kind === 'revise'
      ? {
          ...found,
          topic: singleLine(found.topic),
          before: found.before === null ? null : singleLine(found.before),
          after: singleLine(found.after),
          otherwise: found.otherwise
            .filter((one) => keepable(one, isSecret))
            .map((one) => oneLined(one, isSecret)),
        }
      : found;

/** The port of this package: what the author of a message says that lasts, in the order it is said. */
export type Extract = (message: string) => Extracted[];

/** `isSecret` says of a fact that it must not be kept (a password, a card's number). */
export const createExtract =
  (isSecret: (text: string) => boolean): Extract =>
  (message) => {
    const seen = new Set<string>();
    return sentencesOf(message)
      .slice(0, 100)
      .flatMap((sentence) => (sentence.length > MAX_CLAUSE ? [] : ofSentence(sentence)))
      .filter((found) => keepable(found, isSecret))
      .map((found) => oneLined(found, isSecret))
      .filter((found) => {
        const key = JSON.stringify(found);
        if (seen.has(key)) return false;
        seen.add(key);
        return true;
      })
      .slice(0, 20);
  };
