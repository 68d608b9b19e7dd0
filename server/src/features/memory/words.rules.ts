import { spelling } from 'pentarch-memory-patterns';
import { foldName } from 'pentarch-prose';

/** Words that say nothing about what is looked for, in English and German. */
const STOP = new Set(
  `a an the and or but of to in on at for with from by as is are was were be been am do does did have has had i me my
mine you your yours he she it its we our us they them their this that these those what which who whom whose where when
why how can could will would should shall may might must not no yes please tell know remember remind say said told
about again still also just really any some there here so if then than too very much many more get give got make let
want need help like thing things something anything user call called named many you're i'm what's who's where's it's
ich mich mir mein meine meiner meinem meinen du dich dir dein deine er sie es wir uns unser unsere ihr der die das den
dem des ein eine einer einem einen und oder aber von zu in im am auf bei mit für aus nach ist sind war bin bist sein
habe hat haben was wer wen wem wo wann wie warum welche welcher welches nicht kein keine ja nein bitte sag weißt kennst
noch auch nur denn mal je tu il elle nous vous mon ma mes notre nos le la les un une des du de et est sont ai ont que qui
quoi quel quelle quels quelles où quand comment pour dans sur avec yo mi mis tu el los las una del y es son está qué
cuál cuándo dónde quién cómo en por para con sobre`.split(/\s+/),
);

export const isStopWord = (folded: string): boolean => STOP.has(folded);

/** A light suffix cut, the same for texts and questions; a shared beginning of four letters is what it preserves. */
export const stem = (word: string): string => {
  const s = spelling(word);
  if (s.length <= 3) return s;
  return s
    .replace(/(?:'s|’s)$/, '')
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?<=.{3})(?:ing|ed|es|s|en|er|e)$/, '');
};

/** All stems of a text, stop words included. */
export const stemsOf = (text: string): string[] =>
  foldName(text)
    .replaceAll(/[’']s\b/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map(stem);

/** Stems that carry meaning, each once. Scripts without spaces give their runs as they stand. */
export const termsOf = (text: string): string[] => [
  ...new Set(
    foldName(text)
      .replaceAll(/[’']s\b/g, '')
      .split(/[^\p{L}\p{N}']+/u)
      .filter((word) => word !== '' && !STOP.has(word))
      .map((word) => stem(word.replaceAll("'", '')))
      .filter((word) => word !== ''),
  ),
];

/** Beginnings of the meaningful words as they were typed, by which the store looks for candidates. */
export const beginningsOf = (text: string): string[] => [
  ...new Set(
    foldName(text)
      .replaceAll(/[’']s\b/g, '')
      .split(/[^\p{L}\p{N}']+/u)
      .filter((word) => word !== '' && !STOP.has(word))
      .map((word) => (word.length <= 4 ? word : word.slice(0, Math.max(4, word.length - 3)))),
  ),
];
