import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * Secrets that the platform hands out: `<prefix><30 random characters><6 characters of checksum>`. The checksum refuses
 * typing faults without a look-up, and lets secret scanners know a real one. 30 of 62 characters are 178 random bits,
 * so a plain SHA-256 at rest is enough.
 */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 30;
const CHECKSUM_LENGTH = 6;

export const PERSONAL_TOKEN_PREFIX = 'pat_';

const checksum = (text: string): string => {
  let rest = crc32(text);
  let out = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    out = ALPHABET.charAt(rest % ALPHABET.length) + out;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return out;
};

const randomText = (length: number): string =>
  Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');

export const newSecret = (prefix: string): string => {
  const body = prefix + randomText(RANDOM_LENGTH);
  return body + checksum(body);
};

/** Whether a text with this prefix has the length and the checksum of one of our secrets. */
export const hasSecretForm = (text: string, prefix: string): boolean => {
  if (!text.startsWith(prefix) || text.length !== prefix.length + RANDOM_LENGTH + CHECKSUM_LENGTH)
    return false;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return /^[0-9A-Za-z]+$/.test(text.slice(prefix.length)) && checksum(body) === text.slice(-CHECKSUM_LENGTH);
};

export const hashSecret = (secret: string): string => hash('sha256', secret, 'base64url');

/** For people to type, once: 20 characters without look-alikes, about 114 bits. */
export const newPassword = (): string => {
  const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  const part = () => Array.from({ length: 5 }, () => letters.charAt(randomInt(letters.length))).join('');
  return [part(), part(), part(), part()].join('-');
};
