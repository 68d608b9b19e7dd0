import { bounded } from 'pentarch-prose';
import { claim, type Extracted } from './facts.ts';
import { MAX_CLAUSE } from './sentences.ts';

/**
 * What a person says of their world that no pattern knows: kept in their own words (`said: …`), so that nothing is read
 * into it, and below what has been understood. Only whole statements about somebody or something that is named, in
 * messages of conversation: no tasks, no passing states, no opinions on what is being talked about.
 */

const FIRST = bounded(
  MAX_CLAUSE,
  /^(?:(?:at (?:home|work)|in my (?:family|team|free time)|every \p{L}+|on (?:\p{L}+days?|weekends)|bei uns|zu hause)(?: ?, | ))?(?:i|i'm|i've|we|we're|we've|my|our|mum|mom|dad|ich|wir|mein\p{L}*|unser\p{L}*|je|j'\p{L}+|nous|mon|ma|mes|notre|nos|yo|mi|mis|nuestr\p{L}*|vivo|trabajo|tengo|soy|somos|vivimos)\b/iu,
);
/** `Nadia from accounting handles …`, `The gate code at the warehouse is …`. */
const NAMED = bounded(
  MAX_CLAUSE,
  /^(?:(?:the|der|die|das|le|la|les|el|los|las) )?(?:[\p{L}\p{N}'.&-]+ ){1,8}?(?:is|are|was|were|has|have|will|always|never|only|usually|ist|sind|war|hat|heißt|steht|liegt|est|sont|était|es|son|era|está|tiene|\p{L}{2,}(?:[^s\W]s|ed)) \S/iu,
);

/** Work that is asked for: a sentence that begins with one of these is no statement. */
const TASKS = new Set(
  `add analyse analyze answer apply arrange ask assume book build calculate call cancel change check choose clean clear click
close combine come compare compile complete compose compute consider continue convert copy correct count create debug
define delete describe design design determine do draft draw drop edit enter estimate evaluate examine expand explain
export extract fill filter find finish fix focus follow format generate get give go group guess help identify ignore
implement import improve include insert invent invite keep leave let list load look make merge modify move name note
open order organise organize outline parse pick plan play please post prepare print process produce propose prove provide
put raise read recommend reduce refactor remove rename repeat rephrase replace reply report research reset resolve
respond restart return review rewrite rotate run save say scan schedule search see select send set share shorten show
simplify solve sort speak specify split start stop store suggest sum summarise summarize take teach tell test think
translate try turn type update upload use validate verify view wait walk watch write erkläre erstelle finde gib hilf
oublie olvida traduis écris explique montre donne cherche résume traduce escribe explica muestra dame busca resume
bitte borra efface elimina erase forget lies lösche mach mache nenne prüfe sag sage schreib schreibe such suche supprime vergiss wipe übersetze vergleiche zeig zeige`.split(
    /\s+/,
  ),
);

/** Not of the world but of this conversation, of the moment or of what is wanted from the assistant. */
const PASSING = bounded(
  MAX_CLAUSE,
  /^(?:i|i'm|i've|we|we're|we've|ich|wir) (?:(?:really|just|also|still|only|don't|do not|didn't|did not|cannot|can't|am|are|was|were|have|not|nur|noch|auch) )*(?:need|want|wanted|wish|think|thought|guess|believe|feel|felt|see|saw|understand|understood|mean|meant|agree|know|knew|hope|suppose|assume|wonder|wondering|try|trying|tried|look|looking|find|figure|get|getting|got|open|opened|log|about to|going to|have to|must (?!avoid|not|never|take)|ask|asking|read|click|clicked|stuck|lost|confused|curious|sure|unsure|sorry|glad|happy|sad|tired|done|fine|ok|okay|back|here|ready|working on|(?:(?:have|had|got) )?an? (?:bit|question|problem|meeting|call|feeling|look|idea|moment|minute)|trouble|question|brauche|will|möchte|denke|glaube|weiß|verstehe|suche|finde|hoffe|frage|muss)\b|^(?:je (?:veux|voudrais|cherche|pense|crois|sais|peux)|j'(?:ai besoin|aimerais)|(?:yo )?(?:quiero|necesito|busco|creo|pienso|puedo|tengo que))\b/iu,
);
const MOMENT =
  /\b(?:right now|at the moment|today|tonight|tomorrow|this|yesterday|again|instead|above|below|attached|following|gerade|heute|(?<!jeden )morgen|gestern|im moment|aujourd'hui|demain|hier|hoy|mañana|ayer)\b/iu;
const AT_HAND = bounded(
  MAX_CLAUSE,
  /^(?:(?:the|my|our|der|die|das|mein\w*) )(?:\p{L}+ )?(?:code|script|servers?|apps?|program|function|query|tests?|build|computer|laptop|internet|connection|screen|browser|page|files?|tables?|data|account|package|request|question|message|e-?mail|text|terminal|api|job|pipeline|cache|model|prompt|answer|output|results?|head|stomach|error|bug|loop|class|variable|value|line|link|button|image|picture|orders?|weather|weekend|meeting went|day|train|bus)\b/iu,
);
/** The work at hand, whoever does something to it. */
const ON_HAND = bounded(
  MAX_CLAUSE,
  /^(?:i|we) \p{L}+ (?:the|an?) (?:script|app|code|tests?|server|program|build|file|page|command|query|button|link)\b/iu,
);
/** `I just …`: it has only now happened. */
const JUST = /^(?:i|we)(?:'ve| have)? (?:just|gerade)\b/iu;
/** What encyclopaedias say, not people of their world. */
const GENERAL = /^[\p{Lu}][\p{L}'-]*(?: \p{Lu}[\p{L}'-]*)* (?:is|are|was|were) (?:an?|the)\b/u;
const POINTING =
  /^(?:it|it's|this|that|that's|these|those|there|here|he|she|they|you|es|das ist|dies|er|sie|du)\b/iu;
/** A German noun after its article is no pointing word. */
const BUT_FIRST = /^(?:[Tt]hat\b|[Dd](?:as|ie|er) (?!\p{Lu}))/u;
const THE = /^(?:the|der|die|das|le|la|les|el|los|las)\b/i;

const BEGINNING = 'said: ';

/** Whether it is one of those below: where a model has read the message, it has understood or passed over these. */
export const isNote = (found: Extracted): boolean =>
  found.kind === 'fact' && found.text.startsWith(BEGINNING);

const MIN_WORDS = 4;
const MAX_CHARACTERS = 240;

/** A note of a sentence, or nothing. The sentence is asserted: no question, condition or quotation. */
export const notedOf = (sentence: string): Extracted[] => {
  const text = sentence.replace(/(?<![\s.!,;:…])[\s.!,;:…]+$/u, '').trim();
  const words = text.split(/\s+/);
  if (words.length < MIN_WORDS || text.length > MAX_CHARACTERS || text.includes('…')) return [];
  if (/[{}<>=`\\|]|https?:/u.test(text)) return [];
  const first = (words[0] ?? '').toLowerCase().replace(/[^\p{L}']+/gu, '');
  if (TASKS.has(first) || POINTING.test(text) || MOMENT.test(text) || AT_HAND.test(text)) return [];
  const own = FIRST.test(text);
  if (own ? PASSING.test(text) || JUST.test(text) || ON_HAND.test(text) : !NAMED.test(text)) return [];
  // Of others and of things only what names or counts something besides its beginning.
  const named = words.slice(1).some((word) => /[\p{Lu}\d]/u.test(word));
  if (!own && (BUT_FIRST.test(text) || GENERAL.test(text) || (THE.test(text) && !named))) return [];
  // Something must be said that can be asked for: a name, a number, or a word of some length beside the first.
  if (!words.slice(1).some((word) => /[\p{Lu}\d]/u.test(word) || word.length >= 4)) return [];
  return [
    {
      kind: 'fact',
      subject: null,
      ...claim(`${BEGINNING}${text}`, null),
      importance: 0.3,
    },
  ];
};
