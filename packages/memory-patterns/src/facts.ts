import { foldName } from 'pentarch-prose';

/** What the extraction finds in a message, before it is stored. */
export interface EntityMention {
  name: string;
  entityType: string;
}

export interface ExtractedFact {
  kind: 'fact';
  /** Null = the author. */
  subject: EntityMention | null;
  /** The predicate in the third person: `works at Acme`. */
  text: string;
  /** Slot of which one value holds at a time; null where many may. */
  attribute: string | null;
  category: 'preference' | 'identity' | 'fact';
  /** 0–1 */
  importance: number;
  relation: { type: string; to: EntityMention } | null;
}

export type Extracted =
  | ExtractedFact
  /** What was said before no longer holds: `I no longer work at Acme`. */
  | { kind: 'end'; subject: EntityMention | null; attribute: string | null; words: string }
  /** `it's green, not blue`: the statement that has `before` in it. */
  | { kind: 'replace'; before: string; after: string }
  /** Ends what was said before of the topic, where there is something; `otherwise` holds where there is nothing. */
  | {
      kind: 'revise';
      /** Words of what is spoken of; empty = what has the old value. */
      topic: string;
      before: string | null;
      after: string;
      form: 'change' | 'takeover' | 'contrast' | 'spelling' | 'last' | 'stated again' | 'stated';
      otherwise: Extracted[];
    }
  /** To be deleted: statements that match `words`; `everything` = all of the author's own. */
  | { kind: 'forget'; words: string; everything: boolean };

/** Facts as a person reads them: `works at Acme`, `Nadia: leads sales`. */
export const factLines = (found: readonly Extracted[]): string[] =>
  found.flatMap((one) => {
    if (one.kind === 'replace') return [`${one.after}, not ${one.before}`];
    if (one.kind === 'revise') {
      const lines = factLines(one.otherwise);
      return lines.length > 0 || one.form === 'contrast'
        ? lines
        : [[one.topic, one.after].filter((part) => part !== '').join(': ')];
    }
    if (one.kind !== 'fact') return [];
    const text = one.text.replace(/^said: /, '');
    return [one.subject === null ? text : `${one.subject.name}: ${text}`];
  });

/** What a predicate says, whoever its subject is. */
export interface Claim {
  text: string;
  attribute: string | null;
  category: ExtractedFact['category'];
  importance: number;
  relation: ExtractedFact['relation'];
}

export const claim = (
  text: string,
  attribute: string | null,
  category: Claim['category'] = 'fact',
  relation: Claim['relation'] = null,
): Claim => ({
  text,
  attribute,
  category,
  importance: category === 'preference' ? 0.7 : category === 'identity' ? 0.8 : 0.5,
  relation,
});

/** One spelling for words that people spell in two ways, so that slots meet. */
const SPELLING: Readonly<Record<string, string>> = {
  favorite: 'favourite',
  favourite: 'favourite',
  favourites: 'favourite',
  favorites: 'favourite',
  color: 'colour',
  colors: 'colour',
  colours: 'colour',
  fave: 'favourite',
  boss: 'manager',
  supervisor: 'manager',
  chef: 'manager',
  vorgesetzter: 'manager',
  job: 'role',
  profession: 'role',
  occupation: 'role',
  position: 'role',
  beruf: 'role',
  company: 'employer',
  workplace: 'employer',
  arbeitgeber: 'employer',
  firma: 'employer',
  birthdate: 'birthday',
  geburtstag: 'birthday',
  geburtsdatum: 'birthday',
  mobile: 'phone',
  cell: 'phone',
  telephone: 'phone',
  telefonnummer: 'phone',
  handynummer: 'phone',
  mail: 'email',
  'e-mail': 'email',
  emailadresse: 'email',
  hometown: 'residence',
  wohnort: 'residence',
  wife: 'spouse',
  husband: 'spouse',
  frau: 'spouse',
  mann: 'spouse',
  hund: 'dog',
  katze: 'cat',
  schwester: 'sister',
  bruder: 'brother',
  mutter: 'mother',
  mom: 'mother',
  mum: 'mother',
  vater: 'father',
  dad: 'father',
  tochter: 'daughter',
  sohn: 'son',
  muttersprache: 'language',
  anniversaire: 'birthday',
  cumpleaños: 'birthday',
  adresse: 'address',
  dirección: 'address',
  anschrift: 'address',
  téléphone: 'phone',
  teléfono: 'phone',
  couleur: 'colour',
  farbe: 'colour',
  favori: 'favourite',
  préférée: 'favourite',
  préféré: 'favourite',
  favorito: 'favourite',
  favorita: 'favourite',
  nombre: 'name',
  nom: 'name',
  trabajo: 'role',
  gehalt: 'salary',
  salaire: 'salary',
  sueldo: 'salary',
};

export const spelling = (word: string): string => SPELLING[word] ?? word;

const DROPPED = new Set([
  'my',
  'our',
  'the',
  'a',
  'an',
  'own',
  'new',
  'current',
  'number',
  'address',
  'date',
  'full',
  'first',
  'preferred',
  'mein',
  'meine',
  'unser',
  'unsere',
  'mon',
  'ma',
  'mes',
  'notre',
  'nos',
  'mi',
  'mis',
  'of',
  'native',
]);

/** `favorite color` → `favourite colour`; `phone number` → `phone`; `dog's name` → `dog name`. */
export const slotOf = (phrase: string): string => {
  const german = foldName(phrase).replace(
    /\blieblings-?(\p{L}+)/gu,
    (_all, thing: string) => `favourite ${THINGS[thing] ?? thing}`,
  );
  const words = german
    .replaceAll(/'s\b|’s\b/g, '')
    .split(/[^\p{L}\p{N}-]+/u)
    .filter((word) => word !== '');
  const kept = words.filter((word) => !DROPPED.has(word)).map(spelling);
  return (kept.length > 0 ? kept : words).join(' ');
};

const THINGS: Readonly<Record<string, string>> = {
  farbe: 'colour',
  essen: 'food',
  gericht: 'food',
  speise: 'food',
  film: 'movie',
  buch: 'book',
  tier: 'animal',
  stadt: 'city',
  band: 'band',
  lied: 'song',
  getränk: 'drink',
  sprache: 'language',
};
