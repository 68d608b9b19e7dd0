/** Pure: which of the recalled facts a question about the asker's own world is answered with. */

const QUESTION =
  /\?$|^(?:what|where|when|who|whom|whose|which|how|do|does|did|am|is|are|was|were|have|has|can|should|was|wo|wann|wer|wen|wem|wie|welche\p{L}*|habe|bin|ist|sind)\b/iu;
/** About what is theirs or what they are, not about how something is done: `how long do I boil an egg?` is no such question. */
const ABOUT_ASKER =
  /\b(?:my|mine|our|ours|mein\p{L}*|unser\p{L}*)\b|\b(?:who|what|where|when|which|whom) (?:do|does|did|am|are|was|were|have|had|will) (?:i|we)\b|^(?:am|do|did|have|was) (?:i|we)\b|\babout (?:me|us)\b|^(?:wer|was|wo|wann|wen|wem|welche\p{L}*) \p{L}+ (?:ich|wir)\b|^(?:bin|habe) ich\b/iu;

const STOP = new Set(
  `a an the and or of to in on at for with from by as is are was were be been am do does did have has had i me my we our us
you your it its this that these those what which who whom whose where when why how many much can could should would will
call called named name ich mich mir mein meine wir uns unser unsere der die das ein eine und was wer wo wann wie welche
ist sind bin habe haben hat nicht`.split(/\s+/),
);

/** Light: two forms of a word meet in their first letters. */
const begin = (word: string): string =>
  word.length <= 4 ? word : word.slice(0, Math.max(4, word.length - 3));

const termsOf = (text: string): Set<string> =>
  new Set(
    text
      .normalize('NFC')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== '' && !STOP.has(word))
      .map(begin),
  );

/**
 * Of facts in the order of the recall, which knows how near they are by meaning: the first that has half of the
 * question's words, else the first where the question is about the asker. Null for what is no question.
 */
export const nearestMemory = (message: string, memories: readonly string[]): string | null => {
  if (!QUESTION.test(message.trim())) return null;
  const asked = termsOf(message);
  const shared = (fact: string): number => [...asked].filter((term) => termsOf(fact).has(term)).length;
  const half = memories.find((fact) => asked.size > 0 && shared(fact) * 2 >= asked.size);
  return half ?? (ABOUT_ASKER.test(message) ? (memories[0] ?? null) : null);
};

/** Without facts all of whose words stand in another one: `brother is Tomasz` beside what is said of that brother. */
export const withoutContained = (memories: readonly string[]): string[] => {
  // The source in parentheses at the end says who told it.
  const terms = memories.map((fact) =>
    termsOf(fact.replace(/ \([^()]*\)$/, '').replace(/^The user: (?:said: )?/, '')),
  );
  return memories.filter(
    (_, i) =>
      !terms.some(
        (other, j) =>
          j !== i && other.size > (terms[i]?.size ?? 0) && [...(terms[i] ?? [])].every((t) => other.has(t)),
      ),
  );
};
