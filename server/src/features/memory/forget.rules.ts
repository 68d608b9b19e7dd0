import { slotOf, spelling } from 'pentarch-memory-patterns';
import { bounded, foldName } from 'pentarch-prose';
import { areApart, type Held } from './revise.rules.ts';
import { MAX_TEXT } from './rules.ts';
import { isStopWord, stem, stemsOf, termsOf } from './words.rules.ts';

/** Which statements a request to forget means: names, slots and whole words decide, likeness of meaning only asks. Pure. */

/** Likeness of meaning from which a statement may be of the topic. */
const MAY_BE = 0.24;

interface Category {
  /** Words that name the category, and words that stand in what belongs to it. */
  named: ReadonlySet<string>;
  holds: ReadonlySet<string>;
  /** Too wide for one of its words to be certain. */
  asks: boolean;
}

const category = (named: string, holds: string, asks = false): Category => ({
  named: new Set(named.split(' ').map(stem)),
  holds: new Set(`${named} ${holds}`.split(' ').map(stem)),
  asks,
});

/** What is kept of a part of a person's life in other words than its name, in four languages. */
const CATEGORIES: readonly Category[] = [
  category(
    'medication medicine medicines drugs prescription medikament medikamente médicament médicaments medicamento medicamentos',
    'pill pills tablet tablets mg dose inhaler insulin tabletten pastillas',
  ),
  category(
    'health illness disease condition diagnosis krankheit gesundheit erkrankung maladie santé enfermedad salud',
    'diagnosed symptoms surgery allergic allergy diabetes asthma',
    true,
  ),
  category(
    'address street residence live adresse anschrift wohne habite dirección vivo',
    'lives wohnt rue calle',
  ),
  category(
    'salary income wage earn gehalt verdiene salaire gagne sueldo salario gano',
    'earns paid verdient',
  ),
  category(
    'ex divorce separation scheidung trennung séparation divorcio',
    'divorced separated getrennt divorcé',
  ),
  category('birthday geburtstag anniversaire cumpleaños', 'born geboren né née nací'),
  category('job employer profession beruf travail trabajo', 'works role arbeite travaille'),
  category('phone mobile telephone telefon handynummer téléphone teléfono', ''),
];

export type Meant = 'yes' | 'perhaps' | 'no';

interface Word {
  folded: string;
  isCapital: boolean;
  /** Only a blank is between it and the word before. */
  follows: boolean;
}

const WORD = bounded(MAX_TEXT, /[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu);

const wordsIn = (text: string): Word[] => {
  let end = -1;
  return [...text.normalize('NFC').matchAll(WORD)].map(({ 0: found, index }) => {
    const follows = index === end + 1 && text[end] === ' ';
    end = index + found.length;
    const folded = foldName(found.replace(/['’]s?$/, ''));
    return { folded, isCapital: /^\p{Lu}/u.test(found), follows };
  });
};

const OWN =
  /^(?:my|our|i|i'm|mein|meine[mnrs]?|unser|unsere[mnrs]?|ich|mon|ma|mes|notre|nos|mi|mis|nuestr[ao]s?)(?![\p{L}\p{N}])/iu;
const singular = (word: string): string =>
  word.length < 4 ? word : word.replace(/ies$/, 'y').replace(/(?<=s|x|z|ch|sh)es$|(?<!s)s$/, '');

/** The same word, in one number or the other if it is `bent`; a name is only itself (`Adam` is not `Adams`). */
const isSame = (a: Word, b: Word, bent: boolean): boolean =>
  spelling(a.folded) === spelling(b.folded) ||
  (bent && !a.isCapital && !b.isCapital && singular(a.folded) === singular(b.folded));

const contentOf = (text: string): Word[] => wordsIn(text).filter(({ folded }) => !isStopWord(folded));

/** The names in a text that have these words in them: `dana miller` for `dana`. */
const namesWith = (text: string, name: readonly string[], known: ReadonlySet<string>): string[] => {
  const words = wordsIn(text);
  const said = (from: number, to: number): string =>
    words
      .slice(from, to)
      .map(({ folded }) => folded)
      .join(' ');
  return words.flatMap((_, at) => {
    let [from, to] = [at, at + name.length];
    if (said(from, to) !== name.join(' ') || words.slice(at + 1, to).some(({ follows }) => !follows))
      return [];
    while (words[to]?.follows === true && words[to]?.isCapital === true) to += 1;
    while (from > 0 && words[from]?.follows === true && known.has(said(from - 1, to))) from -= 1;
    return [said(from, to)];
  });
};

export interface ForgetTopic {
  text: string;
  words: readonly Word[];
  /** The words that stand together as a name, and the full names that they can only mean; none = of several. */
  names: readonly { words: readonly string[]; full: ReadonlySet<string> }[];
  known: ReadonlySet<string>;
}

const VALUE = bounded(MAX_TEXT, /^(.{1,60}?) is (\p{Lu}.{0,80})$/u);

/** A slot whose value begins with a capital letter: `sister is Clara`. */
export const namedValueOf = (text: string): { slot: string; value: string } | null => {
  const [, slot, value] = VALUE.exec(text) ?? [];
  return slot === undefined || value === undefined ? null : { slot: slotOf(slot), value };
};

const textsOf = (held: Held): string[] => [...(held.isSelf ? [] : [held.entityName]), held.text];

const knownNames = (statements: readonly Held[]): Set<string> =>
  new Set(
    statements.flatMap((held) => [
      ...(held.isSelf ? [] : [foldName(held.entityName)]),
      ...(held.isSelf ? [foldName(namedValueOf(held.text)?.value ?? '')] : []),
    ]),
  );

/** Runs of capitalised words; a topic of nothing but a few bare words (of a tool) is one name as a whole. */
const runsOf = (text: string, words: readonly Word[]): string[][] => {
  const runs: string[][] = [];
  let last: Word | null = null;
  for (const word of words) {
    // `Hund Bello`: a noun with a listed synonym is no part of a name.
    const goesOn = last?.isCapital === true && word.follows && spelling(last.folded) === last.folded;
    if (word.isCapital && goesOn) runs.at(-1)?.push(word.folded);
    else if (word.isCapital) runs.push([word.folded]);
    last = word;
  }
  const isBare = words.length > 0 && words.length <= 3 && wordsIn(text).length === words.length;
  return runs.length === 0 && isBare ? [words.map(({ folded }) => folded)] : runs;
};

export const readTopic = (text: string, statements: readonly Held[]): ForgetTopic => {
  const known = knownNames(statements);
  const words = contentOf(text);
  const names = runsOf(text, words).map((run) => {
    const own = run.join(' ');
    if (known.has(own)) return { words: run, full: new Set([own]) };
    const longer = new Set(
      [...statements.flatMap(textsOf), ...known].flatMap((one) => namesWith(one, run, known)),
    );
    for (const one of known) if (` ${one} `.includes(` ${own} `)) longer.add(one);
    longer.delete(own);
    return { words: run, full: new Set(longer.size > 1 ? [] : [own, ...longer]) };
  });
  return { text, words, names, known };
};

/** Whether the statement names one by the full name, not only by a part of it. */
export const holdsName = (held: Held, name: string, known: ReadonlySet<string>): boolean => {
  const words = wordsIn(name).map(({ folded }) => folded);
  return (
    words.length > 0 && textsOf(held).some((text) => namesWith(text, words, known).includes(words.join(' ')))
  );
};

const holdsAll = (topic: ForgetTopic, held: Held): boolean => {
  const document = contentOf([...textsOf(held), held.attribute ?? ''].join(' . '));
  // `forget about work` does not mean who works where.
  const bent = topic.words.length > 1 || OWN.test(topic.text);
  return (
    topic.words.length > 0 &&
    topic.words.every((word) => document.some((one) => isSame(word, one, bent))) &&
    topic.names.every(
      ({ words, full }) =>
        (words.length === 1 &&
          !textsOf(held).some((text) => namesWith(text, words, topic.known).length > 0)) ||
        textsOf(held).some((text) => namesWith(text, words, topic.known).some((name) => full.has(name))),
    )
  );
};

const isSlot = (topic: string, { attribute }: Held): boolean => {
  const slot = slotOf(topic);
  return (
    attribute !== null &&
    slot !== '' &&
    (attribute === slot || attribute === `${slot} name` || attribute.startsWith(`${slot} `))
  );
};

const byCategory = (topic: ForgetTopic, held: Held): Meant => {
  const terms = termsOf(topic.text);
  const document = new Set(stemsOf(`${held.text} ${held.attribute ?? ''}`));
  const found = CATEGORIES.find(
    ({ named, holds }) =>
      terms.length > 0 &&
      terms.every((term) => named.has(term)) &&
      [...document].some((word) => holds.has(word)),
  );
  if (found === undefined || !held.isSelf) return 'no';
  return found.asks ? 'perhaps' : 'yes';
};

const PEOPLE: ReadonlySet<string> = new Set(
  `sister brother mother father mum mom dad parents wife husband spouse partner girlfriend boyfriend son daughter child children
kids cousin uncle aunt grandmother grandfather grandma grandpa nephew niece friend colleague coworker manager boss assistant
neighbour neighbor roommate flatmate client team family company dog cat schwester bruder mutter vater eltern frau mann sohn
tochter kind kinder onkel tante oma opa freund freundin kollege kollegin chef chefin nachbar nachbarin hund katze soeur sœur
frère mère père femme mari fils fille ami amie collègue chien chat hermana hermano madre padre esposa esposo marido mujer
hijo hija amigo amiga perro gato`.split(/\s+/),
);

/** Kept with the person, but said of one of theirs whom the topic does not name: `sister lives in Lisbon`. */
const isOfTheirs = (topic: ForgetTopic, held: Held): boolean => {
  const first = wordsIn(held.text.replace(/^(?:said|noted): /, '').replace(OWN, ' '))
    .slice(0, 3)
    .find(({ folded }) => PEOPLE.has(folded));
  return first !== undefined && !topic.words.some((word) => isSame(word, first, true));
};

/** `likeness` of meaning to the topic, −1–1: it makes a statement worth asking about, and never more. */
export const meansStatement = (topic: ForgetTopic, held: Held, likeness: number): Meant => {
  if (OWN.test(topic.text) && !held.isSelf) return 'no';
  const related = byCategory(topic, held);
  const sure = related === 'yes' || isSlot(topic.text, held) || holdsAll(topic, held);
  if (sure) return OWN.test(topic.text) && isOfTheirs(topic, held) ? 'perhaps' : 'yes';
  const document = contentOf([...textsOf(held), held.attribute ?? ''].join(' . '));
  const meets = topic.words.some((word) => document.some((one) => isSame(word, one, true)));
  return related === 'perhaps' || likeness >= MAY_BE || meets ? 'perhaps' : 'no';
};

const THE = /^(?:the|der|die|das|den|le|la|el) /i;

/** `the budget`, where several things have one: which is meant is not said. */
export const isOfSeveral = (topic: ForgetTopic, meant: readonly Held[]): boolean => {
  const [first, ...others] = meant;
  if (first === undefined || topic.words.length !== 1 || !THE.test(topic.text)) return false;
  const said = termsOf(topic.text);
  return others.some((other) => areApart(said, first, other));
};

/** `my sister Clara`: the full name of whom the person has said that it is so; null where nothing or several fit. */
export const namedByRole = (topic: string, statements: readonly Held[]): string | null => {
  const own = OWN.exec(topic);
  if (own === null) return null;
  const words = topic.slice(own[0].length).trim().split(' ');
  for (let at = 1; at < words.length; at++) {
    const [slot, name] = [slotOf(words.slice(0, at).join(' ')), words.slice(at).join(' ')];
    if (!/^\p{Lu}/u.test(name)) continue;
    const folded = foldName(name);
    const roles = statements.flatMap((held) => {
      const said = held.isSelf ? namedValueOf(held.text) : null;
      return said === null ? [] : [{ ...said, full: foldName(said.value) }];
    });
    const isRole = (one: { slot: string }): boolean => one.slot === slot || one.slot.endsWith(` ${slot}`);
    const found = new Map(
      roles
        .filter((one) => isRole(one) && (one.full === folded || one.full.startsWith(`${folded} `)))
        .map(({ full, value }) => [full, value]),
    );
    const full = found.has(folded) ? folded : found.size === 1 ? [...found.keys()][0] : undefined;
    // A friend of the same name as the sister is kept under the one name: not all of it is the sister's.
    if (full === undefined || roles.some((one) => one.full === full && !isRole(one))) continue;
    return found.get(full) ?? null;
  }
  return null;
};
