import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { Db, Queryable } from '../../../db/db.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Seal } from './seal.ts';
import {
  deleteSigningKeysRetiredBefore,
  insertSigningKey,
  listSigningKeys,
  newestSigningKeyId,
  retireSigningKeys,
} from './store.ts';

export interface SigningKey {
  kid: string;
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  publicJwk: JWK;
  privateJwk: JWK;
}

/**
 * The RS256 keys of the embedded provider. The newest signs; older ones verify until the last token that they signed
 * has expired. Other nodes' rotations are seen when a token names an unknown key.
 */
export interface SigningKeys {
  /** Reads the keys; throws when the platform's key does not open them. */
  read(): Promise<void>;
  /** After `read`: makes the first one, and rotates one that is due. */
  begin(): Promise<void>;
  current(): SigningKey;
  /** Undefined for a key that is not ours. Asks the store again, at most every 5 s, before it says so. */
  find(kid: string): SigningKey | undefined | Promise<SigningKey | undefined>;
  all(): readonly SigningKey[];
  rotate(): Promise<string>;
  /** Takes up what another process has rotated. */
  follow(): Promise<void>;
  /** Changes with every rotation. */
  version(): number;
}

export interface SigningKeysOptions {
  db: Db;
  clock: Clock;
  seal: Seal;
  /** Longest life of anything signed, with the allowed clock skew. */
  tokenLifeMs: number;
  /** Age at which a key is replaced by itself. */
  maxAgeMs: number;
  /** Told of each new key inside its transaction. */
  rotated(tx: Queryable, kid: string): Promise<void>;
}

/** What a sealed private key belongs to. */
export const aboutSigningKey = (id: string): string => `signing_keys.private_sealed/${id}`;

const RELOAD_EVERY_MS = 5_000;

const open = async (privateText: string, publicText: string, kid: string): Promise<SigningKey> => {
  const privateJwk: JWK = JSON.parse(privateText);
  const publicJwk: JWK = JSON.parse(publicText);
  const [privateKey, publicKey] = await Promise.all([
    importJWK(privateJwk, 'RS256'),
    importJWK(publicJwk, 'RS256'),
  ]);
  if (privateKey instanceof Uint8Array || publicKey instanceof Uint8Array) {
    throw new Error('a signing key of the store is no RSA key');
  }
  return { kid, privateKey, publicKey, publicJwk, privateJwk };
};

export const createSigningKeys = (options: SigningKeysOptions): SigningKeys => {
  const { db, clock, seal } = options;
  let keys: readonly SigningKey[] = [];
  let createdAt = 0;
  let readAt = 0;
  let version = 0;
  let loading: Promise<void> | null = null;

  const read = async (): Promise<void> => {
    const known = new Map(keys.map((key) => [key.kid, key]));
    const rows = await listSigningKeys(db.read);
    keys = await Promise.all(
      rows.map(
        (row) =>
          known.get(row.id) ??
          open(seal.open(row.private_sealed, aboutSigningKey(row.id)), row.public_jwk, row.id),
      ),
    );
    createdAt = rows[0]?.created_at ?? 0;
    readAt = clock.now();
    version += 1;
  };

  const reread = (): Promise<void> => {
    loading ??= read().finally(() => {
      loading = null;
    });
    return loading;
  };

  const rotate = async (): Promise<string> => {
    const pair = await generateKeyPair('RS256', { modulusLength: 2048, extractable: true });
    const kid = crypto.randomUUID();
    const use = { kid, alg: 'RS256', use: 'sig' };
    const publicJwk = { ...(await exportJWK(pair.publicKey)), ...use };
    const privateJwk = { ...(await exportJWK(pair.privateKey)), ...use };
    const at = clock.now();
    await db.write(async (tx) => {
      await insertSigningKey(tx, {
        id: kid,
        public_jwk: JSON.stringify(publicJwk),
        private_sealed: seal.seal(JSON.stringify(privateJwk), aboutSigningKey(kid)),
        created_at: at,
        retired_at: null,
      });
      await options.rotated(tx, kid);
      await retireSigningKeys(tx, kid, at);
      await deleteSigningKeysRetiredBefore(tx, at - options.tokenLifeMs);
    });
    await read();
    return kid;
  };

  return {
    read,
    async begin() {
      if (keys.length === 0 || clock.now() - createdAt > options.maxAgeMs) await rotate();
    },
    current() {
      const [key] = keys;
      if (key === undefined) throw new Error('the signing keys are not loaded');
      return key;
    },
    find(kid) {
      const key = keys.find((candidate) => candidate.kid === kid);
      if (key !== undefined || clock.now() - readAt < RELOAD_EVERY_MS) return key;
      return reread().then(() => keys.find((candidate) => candidate.kid === kid));
    },
    all: () => keys,
    rotate,
    async follow() {
      if ((await newestSigningKeyId(db.read)) !== keys[0]?.kid) await reread();
    },
    version: () => version,
  };
};
