/** Numbers in the ways that lists show them (ECMA-376 part 1, 17.18.59). */

const ROMAN: [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

function roman(value: number): string {
  let rest = value;
  let text = '';
  for (const [worth, letters] of ROMAN) {
    while (rest >= worth && text.length < 40) {
      text += letters;
      rest -= worth;
    }
  }
  return text;
}

/** After the last letter Word doubles them: z, aa, bb. */
const letters = (value: number, alphabet: readonly string[]): string =>
  (alphabet[(value - 1) % alphabet.length] ?? '').repeat(
    Math.min(10, Math.floor((value - 1) / alphabet.length) + 1),
  );

const LATIN = [...'abcdefghijklmnopqrstuvwxyz'];
const CYRILLIC = [...'абвгдежзиклмнопрстуфхцчшщэюя'];
const HANZI = [...'〇一二三四五六七八九'];
const KANA = [
  ...'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン',
];
const IROHA = [
  ...'イロハニホヘトチリヌルヲワカヨタレソツネナラムウヰノオクヤマケフコエテアサキユメミシヱヒモセスン',
];
const HANGUL = [...'가나다라마바사아자차카타파하'];
const STEMS = [...'甲乙丙丁戊己庚辛壬癸'];
const BRANCHES = [...'子丑寅卯辰巳午未申酉戌亥'];

function hanNumber(value: number): string {
  if (value < 10) return HANZI[value] ?? '';
  if (value >= 100) return [...String(value)].map((d) => HANZI[Number(d)] ?? '').join('');
  const tens = Math.floor(value / 10);
  return `${tens > 1 ? HANZI[tens] : ''}十${value % 10 > 0 ? HANZI[value % 10] : ''}`;
}

const circled = (value: number): string =>
  value >= 1 && value <= 20 ? String.fromCodePoint(0x2460 + value - 1) : String(value);

function ordinal(value: number): string {
  const tail = value % 100 >= 11 && value % 100 <= 13 ? 0 : value % 10;
  return `${value}${['th', 'st', 'nd', 'rd'][tail] ?? 'th'}`;
}

const FORMATS: Record<string, (value: number) => string> = {
  decimalZero: (n) => String(n).padStart(2, '0'),
  upperRoman: (n) => roman(n).toUpperCase(),
  lowerRoman: roman,
  upperLetter: (n) => letters(n, LATIN).toUpperCase(),
  lowerLetter: (n) => letters(n, LATIN),
  ordinal,
  russianLower: (n) => letters(n, CYRILLIC),
  russianUpper: (n) => letters(n, CYRILLIC).toUpperCase(),
  japaneseCounting: hanNumber,
  chineseCounting: hanNumber,
  chineseCountingThousand: hanNumber,
  taiwaneseCountingThousand: hanNumber,
  ideographDigital: hanNumber,
  japaneseDigitalTenThousand: hanNumber,
  aiueo: (n) => letters(n, KANA),
  aiueoFullWidth: (n) => letters(n, KANA),
  iroha: (n) => letters(n, IROHA),
  irohaFullWidth: (n) => letters(n, IROHA),
  ganada: (n) => letters(n, HANGUL),
  ideographTraditional: (n) => letters(n, STEMS),
  ideographZodiac: (n) => letters(n, BRANCHES),
  decimalEnclosedCircle: circled,
  decimalEnclosedCircleChinese: circled,
  decimalFullWidth: (n) => [...String(n)].map((d) => String.fromCodePoint(0xff10 + Number(d))).join(''),
  decimalEnclosedParen: (n) => `(${n})`,
  decimalEnclosedFullstop: (n) => `${n}.`,
  numberInDash: (n) => `- ${n} -`,
  none: () => '',
  bullet: () => '',
};

export const formatNumber = (value: number, format: string): string => {
  const made = Object.hasOwn(FORMATS, format) && value >= 0 ? FORMATS[format]?.(value) : undefined;
  return made ?? String(value);
};
