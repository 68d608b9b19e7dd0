import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Authenticated encryption (AES-256-GCM) of what must not be readable in the store. */
export interface SecretBox {
  /** `about` binds the text to its place: it opens only there. */
  seal(text: string, about: string): string;
  /** Throws when the text, the place or the key is another. */
  open(sealed: string, about: string): string;
  /** Whether the present key opens it; false for one of before a rotation. */
  isCurrent(sealed: string, about: string): boolean;
}

const VERSION = 'v1';

const decrypt = (key: Uint8Array, sealed: string, about: string): string => {
  const [version, text] = sealed.split('.');
  if (version !== VERSION || text === undefined) throw new Error('unknown form of a sealed text');
  const bytes = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
  decipher.setAAD(Buffer.from(about));
  decipher.setAuthTag(bytes.subarray(12, 28));
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
};

/** `key`: 32 bytes. `previous`: keys that still open what they sealed. */
export const createSecretBox = (key: Uint8Array, previous: readonly Uint8Array[] = []): SecretBox => {
  for (const one of [key, ...previous])
    if (one.byteLength !== 32) throw new TypeError('the key of the secret box must have 32 bytes');
  return {
    seal(text, about) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      cipher.setAAD(Buffer.from(about));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `${VERSION}.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')}`;
    },
    open(sealed, about) {
      let fault: unknown = null;
      for (const one of [key, ...previous]) {
        try {
          return decrypt(one, sealed, about);
        } catch (error) {
          fault ??= error;
        }
      }
      throw fault;
    },
    isCurrent(sealed, about) {
      try {
        decrypt(key, sealed, about);
        return true;
      } catch {
        return false;
      }
    },
  };
};
