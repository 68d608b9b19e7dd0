import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/**
 * Signs a chain with a key of the platform that is kept outside of the store. One HMAC-SHA512 a row: its first half is the row's
 * `mac`, its second half the `seal` of the head, which the next row writes over. Whoever writes to the store can therefore neither
 * change rows nor cut the newest ones off: for an older head they would need a half that is stored nowhere any more.
 */
export interface AuditSigner {
  /** Names the key, in front of everything that it signs. */
  id: string;
  sign(place: ChainPlace): { mac: string; seal: string };
  check(part: 'mac' | 'seal', signature: string, place: ChainPlace): 'right' | 'wrong' | 'unknown';
}

export interface ChainPlace {
  tenantId: string;
  seq: number;
  /** Hash of the row, which stands for it and all before it. */
  hash: string;
}

const HALF = 32;

interface Key {
  id: string;
  key: KeyObject;
}

const keyOf = (secret: string): Key => ({
  id: createHash('sha256').update('pentarch audit key id\n').update(secret).digest('hex').slice(0, 12),
  key: createSecretKey(Buffer.from(secret)),
});

const halves = ({ id, key }: Key, { tenantId, seq, hash }: ChainPlace): { mac: string; seal: string } => {
  const bytes = createHmac('sha512', key)
    .update(JSON.stringify([tenantId, seq, hash]))
    .digest();
  return {
    mac: `${id}.${bytes.toString('base64url', 0, HALF)}`,
    seal: `${id}.${bytes.toString('base64url', HALF)}`,
  };
};

/** `secrets`: that of the platform now, then those that only check. */
export const createAuditSigner = (secrets: readonly string[]): AuditSigner => {
  const [present, ...previous] = secrets.map(keyOf);
  if (present === undefined) throw new Error('the audit chain needs a key');
  const keys = new Map([present, ...previous].map((key) => [key.id, key]));
  return {
    id: present.id,
    sign: (place) => halves(present, place),
    check(part, signature, place) {
      const key = keys.get(signature.slice(0, signature.indexOf('.')));
      if (key === undefined) return 'unknown';
      const right = Buffer.from(halves(key, place)[part]);
      const given = Buffer.from(signature);
      return right.length === given.length && timingSafeEqual(right, given) ? 'right' : 'wrong';
    },
  };
};

export const signerOf = (signature: string): string => signature.slice(0, signature.indexOf('.'));
