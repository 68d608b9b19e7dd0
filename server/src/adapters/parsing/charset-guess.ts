import chardet from 'chardet';

/**
 * Which encoding a short text is in, where nothing says so. Statistics of letter pairs need pages; what decides a line is
 * whether the text that comes out is one that people write: common characters, letters of one script in a word, small
 * letters after small ones. The statistics count as well, the more the longer the text.
 */

/** Lead bytes of the characters that the standards list as common, and of kana, hangul and punctuation. */
const WIDE: Record<
  string,
  { common: [number, number][]; lead: [number, number][]; trail: [number, number][] }
> = {
  shift_jis: {
    common: [
      [0x81, 0x83],
      [0x88, 0x97],
    ],
    lead: [
      [0x81, 0x9f],
      [0xe0, 0xfc],
    ],
    trail: [
      [0x40, 0x7e],
      [0x80, 0xfc],
    ],
  },
  'euc-jp': {
    common: [
      [0xa1, 0xa1],
      [0xa4, 0xa5],
      [0xb0, 0xcf],
    ],
    lead: [[0xa1, 0xfe]],
    trail: [[0xa1, 0xfe]],
  },
  gb18030: {
    common: [
      [0xa1, 0xa1],
      [0xa3, 0xa3],
      [0xb0, 0xd7],
    ],
    lead: [[0x81, 0xfe]],
    trail: [
      [0x40, 0x7e],
      [0x80, 0xfe],
    ],
  },
  big5: {
    common: [
      [0xa1, 0xa1],
      [0xa4, 0xc6],
    ],
    lead: [[0x81, 0xfe]],
    trail: [
      [0x40, 0x7e],
      [0xa1, 0xfe],
    ],
  },
  'euc-kr': {
    common: [
      [0xa1, 0xa1],
      [0xb0, 0xc8],
    ],
    lead: [[0x81, 0xfe]],
    trail: [
      [0x41, 0x5a],
      [0x61, 0x7a],
      [0x81, 0xfe],
    ],
  },
};

const NARROW =
  'windows-1252 macintosh windows-1250 iso-8859-2 windows-1251 koi8-r ibm866 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-874'.split(
    ' ',
  );

/** Letters beyond ASCII that languages written in Latin letters use often; others of their encodings are rare. */
const COMMON_LATIN = new Set(
  'àâäáãåæçéèêëíìîïñóòôöõøœúùûüßÄÖÜÉÀÅØÆÇÑÓÁÍÚąćęłńśźżŁŚŻŹčďěňřšťůýžČŘŠŽőűŐŰășțşğıİâîāēīūģķļņėįų',
);
const isIn = (byte: number, ranges: readonly [number, number][]): boolean =>
  ranges.some(([from, to]) => byte >= from && byte <= to);

/** Characters that Chinese and Japanese texts are full of: what tells their encodings apart where all bytes fit. */
const FREQUENT = new Set(
  '的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计或司利受光王果亲界及今京务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科怎元社术结六功指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周保达办运武半候七必城父强步完革深区即求品士转量空甚众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持取设始版双历越史商千片容研像找友孩站广改议形委早房音火际则首单据导影失拿网香似斯专石若兵弟谁校读志飞观争究包组造落视济喜离虽坏兴吗料額為約萬這來國個說們時會對後過發無開見經從動長樣現將與進實點種聲話問機給幾業間門東電書員報馬張難數車應場計親務記邊風戰許覺題統請愛讓認論義結連遠資隊帶條變聯權領傳達辦運強轉眾輕語滿寫識極黃臉錢黨設雙歷專導網議單據標準氏所',
);

interface Judged {
  encoding: string;
  score: number;
}

/** Per character beyond ASCII, about −10 to 3; null where the bytes are no text of the encoding. */
function judgeWide(bytes: Uint8Array, encoding: string): number | null {
  const rule = WIDE[encoding];
  if (!rule) return null;
  let score = 0;
  let characters = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) continue;
    characters++;
    if (encoding === 'shift_jis' && byte >= 0xa1 && byte <= 0xdf) {
      // Half-width katakana: words of them exist, single ones between other letters do not.
      const next = bytes[at + 1] ?? 0;
      const before = bytes[at - 1] ?? 0;
      const inWord = (b: number) => b >= 0xa1 && b <= 0xdf;
      score += inWord(next) || inWord(before) ? 0.3 : -2;
      continue;
    }
    const trail = bytes[++at];
    if (trail === undefined) return at >= 65_000 ? score / characters : null;
    if (encoding === 'gb18030' && trail >= 0x30 && trail <= 0x39) {
      at += 2;
      score -= 1;
      continue;
    }
    if (!isIn(byte, rule.lead) || !isIn(trail, rule.trail)) return null;
    score +=
      isIn(byte, rule.common) && (encoding === 'shift_jis' || encoding === 'big5' || trail >= 0xa1)
        ? 2
        : -1.5;
  }
  if (characters === 0) return null;
  const text = new TextDecoder(encoding).decode(bytes);
  if (text.includes('\ufffd')) return null;
  const own =
    shareOf(text, /[\u3040-\u30ff]/g, characters) + 0.9 * shareOf(text, /[\uac00-\ud7a3]/g, characters);
  return score / characters + own + frequentShare(text, characters);
}

const shareOf = (text: string, pattern: RegExp, of: number): number =>
  (text.match(pattern)?.length ?? 0) / of;
const frequentShare = (text: string, of: number): number =>
  [...text].filter((c) => FREQUENT.has(c)).length / of;

const SCRIPTS: [name: string, pattern: RegExp][] = [
  ['latin', /\p{Script=Latin}/u],
  ['cyrillic', /\p{Script=Cyrillic}/u],
  ['greek', /\p{Script=Greek}/u],
  ['hebrew', /\p{Script=Hebrew}/u],
  ['arabic', /\p{Script=Arabic}/u],
  ['thai', /\p{Script=Thai}/u],
];
const scriptOf = (char: string): string | null =>
  /[A-Za-z]/.test(char) ? 'latin' : (SCRIPTS.find(([, pattern]) => pattern.test(char))?.[0] ?? null);
const isLower = (char: string): boolean => char !== char.toUpperCase();
const isUpper = (char: string): boolean => char !== char.toLowerCase();

function judgeNarrow(bytes: Uint8Array, encoding: string): number | null {
  const text = new TextDecoder(encoding).decode(bytes);
  let score = 0;
  let characters = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    if (char < '\u0080') continue;
    characters++;
    score += judgeCharacter(char, text[i - 1] ?? ' ', text[i + 1] ?? ' ');
  }
  if (characters === 0) return null;
  const families = LETTER_FAMILIES.filter((letters) => letters.test(text)).length;
  return score / characters - Math.max(0, families - 1);
}

/** Letters of one group of languages each: a text that has them of two is read wrongly. */
const LETTER_FAMILIES = [/[ąćęłńśźż]/i, /[čďěňřšťůž]/i, /[őű]/i, /[ğış]/, /[øåæ]/i, /[ãõ]/i];

function judgeCharacter(char: string, before: string, after: string): number {
  if (char === '\ufffd' || /[\u0080-\u009f\ue000-\uf8ff]/.test(char)) return -10;
  const script = scriptOf(char);
  if (script === 'thai') return judgeThai(char, before);
  const [left, right] = [scriptOf(before), scriptOf(after)];
  // Forms that stand at the end of a word only.
  if (/[ךםןףץ]/.test(char)) return right === 'hebrew' ? -3 : 2.5;
  if (script === null) return judgeSign(char, left !== null, right !== null);
  if ((left !== null && left !== script) || (right !== null && right !== script)) return -3;
  const alone = left === null && right === null;
  if (isUpper(char) && left !== null && isLower(before)) return -3;
  if (script !== 'latin') return alone ? 0 : 1.4;
  if (!COMMON_LATIN.has(char)) return -1;
  return alone ? (/[àéèêóøåæíúòáłżÀ]/i.test(char) ? 0.6 : -0.5) : 1.2;
}

/** Vowels and tones stand above or below a letter, never on their own. */
function judgeThai(char: string, before: string): number {
  if (!/[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]/.test(char)) return 1.6;
  return /[\u0e01-\u0e2e\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]/.test(before) ? 1.9 : -4;
}

function judgeSign(char: string, left: boolean, right: boolean): number {
  if (/[’'\u00ad·]/.test(char)) return left ? 1 : -0.5;
  if (left && right) return /[–—…]/.test(char) ? 0 : -3;
  if (/[“„«‘¿¡]/.test(char)) return !left ? 0.8 : -1;
  if (/[”»]/.test(char)) return !right ? 0.8 : -1;
  if (/[–—…€£§°•©®™\u00a0²³½×±№µªº]/.test(char)) return 0.4;
  return -1;
}

/** How sure the statistics are, 0–1 for each encoding; they know neither Mac Roman nor Thai. */
function statistics(bytes: Uint8Array): Map<string, number> {
  const found = new Map<string, number>();
  for (const { name, confidence } of chardet.analyse(bytes)) {
    // A guess of UTF-8 was refuted before; of UTF-16/32 without a mark or zero bytes it is noise.
    if (/^utf/i.test(name)) continue;
    const encoding = labelOf(name);
    if (encoding && !found.has(encoding)) found.set(encoding, confidence / 100);
  }
  return found;
}

/** Names that mail and pages use and the platform's decoder does not know. */
const ALIASES: Record<string, string> = {
  macroman: 'macintosh',
  'mac-roman': 'macintosh',
  cp874: 'windows-874',
  cp932: 'shift_jis',
  'cp-932': 'shift_jis',
  cp936: 'gbk',
  cp949: 'euc-kr',
  cp950: 'big5',
  'iso-8859-8-i': 'iso-8859-8-i',
  utf7: '',
};

/** The decoder's own name of an encoding; null for one that it does not know. */
export function labelOf(name: string): string | null {
  const folded = name.trim().toLowerCase();
  try {
    return new TextDecoder(Object.hasOwn(ALIASES, folded) ? ALIASES[folded] : folded).encoding;
  } catch {
    return null;
  }
}

export function guessEncoding(bytes: Uint8Array): string {
  const sample = bytes.length > 65_536 ? interesting(bytes) : bytes;
  const beyond = sample.reduce((count, byte) => count + (byte > 0x7f ? 1 : 0), 0);
  const sure = statistics(sample);
  // Ten letters say nothing by their pairs, a thousand say nearly all.
  const weight = 0.5 + Math.min(1.5, beyond / 400);
  const judged: Judged[] = [];
  for (const encoding of [...NARROW, ...Object.keys(WIDE)]) {
    const own = encoding in WIDE ? judgeWide(sample, encoding) : judgeNarrow(sample, encoding);
    if (own !== null) judged.push({ encoding, score: own + weight * (sure.get(encoding) ?? 0) });
  }
  judged.sort((a, b) => b.score - a.score);
  return judged[0]?.encoding ?? 'windows-1252';
}

/** 64 KiB around the first byte outside ASCII: the start of a long file may have none. */
function interesting(bytes: Uint8Array): Uint8Array {
  const first = Math.max(0, bytes.findIndex((byte) => byte > 0x7f) - 1024);
  return bytes.subarray(first, first + 65_536);
}
