import { claim, type ExtractedFact } from './facts.ts';

/** The preferences that have a name, how each is said in memory, and the slot in which one value holds at a time. */

interface PreferenceKind {
  about: string;
  /** Null: several may hold. */
  attribute: string | null;
  /** Predicate of the person. */
  say(value: string): string;
}

export const PREFERENCES = {
  language: {
    about: 'language of answers',
    attribute: 'language',
    say: (value) => `wants answers in ${value}`,
  },
  tone: {
    about: 'formal, friendly, …',
    attribute: 'preferred tone',
    say: (value) => `wants a ${value} tone`,
  },
  answer_length: {
    about: 'short, detailed, …',
    attribute: 'preferred answer length',
    say: (value) => `wants ${value} answers`,
  },
  format: {
    about: 'bullet points, tables, …',
    attribute: 'preferred format',
    say: (value) => `wants answers as ${value}`,
  },
  units: {
    about: 'metric or imperial',
    attribute: 'preferred units',
    say: (value) => `wants ${value} units`,
  },
  time_zone: {
    about: 'IANA name, e.g. Europe/Madrid',
    attribute: 'timezone',
    say: (value) => `time zone is ${value}`,
  },
  date_format: {
    about: 'e.g. 31.12.2026',
    attribute: 'preferred date format',
    say: (value) => `wants dates written like ${value}`,
  },
  form_of_address: {
    about: 'what the person wants to be called',
    attribute: 'nickname',
    say: (value) => `wants to be called ${value}`,
  },
  theme: { about: 'dark or light', attribute: 'preferred theme', say: (value) => `wants the ${value} theme` },
  other: { about: 'anything else, as a predicate', attribute: null, say: (value) => value },
} as const satisfies Record<string, PreferenceKind>;

export type PreferenceName = keyof typeof PREFERENCES;

export const PREFERENCE_NAMES = Object.keys(PREFERENCES).filter(
  (name): name is PreferenceName => name in PREFERENCES,
);

/** How many of them, the newest, are told to the agents with every prompt. */
export const TOLD_PREFERENCES = 20;

/** Name and value of a statement where it has the form that `say` gives; both null where somebody has put it in other words. */
export const preferenceIn = (
  text: string,
  attribute: string | null,
): { name: PreferenceName | null; value: string | null } => {
  const name = PREFERENCE_NAMES.find((one) => {
    const kind: PreferenceKind = PREFERENCES[one];
    return kind.attribute !== null && kind.attribute === attribute;
  });
  if (name === undefined) return { name: null, value: null };
  const [before = '', after = ''] = PREFERENCES[name].say('\n').split('\n');
  const isSaid =
    text.length > before.length + after.length && text.startsWith(before) && text.endsWith(after);
  return { name, value: isSaid ? text.slice(before.length, text.length - after.length) : null };
};

const zoneName = (text: string): string | null => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text.replaceAll(' ', '_') }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
};

/** The statement that keeps the preference; a text where the value is none. */
export const preferenceFact = (name: PreferenceName, value: string): ExtractedFact | string => {
  const kind: PreferenceKind = PREFERENCES[name];
  const zone = name === 'time_zone' ? zoneName(value) : value;
  if (zone === null) return `${value} is no time zone; a name like Europe/Madrid is needed.`;
  return { kind: 'fact', subject: null, ...claim(kind.say(zone), kind.attribute, 'preference') };
};
