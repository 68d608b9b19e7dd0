import { signsIn } from './text-signs.ts';

/** Texts for those who look after the platform and not after its people: without secrets and personal data, and not too long. */

const MAX_CHARACTERS = 8_000;
const MAX_SIGNS = 1_000;

/** What the rules of AEGIS find in it (keys, tokens, passwords, addresses, numbers of accounts) is a mark of its kind. */
export const masked = (text: string): string => {
  const head = text.slice(0, MAX_CHARACTERS);
  let out = '';
  let at = 0;
  for (const sign of signsIn(head, MAX_SIGNS)) {
    if (sign.kind === 'injection' || sign.at < at) continue;
    out += `${head.slice(at, sign.at)}[${sign.kind}]`;
    at = sign.at + sign.found.length;
  }
  return `${out}${head.slice(at)}${text.length > MAX_CHARACTERS ? '…' : ''}`;
};
