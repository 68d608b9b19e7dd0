import { bounded } from 'pentarch-prose';

/**
 * From a message to the clauses that its author asserts: quoted text, code, texts handed over for a task, questions and
 * hypotheticals are left out, since what stands in them is not said of the world.
 */

/** Longest message that is read; the rest of a longer one is a document, not conversation. */
export const MAX_MESSAGE_CHARACTERS = 8_000;

const QUOTED =
  /```[\s\S]*?(?:```|$)|`[^`\n]*`|^[ \t]*>.*$|"[^"\n]*"|“[^“”\n]*”|„[^„“”\n]*[“”]|«[^«»\n]*»|(?<=^|[\s(:,])'[^'\n]{3,}'(?=[\s).,;:!?]|$)|‘[^‘’\n]{3,}’(?=[\s).,;:!?]|$)/gm;

/** Longest sentence that is read: what is longer was not said in passing. */
export const MAX_CLAUSE = 600;

const MAX_QUOTE_CHARACTERS = 502;

const NAMING = /\b(?:called|named|titled|name is|nickname is|is|heißt|ist)\s+$/i;

/** A task about a text that follows a colon or a line break: all of the rest is that text. */
const TASK =
  /(?:^|[.!?\n][^\S\n]*)(?:(?:please|can you|could you|bitte)\s+)?(?:translate|rewrite|rephrase|paraphrase|summari[sz]e|proofread|correct|fix|edit|improve|shorten|complete|continue|repeat|classify|analy[sz]e|write|compose|draft|say|parse|extract|übersetze?|schreibe?|fasse?|korrigiere?|verbessere?)\b[^.!?\n]*?(?::|\n)[\s\S]*/i;

const ABBREVIATIONS = /\b(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|Inc|Ltd|Co|e\.g|i\.e|z\.B|vs|approx|No)\.$/;

/** Walked with `exec`: `matchAll` makes an expression of its own for every line. */
const SENTENCE_END = /(?<![.!?])[.!?]+(?=\s|$)/g;

/** Splits at sentence ends and line breaks; abbreviations, numbers and dotted names (`3. Mai`, `node.js`) stay whole. */
export const sentencesOf = (message: string): string[] => {
  const asserted = message
    .slice(0, MAX_MESSAGE_CHARACTERS)
    .normalize('NFC')
    .slice(0, MAX_MESSAGE_CHARACTERS)
    .replaceAll('’', "'")
    .replace(TASK, (found) => {
      const before = /^[.!?]/.exec(found);
      return before ? before[0] : '';
    });
  const flat = asserted.replaceAll(/[^\S\n]+/g, ' ');
  const text = flat.replaceAll(QUOTED, (found, offset: number) => {
    // Quotation marks that far apart belong to two texts.
    if (!found.startsWith('```') && !/^[ \t]*>/.test(found) && found.length > MAX_QUOTE_CHARACTERS)
      return found;
    // A quoted name after `called` or `is` is part of what the author says.
    const inner = found.replace(/^["“„«'‘`]|["”“»'’`]$/g, '');
    const isName = inner.split(/\s+/).length <= 4 && !/[.!?`>]/.test(inner);
    return isName && NAMING.test(flat.slice(Math.max(0, offset - 30), offset)) ? inner : ' … ';
  });
  const sentences: string[] = [];
  for (const line of text.split(/\n+/)) {
    let from = 0;
    SENTENCE_END.lastIndex = 0;
    for (let match = SENTENCE_END.exec(line); match !== null; match = SENTENCE_END.exec(line)) {
      const end = match.index + match[0].length;
      const sentence = line.slice(from, end);
      if (
        match[0] === '.' &&
        (ABBREVIATIONS.test(sentence) || /(?:^|\s)\d{1,2}\.$/.test(sentence)) &&
        end < line.length
      )
        continue;
      sentences.push(sentence);
      from = end;
    }
    sentences.push(line.slice(from));
  }
  return sentences
    .map((s) => s.replace(/^\s*(?:[-*•]|\d+[.)])\s+/, '').trim())
    .filter((s) => /\p{L}/u.test(s));
};

const QUESTION_START =
  /^(?:(?:so|and|but|also|hey|hi|ok|okay|well|und|aber)[, ]+)?(?:what|where|when|who|whom|whose|why|how|which|do|does|did|can|could|would|should|shall|am|is|are|was|were|will|have|has|had|isn't|aren't|don't (?:i|you|we)|doesn't|didn't|was|wo|wann|wer|wen|wem|wessen|warum|wieso|wie|welche\w*|kannst|könntest|kennst|weißt|habe? ich|bin ich|ist|sind|hast|où|quand|qui|que|quel\w*|comment|pourquoi|combien|est-ce|qu'est-ce|¿.*|dónde|cuándo|quién|qué|cuál\w*|cómo|cuánt\w*)(?![\p{L}\p{N}])/iu;

export const isQuestion = (sentence: string): boolean =>
  /\?\s*$/.test(sentence) || QUESTION_START.test(sentence);

/** Lower-case `may` and `will` only: the capitalised ones are a month and a name. */
const HYPOTHETICAL = bounded(
  MAX_CLAUSE,
  /\b(?:[Ii]f|[Ss]uppose|[Ii]magine|[Aa]ssum(?:e|ing)|[Pp]retend(?:ing)?|[Hh]ypothetically|might|would|wouldn't|could|couldn't|should|[Mm]aybe|[Pp]erhaps|[Pp]ossibly|[Pp]robably|wish|wished|[Uu]nless|[Ii]n case|[Ll]et's say|[Ff]or example|[Ff]or instance|e\.g|[Ww]henever|hope|hoping|[Jj]ust kidding|[Jj]oking|[Kk]idding|[Nn]ur Spaß|[Kk]leiner Scherz|[Jj]e plaisante|es broma|[Ss]upposons|[Ii]maginons|[Ss]upongamos|quizás?|peut-être|dream(?:ed|t)? (?:of|that|about)|want to (?:be|live|work|move)|wenn|falls|würde\w*|hätte\w*|wäre\w*|könnte\w*|vielleicht|angenommen|[Ff]alls|[Ww]enn|[Vv]ielleicht|[Aa]ngenommen)\b|\bmay (?!\d)/,
);

export const isHypothetical = (sentence: string): boolean => HYPOTHETICAL.test(sentence);

const REPORTED =
  /\b(?:said|says|say|told|tells|asked|asks|wrote|writes|claim(?:s|ed)?|according to|quot(?:e|es|ed|ing)|reads|states?d?|thinks?|believes?|heard|the (?:text|article|story|novel|book|poem|song|character|document|e-?mail|letter)|sagte?|schrieb|behauptet|laut)\b/i;

/** Somebody else's words, or the author's own belief about them. `I told you that …` is the author's own statement. */
export const isReported = (sentence: string): boolean =>
  REPORTED.test(
    sentence.replace(/^(?:as |like )?i (?:already )?(?:said|told you|mentioned)(?: that)?\b/i, ''),
  );

const CLAUSE_BREAK =
  /(?: ?[,;] ?| )(?:and|but|und|aber|while|whereas) (?=(?:I|I'm|I've|my|My|we|our|ich|mein|meine|unser|unsere|[A-Z][a-z]+ (?:is|works|lives|likes|loves|prefers|hates))\b)| ?; ?| [–—] |, (?=(?:I|I'm|my|ich|mein|meine) )/;

const SAME_SUBJECT =
  /(?: ?,)? (?:and|but) (?=(?:(?:also|really|currently|now|don't|do not|never|always) )?(?:am|work|live|like|love|enjoy|prefer|hate|dislike|speak|have|use|play|drive|study|own|can't stand|come)\b)/;

const SAME_SUBJECT_THIRD =
  /(?: ?,)? (?:and|but) (?=(?:(?:also|really|currently|now|doesn't|does not|never|always) )?(?:is|works|lives|likes|loves|enjoys|prefers|hates|dislikes|speaks|has|uses|plays|drives|studies|owns|comes)\b)/;

/** `I live in Berlin and work at Acme` → `I live in Berlin`, `I work at Acme`. */
export const clausesOf = (sentence: string): string[] =>
  sentence.split(CLAUSE_BREAK).flatMap((clause) => {
    const text = clause.trim();
    if (/^I(?:'m|'ve)?\b/.test(text)) {
      const [first, ...others] = text.split(SAME_SUBJECT);
      return [first ?? '', ...others.map((other) => `I ${other}`)];
    }
    const subject = /^((?:My|my|Our|our) \w+(?: [A-Z][\w-]+)*|[A-Z][\w-]+(?: [A-Z][\w-]+)*) /.exec(text)?.[1];
    if (subject === undefined) return [text];
    const [first, ...others] = text.split(SAME_SUBJECT_THIRD);
    return [first ?? '', ...others.map((other) => `${subject} ${other}`)];
  });

/** The expressions for clauses know no white space but single blanks: what repeats in them then reads a text in one way only. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

const FILLER =
  /,?\s(?:now|currently|nowadays|these days|at the moment|right now|as well|too|though|by the way|btw|actually|anyway|please|thanks|thank you|jetzt|derzeit|übrigens|auch|momentan)$/i;

/** One after the other: a repeated group over them all would take cubic time on a hostile text. */
const withoutFillers = (text: string): string => {
  let rest = text;
  for (let cut = rest.replace(FILLER, ''); cut !== rest; cut = rest.replace(FILLER, '')) rest = cut.trimEnd();
  return rest;
};

/** Cuts what follows the fact itself: reasons, fillers, the full stop. */
export const trimValue = (value: string): string =>
  withoutFillers(
    value
      .trim()
      .replace(
        /[,;]?\s(?:because|since (?=I|we|it|he|she|they)|so that|so please|although|though|which|who|where|weil|damit|obwohl)\b.*$/is,
        '',
      )
      .replace(/\s?,\s?(?:so|and|but|as|please|not|thanks|by the way|btw|und|aber|also|bitte)\b.*$/is, '')
      .replace(/(?<![\s.,;:!…])[\s.,;:!…]+$/u, ''),
  )
    .replace(/(?<![\s.,;:!…])[\s.,;:!…]+$/u, '')
    .replace(/^[\s,:]+/, '')
    .trim();
