/** Pure: from text to comparable terms, for the built-in model. */

const STOP = new Set(
  `a about an and any are as at be been being but by can could did do does for from had has have how i if in into is it its
  me may might must my of on or our please shall should so than that the their them then there these they this those to tell
  us was we were what when where which who whom whose why will with would you your much many long often far give show explain
  describe say says said know according document documents file mean means there's what's who's also just
  not no can't cannot don't doesn't didn't won't isn't aren't per until behind
  der die das ein eine einer eines einem einen und oder ist sind war waren wird werden wurde wurden hat haben hatte wie was wer
  wann wo warum wieso welche welcher welches wieviel viele viel lang lange man through under within after before below above between during von vom zu zum zur im in den dem des mit auf für bei aus nach an am es sie er
  ich wir kann können muss soll nicht als auch dass bitte
  le la les un une des du de et ou est sont était qui que quoi quand où comment pourquoi combien quel quelle quels quelles dans sur
  pour par avec ce cette ces il elle ils elles au aux
  何 誰 時 什么 哪里 多少
  el los las una unos unas y es son fue quién qué cuándo dónde cómo cuánto cuántos cuál por para con en su sus del al`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** Words that ask and tell the same. Compared after stemming. */
const SYNONYMS = [
  'high tall height',
  'big large size',
  'old age',
  'price cost pay paid fee charge salary wage earn fare',
  'begin start commence open',
  'end finish expire stop close',
  'buy purchase',
  'boss manager head lead officer director chief responsible direct chair run',
  'design architect drew draw plan',
  'make manufacture maker',
  'sell supply supplier dealer shop',
  'teach lecture professor lecturer',
  'ask question enquire inquiry',
  'change alter amend',
  'open opening',
  'company firm business',
  'injure injury sprain wound hurt broken',
  'move relocate removal collect',
  'take last duration',
  'keep kept stored stow',
  'wear clothe vest',
  'harvest crop',
  'hold contain capacity fit carry',
  'phone telephone call',
  'email e-mail mail',
  'build construct erect',
  'create found establish',
  'buyer customer client',
  // What is asked for as allowed is told as forbidden as well.
  'allow permit may admit bring let forbid prohibit ban',
  'deadline due',
  'vacation holiday leave',
  'employee staff worker',
  'repair fix mend',
  'car vehicle',
  'ill sick',
  'doctor physician',
  'live reside',
  'write author wrote written',
  'invent inventor',
  'weigh weight heavy',
  'distance away far',
  'fast speed quick',
  'happen occur',
  'answer reply respond',
  'contain include',
  'password passphrase',
  'delete remove erase',
  'store save keep',
  'temperature degree',
  'deep depth',
  'wide width broad',
  'long length',
  'send submit',
  'quit terminate cancel notice',
  'own belong',
  'need require must',
  'loud noise sound',
  'show display',
  'help support assist',
  'location lie situated',
  'frequency interval each every',
  'reset restore',
  'maximum limit most',
  'minimum least',
];

/** Forms that no ending tells. */
const IRREGULAR = new Map(
  // Regular, but too short for the rule of endings.
  `asked ask,asks ask,added add,ended end,owned own,ate eat,eaten eat,began begin,begun begin,bought buy,broke break,broken break,brought bring,built build,came come,
  caught catch,chose choose,chosen choose,drew draw,drawn draw,drove drive,driven drive,fed feed,fell fall,fallen fall,
  felt feel,flew fly,flown fly,fought fight,found find,froze freeze,frozen freeze,gave give,given give,grew grow,
  grown grow,held hold,hung hang,kept keep,knew know,known know,laid lay,led lead,left leave,lent lend,lost lose,
  met meet,paid pay,ran run,rose rise,risen rise,said say,sang sing,sank sink,sat sit,sent send,shut close,sold sell,
  unsold sell,sown sow,spent spend,spoke speak,spoken speak,stood stand,stole steal,stolen steal,swam swim,taken take,
  taught teach,thought think,threw throw,thrown throw,told tell,took take,tore tear,torn tear,understood understand,
  went go,gone go,woke wake,won win,wore wear,worn wear,wrote write,written write,feet foot,children child,men man,
  women woman,people person,mice mouse,better good,best good`
    .split(',')
    .map((pair): [string, string] => {
      const [form = '', base = ''] = pair.trim().split(' ');
      return [form, base];
    }),
);

/** A light English stemmer that leaves other languages nearly alone: endings only, never below three letters. */
export function stem(word: string): string {
  const bare = word.replace(/['’]s$/, '');
  let w = IRREGULAR.get(bare) ?? bare;
  if (w.length > 3)
    w = w
      .replace(/(ss)es$/, '$1')
      .replace(/ies$/, 'y')
      .replace(/([^su])s$/, '$1');
  if (w.length > 5) w = w.replace(/(?:ing|ed)$/, '').replace(/([bdgmnprt])\1$/, '$1');
  if (w.length > 6) w = w.replace(/(?:ation|ment|ness)$/, '');
  if (w.length > 5) w = w.replace(/ly$/, '');
  return w.length > 3 ? w.replace(/e$/, '') : w;
}

const GROUPS = new Map<string, number>();
SYNONYMS.forEach((line, group) => {
  for (const word of line.split(' ')) if (!GROUPS.has(stem(word))) GROUPS.set(stem(word), group);
});

export interface Term {
  stem: string;
  /** As written, to tell names. */
  word: string;
  isName: boolean;
}

/** Runs of ideographs, of katakana, and words; hiragana between them is mostly grammar. */
const WORD =
  /\p{Script=Han}+|[\p{Script=Katakana}ー]{2,}|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}])+(?:[.,:'’-](?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}])+)*/gu;
const GERMAN = /\b(?:wie|wer|wem|wann|warum|welche[rsmn]?|der|das|dem|ist|sind|kann|und|wird|werden)\b/i;
const HAN = /^\p{Script=Han}/u;

/** Terms with content, in order, each once. Ideographs give pairs of characters. */
export function contentTerms(text: string): Term[] {
  // German writes all nouns large, so only numbers are telling there.
  const namesByCase = !GERMAN.test(text);
  const seen = new Map<string, Term>();
  for (const { 0: word, index } of text.normalize('NFC').matchAll(WORD)) {
    const parts = HAN.test(word) ? pairs(word) : [word];
    for (const part of parts) {
      const lower = part.toLowerCase();
      if (STOP.has(lower) || (lower.length < 2 && !/[\p{N}\p{Script=Han}]/u.test(lower))) continue;
      const key = HAN.test(part) ? part : stem(lower);
      const first = /(?:^|[.!?]\s+)["'“]?$/.test(text.slice(Math.max(0, index - 4), index));
      const isName = /\p{N}/u.test(part) || (namesByCase && /^\p{Lu}/u.test(part) && !first);
      if (!seen.has(key)) seen.set(key, { stem: key, word: part, isName });
    }
  }
  return [...seen.values()];
}

function pairs(run: string): string[] {
  const chars = [...run];
  if (chars.length < 3) return [run];
  return chars.slice(1).map((char, i) => `${chars[i]}${char}`);
}

/** How well a text's term answers a question's term, 0–1. */
export function likeness(question: string, term: string): number {
  if (question === term) return 1;
  const group = GROUPS.get(question);
  if (group !== undefined && group === GROUPS.get(term)) return 0.8;
  const shorter = Math.min(question.length, term.length);
  // Who or what does it: "own" and "owner", "suppl(y)" and "supplier".
  const [short, long] = question.length < term.length ? [question, term] : [term, question];
  if (
    shorter >= 3 &&
    [`${short}er`, `${short}r`, `${short}or`, `${short.replace(/y$/, 'i')}er`].includes(long)
  )
    return 0.85;
  // "engineer" and "engineering", "lighthouse" and "lighthousekeeper".
  // A compound that goes on for long is about something else ("Mitglied", "Mitgliedsbeitrag").
  if (shorter >= 5 && long.length - shorter <= 6 && long.startsWith(short)) return 0.85;
  if (shorter >= 6 && question.slice(0, shorter - 1) === term.slice(0, shorter - 1)) return 0.7;
  if (shorter >= 7 && question.slice(0, shorter - 2) === term.slice(0, shorter - 2)) return 0.7;
  return 0;
}
