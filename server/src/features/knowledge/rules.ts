import { type Caller, ROLES, type Role, type Scope } from '../../kernel/caller.ts';
import { type QueryTerm, type TermMatch, termMatches } from './terms.rules.ts';

/** `role`: those of the tenant that have one of the document's roles, and its owner. */
export type Visibility = 'private' | 'tenant' | 'role';

/** Stored in documents and both indexes: a number never changes its role. */
const ROLE_BITS: Readonly<Record<Role, number>> = {
  admin: 1,
  operator: 2,
  analyst: 4,
  user: 8,
  readonly: 16,
};

/** Roles as one number, in which each has a bit. */
export const roleSet = (roles: readonly Role[]): number =>
  roles.reduce((set, role) => set | ROLE_BITS[role], 0);

export const rolesIn = (set: number): Role[] => ROLES.filter((role) => (set & ROLE_BITS[role]) !== 0);

/** Every set that shares a role with `set`. */
export const setsThatMeet = (set: number): number[] =>
  Array.from({ length: 2 ** ROLES.length }, (_, other) => other).filter((other) => (other & set) !== 0);

export const rolesOf = (scope: Scope): number => roleSet(scope.roles ?? []);

/** Short names of the contract for the types that documents have. */
export const CONTENT_TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
  markdown: 'text/markdown',
  text: 'text/plain',
  csv: 'text/csv',
  json: 'application/json',
  eml: 'message/rfc822',
  mbox: 'application/mbox',
  epub: 'application/epub+zip',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
  rtf: 'application/rtf',
  msg: 'application/vnd.ms-outlook',
  doc: 'application/msword',
  xls: 'application/vnd.ms-excel',
  ppt: 'application/vnd.ms-powerpoint',
};

/** `pdf` or `application/pdf` → `application/pdf`. */
export const fullContentType = (type: string): string =>
  (Object.hasOwn(CONTENT_TYPES, type.toLowerCase()) ? CONTENT_TYPES[type.toLowerCase()] : undefined) ??
  type.toLowerCase();

/** Other names of the same types, as clients declare them. */
const DECLARED_TYPES: ReadonlySet<string> = new Set([
  ...Object.values(CONTENT_TYPES),
  'application/xhtml+xml',
  'text/x-markdown',
  'text/tab-separated-values',
  'application/x-ndjson',
  'text/rtf',
]);

/** Names the types where `type` (`markdown`, `text/html; charset=utf-8`) is none that documents have; else null. */
export const contentTypeFault = (type: string): string | null => {
  const name = type.split(';')[0]?.trim() ?? '';
  if (DECLARED_TYPES.has(fullContentType(name))) return null;
  return `must be one of ${Object.keys(CONTENT_TYPES).join(', ')}, or their media types`;
};

/** Who may change or delete a document that they can see: its owner, and an admin (contract, section 3). */
export const mayChangeDocument = (
  caller: Pick<Caller, 'userId' | 'roles'>,
  document: { userId: string },
): boolean => document.userId === caller.userId || caller.roles.includes('admin');

/** Longest JSON of a metadata value that can be filtered by. */
export const MAX_FACT_CHARACTERS = 512;

/** JSON with sorted keys, so that equal values have equal text. */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const parts = Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => `${JSON.stringify(key)}:${canonicalJson(inner)}`);
    return `{${parts.join(',')}}`;
  }
  return JSON.stringify(value);
};

export interface Fact {
  key: string;
  value: string;
}

/** What of a document's metadata can be filtered by: each top-level value, and each element of a top-level array. */
export const factsOf = (metadata: Record<string, unknown>): Fact[] => {
  const facts = new Map<string, Fact>();
  for (const [key, value] of Object.entries(metadata)) {
    for (const one of Array.isArray(value) ? [value, ...value] : [value]) {
      const fact = { key, value: canonicalJson(one) };
      if (key.length <= MAX_FACT_CHARACTERS && fact.value.length <= MAX_FACT_CHARACTERS) {
        facts.set(`${key}\n${fact.value}`, fact);
      }
    }
  }
  return [...facts.values()];
};

/**
 * A client's file name as it is kept: the last part of a path, without control and direction characters, at most 255
 * characters; null when nothing is left. It is shown and sent back, never used as a path.
 */
export const cleanFilename = (name: string | undefined): string | null => {
  const base = (name ?? '').split(/[/\\]/).at(-1) ?? '';
  const clean = base
    .toWellFormed()
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim();
  const cut = [...clean].slice(0, 255).join('');
  return cut === '' || cut === '.' || cut === '..' ? null : cut;
};

const MAX_TITLE = 500;

/** The title given, else the document's own, else its name without the ending, else its first words. */
export const titleOf = (
  given: string | null,
  own: string | null,
  filename: string | null,
  text: string,
): string => {
  const fromName = filename?.replace(/(?<=.)\.[A-Za-z0-9]{1,8}$/, '') ?? '';
  const firstLine = text.trimStart().split('\n', 1)[0]?.trim() ?? '';
  for (const candidate of [given, own, fromName, [...firstLine].slice(0, 80).join('')]) {
    const title = candidate?.replaceAll(/[\u0000-\u001f\u007f]+/g, ' ').trim();
    if (title) return [...title].slice(0, MAX_TITLE).join('');
  }
  return 'Untitled';
};

/** A name for documents that came without one. */
export const downloadName = (document: {
  filename: string | null;
  id: string;
  contentType: string;
}): string => {
  const type = Object.entries(CONTENT_TYPES).find(([, full]) => full === document.contentType)?.[0] ?? 'bin';
  const ending = { text: 'txt', markdown: 'md' }[type] ?? type;
  return document.filename ?? `${document.id}.${ending}`;
};

/** Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009) with the usual constant. */
export const RRF_K = 60;

const reciprocal = (index: number): number => 1 / (RRF_K + index + 1);

/** What the second, third … passage of one document keeps of its score. */
export const REPEAT_FACTOR = 0.5;

export interface RankedPassage {
  seq: number;
  documentId: string;
  /** 1 for the best passage of a document that is first in every list. */
  score: number;
}

/**
 * Lists of passages, best first → all of them, best first. Fused twice: documents (each at the place of its best passage
 * in each list) settle where a document stands, passages which of its passages stands for it. Further passages of a
 * document keep their own fused score times a factor for each before them, so that one long document does not crowd
 * out the others, and still fills the answer when it is the only one.
 */
export const rankPassages = (
  lists: readonly (readonly { seq: number; documentId: string }[])[],
): RankedPassage[] => {
  const passages = new Map<number, RankedPassage>();
  const documents = new Map<string, number>();
  for (const list of lists) {
    const seen = new Set<string>();
    list.forEach(({ seq, documentId }, index) => {
      const passage = passages.get(seq) ?? { seq, documentId, score: 0 };
      passage.score += reciprocal(index);
      passages.set(seq, passage);
      if (seen.has(documentId)) return;
      documents.set(documentId, (documents.get(documentId) ?? 0) + reciprocal(seen.size));
      seen.add(documentId);
    });
  }
  const best = Math.max(1, lists.length) / (RRF_K + 1);
  const before = new Map<string, number>();
  return [...passages.values()]
    .sort((a, b) => b.score - a.score)
    .map(({ seq, documentId, score }) => {
      const repeats = before.get(documentId) ?? 0;
      before.set(documentId, repeats + 1);
      const own = repeats === 0 ? (documents.get(documentId) ?? score) : score * REPEAT_FACTOR ** repeats;
      return { seq, documentId, score: own / best };
    })
    .sort((a, b) => b.score - a.score);
};

/** Lists of models whose similarities do not compare as one: the first of each, the second of each, … */
export const interleave = <T>(lists: readonly (readonly T[])[]): T[] => {
  const longest = Math.max(0, ...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list.slice(i, i + 1))).flat();
};

const SNIPPET_CHARACTERS = 200;
const MAX_SNIPPETS = 2;

const wordBorder = (text: string, at: number, step: 1 | -1): number => {
  let i = at;
  for (let moved = 0; moved < 24; moved++) {
    if (i <= 0 || i >= text.length) return Math.max(0, Math.min(text.length, i));
    if (/\s/.test(text[step === 1 ? i : i - 1] ?? ' ')) return i;
    i += step;
  }
  // No blank near (a script without them): only never between the halves of a character.
  return at > 0 && at < text.length && /[\udc00-\udfff]/.test(text[at] ?? '') ? at + 1 : at;
};

/** Stretches of the text that have most of the query's words, as plain text, best first. */
const snippets = (text: string, matches: readonly TermMatch[]): string[] => {
  const windows = matches.map((first, i) => {
    const inside = matches.slice(i).filter((m) => m.end - first.start <= SNIPPET_CHARACTERS);
    const last = inside.at(-1) ?? first;
    return { start: first.start, end: last.end, terms: new Set(inside.map((m) => m.term)).size };
  });
  windows.sort((a, b) => b.terms - a.terms || a.start - b.start);
  const chosen: typeof windows = [];
  for (const window of windows) {
    if (chosen.length >= MAX_SNIPPETS) break;
    if (chosen.every((c) => window.start >= c.end || window.end <= c.start)) chosen.push(window);
  }
  return chosen.map(({ start, end }) => {
    const spare = Math.max(0, Math.floor((SNIPPET_CHARACTERS - (end - start)) / 2));
    const from = wordBorder(text, Math.max(0, start - spare), -1);
    const to = wordBorder(text, Math.min(text.length, end + spare), 1);
    return text.slice(from, to).replaceAll(/\s+/g, ' ').trim();
  });
};

export interface Highlighting {
  highlights: string[];
  /** Share of the query's words that the text has, 0–1. */
  coverage: number;
}

export const highlight = (text: string, terms: readonly QueryTerm[]): Highlighting => {
  const matches = termMatches(text, terms).slice(0, 200);
  const distinct = new Set(matches.map((m) => m.term)).size;
  return {
    highlights: snippets(text, matches),
    coverage: terms.length === 0 ? 0 : distinct / terms.length,
  };
};

export const clamp01 = (value: number): number => Math.min(1, Math.max(0, value));

/** Fields that a PATCH has set, each with an id of that moment: uploads from before it do not undo it. */
export type Patched = Partial<Record<'title' | 'metadata' | 'sharing', string>>;

/** Whether a PATCH has set the field after the upload came. */
export const isPatched = (patched: Patched, field: keyof Patched, uploadId: string): boolean =>
  (patched[field] ?? '') > uploadId;

export const withPatch = (
  patched: Patched,
  changes: Partial<Record<keyof Patched, unknown>>,
  when: string,
): Patched => {
  const next = { ...patched };
  for (const field of ['title', 'metadata', 'sharing'] as const)
    if (changes[field] !== undefined) next[field] = when;
  return next;
};
