import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { PlatformKeys } from './platform-keys.ts';

/**
 * Keeps secrets of the store unreadable without the platform's key. `about` names what a value belongs to
 * (`<table>.<column>/<tenant>/<id>`) and is authenticated with it: moved to another row, it does not open.
 */
export interface Seal {
  seal(plain: string, about: string): string;
  /** Also what an earlier key sealed, and what was sealed before values named their place. Throws for anything else. */
  open(sealed: string, about: string): string;
  /** Whether it is sealed as `seal` does it now: with the present key, for this place. */
  isCurrent(sealed: string, about: string): boolean;
}

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** AES-256-GCM (NIST SP 800-38D): base64url of iv, tag and ciphertext behind the version. What has none is of before 2.1. */
const VERSION = 'v2.';

const encrypt = (key: Uint8Array, plain: string, about: string): string => {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(about));
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
  return VERSION + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
};

/** Null for another key, another place, or a changed text. */
const decrypt = (key: Uint8Array, sealed: string, about: string): string | null => {
  const placed = sealed.startsWith(VERSION);
  const bytes = Buffer.from(placed ? sealed.slice(VERSION.length) : sealed, 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
  if (placed) decipher.setAAD(Buffer.from(about));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  try {
    return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return null;
  }
};

/** `keys`: 32 bytes each, the present one first. */
export const sealWith = (keys: readonly Uint8Array[]): Seal => {
  const [present] = keys;
  if (present === undefined) throw new Error('a seal needs a key');
  return {
    seal: (plain, about) => encrypt(present, plain, about),
    open(sealed, about) {
      for (const key of keys) {
        const plain = decrypt(key, sealed, about);
        if (plain !== null) return plain;
      }
      throw new Error(
        'a secret of the store cannot be opened: keys/identity.key in the data folder (or PLATFORM_KEY) is not the one that sealed it, or it belongs to another record',
      );
    },
    isCurrent: (sealed, about) => sealed.startsWith(VERSION) && decrypt(present, sealed, about) !== null,
  };
};

const keyBytes = (text: string): Buffer => {
  const key = Buffer.from(text, 'base64url');
  if (key.length !== 32)
    throw new Error('keys/identity.key in the data folder is damaged: 32 bytes expected');
  return key;
};

export const createSeal = (keys: PlatformKeys): Seal =>
  sealWith([keys.secret('identity.key'), ...keys.previous('identity.key')].map(keyBytes));
