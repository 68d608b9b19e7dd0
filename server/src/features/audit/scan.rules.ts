import { type SignKind, signsIn, visibleText } from '../../kernel/text-signs.ts';

/** What AEGIS reports of a text: signs and their places, with secrets and personal data masked. */

export interface Finding {
  kind: SignKind;
  /** What was found, in words. */
  sign: string;
  /** Offset in UTF-16 units. */
  at: number;
  /** Around the place; secrets and personal data are masked. */
  excerpt: string;
}

const MAX_FINDINGS = 50;
const AROUND = 30;

const mask = (text: string): string =>
  text.length <= 4
    ? '****'
    : `${text.slice(0, 2)}${'*'.repeat(Math.min(12, text.length - 3))}${text.slice(-1)}`;

/** What the rules find, in the order of the text; at most 50. */
export const scanText = (text: string): Finding[] =>
  signsIn(text, MAX_FINDINGS)
    .slice(0, MAX_FINDINGS)
    .map(({ kind, sign, at, found }) => ({
      kind,
      sign,
      at,
      excerpt: visibleText(
        kind === 'injection'
          ? `${text.slice(Math.max(0, at - AROUND), at)}${found.slice(0, 160)}`
          : mask(found),
      ),
    }));
