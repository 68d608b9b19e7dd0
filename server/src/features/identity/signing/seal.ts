import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Keeps secrets of the store unreadable without the key file of the data folder. */
export interface Seal {
  seal(plain: string): string;
  open(sealed: string): string;
}

/**
 * A secret of the platform: the text of its file in the data folder; else derived from PLATFORM_KEY, so that all nodes
 * have the same; else random, in a file made now, readable by its owner alone.
 */
export const platformSecret = (dataDir: string, name: string, platformKey: string | null): string => {
  const folder = path.join(dataDir, 'keys');
  const file = path.join(folder, name);
  if (platformKey !== null && !existsSync(file)) {
    return Buffer.from(hkdfSync('sha256', platformKey, 'pentarch', name, SECRET_BYTES)).toString('base64url');
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, `${randomBytes(SECRET_BYTES).toString('base64url')}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(file, 'utf8').trim();
};

const SECRET_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM; the sealed form is base64url of iv, tag and ciphertext. */
export const createSeal = (dataDir: string, platformKey: string | null = null): Seal => {
  const key = Buffer.from(platformSecret(dataDir, 'identity.key', platformKey), 'base64url');
  if (key.length !== 32)
    throw new Error('keys/identity.key in the data folder is damaged: 32 bytes expected');
  return {
    seal: (plain) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
      decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
      try {
        return (
          decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
        );
      } catch (error) {
        throw new Error(
          'a key of the store cannot be opened: keys/identity.key in the data folder is not the one that sealed it',
          { cause: error },
        );
      }
    },
  };
};
