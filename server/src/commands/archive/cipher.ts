import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';

/**
 * Encryption of an archive under a passphrase: a head of 9 bytes magic, 16 bytes salt and 8 bytes nonce prefix, then
 * frames of 4 bytes length, ciphertext and 16 bytes tag (AES-256-GCM). Each frame's nonce ends in its number, and whether
 * it is the last one is authenticated, so that frames can be neither moved nor cut off (the STREAM construction of
 * Hoang, Reyhanitabar, Rogaway and Vizár, 2015). The key comes from scrypt (N 2^17, r 8, p 1; RFC 7914).
 */
const MAGIC = Buffer.from('PTARCHV1\n');
const SALT_BYTES = 16;
const PREFIX_BYTES = 8;
const TAG_BYTES = 16;
const FRAME_BYTES = 65_536;
export const HEAD_BYTES = MAGIC.length + SALT_BYTES + PREFIX_BYTES;
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 2 ** 20 };

const keyOf = (passphrase: string, salt: Uint8Array): Buffer =>
  scryptSync(passphrase.normalize('NFC'), salt, 32, SCRYPT);

const nonceOf = (prefix: Buffer, n: number): Buffer => {
  const nonce = Buffer.alloc(PREFIX_BYTES + 4);
  prefix.copy(nonce);
  nonce.writeUInt32BE(n, PREFIX_BYTES);
  return nonce;
};

const lastMark = (last: boolean): Buffer => Buffer.from([last ? 1 : 0]);

export const isEncrypted = (head: Uint8Array): boolean => MAGIC.equals(head.subarray(0, MAGIC.length));

/** A stream in small errands: errors of `work` become errors of the stream. */
const step = (work: () => void, done: TransformCallback): void => {
  try {
    work();
    done();
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
  }
};

export const encrypting = (passphrase: string): Transform => {
  const salt = randomBytes(SALT_BYTES);
  const prefix = randomBytes(PREFIX_BYTES);
  const key = keyOf(passphrase, salt);
  let held: Buffer = Buffer.alloc(0);
  let n = 0;
  const frame = (plain: Buffer, last: boolean): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(prefix, n));
    n += 1;
    cipher.setAAD(lastMark(last));
    const body = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.length);
    return Buffer.concat([length, body]);
  };
  const transform = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      step(() => {
        held = Buffer.concat([held, chunk]);
        while (held.length > FRAME_BYTES) {
          transform.push(frame(held.subarray(0, FRAME_BYTES), false));
          held = held.subarray(FRAME_BYTES);
        }
      }, done);
    },
    flush(done) {
      step(() => transform.push(frame(held, true)), done);
    },
  });
  transform.push(Buffer.concat([MAGIC, salt, prefix]));
  return transform;
};

const WRONG = 'the archive cannot be decrypted: the passphrase is another, or the file was changed';

/** Gives out only what was authenticated. */
export const decrypting = (passphrase: string): Transform => {
  let held: Buffer = Buffer.alloc(0);
  let key: Buffer | null = null;
  let prefix: Buffer = Buffer.alloc(0);
  let n = 0;
  const openFrame = (body: Buffer, last: boolean): Buffer => {
    if (key === null || body.length < TAG_BYTES) throw new Error(WRONG);
    const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(prefix, n));
    n += 1;
    decipher.setAAD(lastMark(last));
    decipher.setAuthTag(body.subarray(body.length - TAG_BYTES));
    try {
      return Buffer.concat([decipher.update(body.subarray(0, body.length - TAG_BYTES)), decipher.final()]);
    } catch (error) {
      throw new Error(WRONG, { cause: error });
    }
  };
  const transform = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      step(() => {
        held = Buffer.concat([held, chunk]);
        if (key === null) {
          if (held.length < HEAD_BYTES) return;
          if (!isEncrypted(held)) throw new Error('the archive is not encrypted');
          key = keyOf(passphrase, held.subarray(MAGIC.length, MAGIC.length + SALT_BYTES));
          prefix = Buffer.from(held.subarray(MAGIC.length + SALT_BYTES, HEAD_BYTES));
          held = held.subarray(HEAD_BYTES);
        }
        while (held.length >= 4) {
          const length = held.readUInt32BE(0);
          if (length > FRAME_BYTES + TAG_BYTES) throw new Error(WRONG);
          // The last frame waits for the end: only there is it known to be the last.
          if (held.length <= 4 + length) break;
          transform.push(openFrame(held.subarray(4, 4 + length), false));
          held = held.subarray(4 + length);
        }
      }, done);
    },
    flush(done) {
      step(() => {
        if (held.length < 4 || held.length !== 4 + held.readUInt32BE(0))
          throw new Error('the archive is cut off');
        transform.push(openFrame(held.subarray(4), true));
      }, done);
    },
  });
  return transform;
};
