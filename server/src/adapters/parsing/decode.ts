import { guessEncoding, labelOf } from './charset-guess.ts';
import { fail } from './fault.ts';

const BOMS: [number[], string][] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

/**
 * Bytes of a text file → text: byte-order mark, else valid UTF-8, else UTF-16 by the place of its zero bytes, else
 * what the caller knows (`<meta charset>`), else a statistical guess. Throws `ParseError` unsupported_type when it is no text.
 */
export function decodeText(bytes: Uint8Array, knownEncoding: string | null = null): string {
  const text = decode(bytes, knownEncoding);
  if (looksBinary(text)) return fail('unsupported_type', 'the file is of no type that can be read');
  return text.replace(/\r\n?/g, '\n');
}

function decode(bytes: Uint8Array, knownEncoding: string | null): string {
  for (const [mark, encoding] of BOMS) {
    if (mark.every((byte, i) => bytes[i] === byte)) return new TextDecoder(encoding).decode(bytes);
  }
  const utf16 = utf16WithoutMark(bytes);
  if (utf16) return new TextDecoder(utf16).decode(bytes);
  if (isIso2022Jp(bytes)) return new TextDecoder('iso-2022-jp').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const known = knownEncoding === null ? null : labelOf(knownEncoding);
    return new TextDecoder(known ?? guessEncoding(bytes)).decode(bytes);
  }
}

/** In Latin text each second byte is zero; plain text of one byte has no zero at all. */
function utf16WithoutMark(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, 4096 & ~1);
  if (sample.length < 4) return null;
  let even = 0;
  let odd = 0;
  sample.forEach((byte, i) => {
    if (byte === 0) i % 2 === 0 ? even++ : odd++;
  });
  const half = sample.length / 2;
  if (odd > half * 0.4 && even < half * 0.05) return 'utf-16le';
  if (even > half * 0.4 && odd < half * 0.05) return 'utf-16be';
  return null;
}

/** Shifts to two-byte characters and back, all in seven bits (RFC 1468). */
const isIso2022Jp = (bytes: Uint8Array): boolean => {
  const sample = Buffer.from(bytes.subarray(0, 65_536));
  if (!sample.includes('\u001b$') || sample.some((byte) => byte > 0x7f)) return false;
  return /\u001b\$[@B]/.test(sample.toString('latin1'));
};

export const isKnownEncoding = (name: string): boolean => labelOf(name) !== null;

function looksBinary(text: string): boolean {
  const sample = text.slice(0, 8192);
  let bad = 0;
  for (let i = 0; i < sample.length; i++) {
    const unit = sample.charCodeAt(i);
    if ((unit < 32 && unit !== 9 && unit !== 10 && unit !== 13 && unit !== 12) || unit === 0xfffd) bad++;
  }
  return bad > sample.length * 0.02 + 2;
}
