/** From the order in which characters stand on the paper to the order in which they are read. */

/** Characters from left to right, as they stand; ligatures in one piece, marks with their letter. */
export type Visual = readonly string[];

const STRONG_RTL =
  /[\u05be-\u05f4\u0608\u060b\u060d\u061b-\u064a\u066d-\u066f\u0671-\u06d5\u06e5\u06e6\u06ee\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const STRONG_LTR =
  /[A-Za-z\u00aa\u00b5\u00ba\u00c0-\u02b8\u0370-\u058f\u0900-\u1fff\u2c00-\ud7ff\uf900-\ufb1c]/;
const DIGIT = /[\d\u0660-\u0669\u06f0-\u06f9]/;
/** Between two digits they belong to the number: dates, times, decimals, groups, phone numbers. */
const IN_NUMBER = /^[.,:/\-–+\u066b\u066c\u060c]$/;
/** Right of a number they belong to it. */
const AFTER_NUMBER = /^[%‰°\u066a]$/;

type Side = 'right' | 'left' | 'digit' | 'none';

const sideOf = (text: string): Side => {
  if (DIGIT.test(text)) return 'digit';
  if (STRONG_RTL.test(text)) return 'right';
  return STRONG_LTR.test(text) ? 'left' : 'none';
};

/** Of the letters, how many are of a script that reads from right to left: 0 to 1. */
export const leftwardShare = (parts: Iterable<string>): number => {
  let letters = 0;
  let leftward = 0;
  for (const part of parts) {
    const side = sideOf(part);
    if (side === 'right') leftward++;
    if (side === 'right' || side === 'left') letters++;
  }
  return letters === 0 ? 0 : leftward / letters;
};

/** `leftwards`: the line as a whole reads from right to left. Text of ligatures stays as it is: their code is in reading order. */
export function readingOrder(visual: Visual, leftwards: boolean): string {
  const sides = numbersOf(visual.map(sideOf), visual);
  return mendBrackets(leftwards ? fromRight(visual, sides) : fromLeft(visual, sides));
}

/** Signs within and after a number become part of it. */
function numbersOf(sides: Side[], visual: Visual): Side[] {
  const out = [...sides];
  for (let i = 1; i < visual.length; i++) {
    const text = visual[i] ?? '';
    if (out[i - 1] !== 'digit' || out[i] !== 'none') continue;
    if (AFTER_NUMBER.test(text) || (IN_NUMBER.test(text) && sides[i + 1] === 'digit')) out[i] = 'digit';
  }
  return out;
}

/** Parts in reverse; stretches that read to the right stay as they are. */
function fromRight(visual: Visual, sides: readonly Side[]): string {
  const parts: string[] = [];
  for (let i = 0; i < visual.length; ) {
    let end = i + 1;
    if (sides[i] === 'digit' || sides[i] === 'left') {
      let letters = sides[i] === 'left';
      for (let j = i + 1; j < visual.length && sides[j] !== 'right'; j++) {
        letters ||= sides[j] === 'left';
        // A number goes on without a gap; words and what follows them over signs and spaces.
        if (sides[j] === 'left' || (sides[j] === 'digit' && (letters || j === end))) end = j + 1;
        if (sides[j] === 'none' && !letters) break;
      }
    }
    parts.push(visual.slice(i, end).join(''));
    i = end;
  }
  return parts.reverse().join('');
}

/** Stretches of letters that read to the left are turned within a line that reads to the right. */
function fromLeft(visual: Visual, sides: readonly Side[]): string {
  let text = '';
  for (let i = 0; i < visual.length; ) {
    let end = i + 1;
    if (sides[i] === 'right') {
      for (let j = i + 1; j < visual.length && sides[j] !== 'left'; j++)
        if (sides[j] === 'right') end = j + 1;
      text += fromRight(visual.slice(i, end), sides.slice(i, end));
    } else text += visual[i] ?? '';
    i = end;
  }
  return text;
}

const OPEN = '([{«';
const CLOSE = ')]}»';

/** Some files name a bracket by its shape, some by its meaning: the reading in which brackets open before they close. */
function mendBrackets(text: string): string {
  const turned = [...text].map((c) => CLOSE[OPEN.indexOf(c)] ?? OPEN[CLOSE.indexOf(c)] ?? c).join('');
  return unmatched(turned) < unmatched(text) ? turned : text;
}

function unmatched(text: string): number {
  const open: string[] = [];
  let faults = 0;
  for (const c of text) {
    if (OPEN.includes(c)) open.push(c);
    else if (CLOSE.includes(c) && open.at(-1) === OPEN[CLOSE.indexOf(c)]) open.pop();
    else if (CLOSE.includes(c)) faults++;
  }
  return faults + open.length;
}
