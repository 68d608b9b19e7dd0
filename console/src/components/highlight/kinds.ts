import type { LanguageId } from './languages.ts';

const KINDS = [
  'comment',
  'constant',
  'deleted',
  'function',
  'inserted',
  'keyword',
  'link',
  'parameter',
  'punctuation',
  'string',
  'string-expression',
] as const;

/** What a piece of code is, as the stylesheet colours it. */
export type Kind = (typeof KINDS)[number];

export const isKind = (name: string | undefined): name is Kind => KINDS.some((kind) => kind === name);

export type Piece = readonly [text: string, kind: Kind | null];

export interface HighlightInput {
  code: string;
  language: LanguageId;
}
export interface HighlightOutput {
  /** Null: it could not be read as that language. */
  lines: Piece[][] | null;
}
