import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Db } from '../../db/db.ts';
import { acrossTenants } from '../../db/scope.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { unauthorized } from '../../kernel/errors.ts';
import { type AccessTokens, CLOCK_SKEW_S } from './access-tokens.ts';
import { MAX_TOKEN_BYTES } from './jwt-form.ts';
import { assertActive, callerOf, type PlatformRule, parseStrings } from './principal.ts';
import { hashSecret, hasSecretForm, PERSONAL_TOKEN_PREFIX } from './secrets.ts';
import { findKeyPrincipal, findTokenPrincipal } from './store.ts';

/**
 * From a bearer token to its caller. What a token proves (its signature) is checked once and remembered; what its owner
 * may do is read again every 5 s at the latest, and at once after a change in this process.
 */

/** What a credential's proof settled, and how to read its owner's present state. */
export interface Proof {
  /** Epoch ms after which the token is refused as expired; null for none. */
  refusedAfter: number | null;
  /** The caller by the state of the store now. Throws `unauthorized` or FORBIDDEN. */
  state(): Promise<Caller>;
}

export interface Authenticator {
  (token: string): Caller | Promise<Caller>;
  /** Drops what is remembered of callers that match, so that their next request reads the store. */
  forget(matches: (caller: Caller) => boolean): void;
}

interface Entry {
  caller: Caller;
  proof: Proof;
  /** Epoch ms; 0 = to be read again. */
  readAt: number;
}

const STALE_AFTER_MS = 5_000;
const MAX_ENTRIES = 20_000;
/** Tokens whose hash is kept: hashing costs more than all the rest of looking at a known token. */
const MAX_HASHED = 256;
/** Characters at the end of a token that find its hash: a map reads the whole of its key, and a token has a thousand. */
const TAIL = 32;
const TOUCH_EVERY_MS = 60_000;

export interface AuthenticatorOptions {
  db: Db;
  clock: Clock;
  apiKeyPrefix: string;
  /** Verifies a token that is none of our keys. Throws `unauthorized`. */
  proveToken(token: string): Promise<Proof>;
  isPlatformAdmin: PlatformRule;
  /** Called when a credential has been used and a minute has gone by since the last call for it. */
  used(caller: Caller): void;
  /** How long what its owner may do is taken as read; default 5,000. 0 where other nodes change it too. */
  staleAfterMs?: number;
}

/** Proof of an access token of the embedded provider: its id must be known, unrevoked, and its owner active. */
export const proveEmbedded =
  (db: Db, tokens: AccessTokens, isPlatformAdmin: PlatformRule) =>
  async (token: string): Promise<Proof> => {
    const verified = await tokens.verify(token);
    return {
      refusedAfter: verified.expiresAt + CLOCK_SKEW_S * 1000,
      async state() {
        const principal = await findTokenPrincipal(db.read, verified.jti);
        if (principal === undefined || principal.userId !== verified.sub) {
          throw unauthorized('TOKEN_REVOKED', 'the token is not known any more');
        }
        if (principal.tokenRevokedAt !== null || principal.sessionRevokedAt !== null) {
          throw unauthorized('TOKEN_REVOKED', 'the token has been revoked');
        }
        assertActive(principal);
        return callerOf(principal, {
          kind: 'jwt',
          tokenId: verified.jti,
          sessionId: principal.sessionId,
          expiresAt: verified.expiresAt,
          only: null,
          platformAdmin: isPlatformAdmin(principal),
        });
      },
    };
  };

const proveKey = (options: AuthenticatorOptions, token: string): Proof => {
  const { db, clock } = options;
  const secretHash = hashSecret(token);
  return {
    refusedAfter: null,
    async state() {
      const principal = await findKeyPrincipal(db.read, secretHash);
      if (principal === undefined) throw unauthorized('TOKEN_INVALID', 'the key is not known');
      if (principal.deletedAt !== null) throw unauthorized('TOKEN_REVOKED', 'the key was deleted');
      if (principal.expiresAt !== null && principal.expiresAt <= clock.now()) {
        throw unauthorized('TOKEN_EXPIRED', 'the key has expired');
      }
      assertActive(principal);
      return callerOf(principal, {
        kind: principal.kind === 'personal_token' ? 'personal_token' : 'api_key',
        tokenId: principal.keyId,
        sessionId: null,
        expiresAt: principal.expiresAt,
        only: principal.keyPermissions === null ? null : parseStrings(principal.keyPermissions),
        platformAdmin: options.isPlatformAdmin(principal),
      });
    },
  };
};

export const createAuthenticator = (options: AuthenticatorOptions): Authenticator => {
  const { clock } = options;
  const staleAfterMs = options.staleAfterMs ?? STALE_AFTER_MS;
  const entries = new LRUCache<string, Entry>({ max: MAX_ENTRIES });
  /** Hashes of tokens that are in `entries`, of the last callers. */
  const hashes = new LRUCache<string, { token: string; key: string }>({ max: MAX_HASHED });
  const touched = new LRUCache<string, number>({ max: MAX_ENTRIES });
  /** Counts changes: a state read before a change and kept after it must not pass as fresh. */
  let changes = 0;

  const note = (caller: Caller, now: number): void => {
    const last = touched.get(caller.tokenId);
    if (last !== undefined && now - last < TOUCH_EVERY_MS) return;
    touched.set(caller.tokenId, now);
    options.used(caller);
  };

  const read = async (key: string, proof: Proof): Promise<Caller> => {
    const changesBefore = changes;
    const now = clock.now();
    try {
      const caller = await proof.state();
      entries.set(key, { caller, proof, readAt: changes === changesBefore ? now : 0 });
      note(caller, now);
      return caller;
    } catch (error) {
      entries.delete(key);
      throw error;
    }
  };

  const prove = async (key: string, token: string): Promise<Caller> => {
    for (const prefix of [options.apiKeyPrefix, PERSONAL_TOKEN_PREFIX]) {
      if (!token.startsWith(prefix)) continue;
      if (!hasSecretForm(token, prefix))
        throw unauthorized('TOKEN_INVALID', 'the key is mistyped or cut short');
      return read(key, proveKey(options, token));
    }
    return read(key, await options.proveToken(token));
  };

  const authenticate = (token: string): Caller | Promise<Caller> => {
    if (token.length > MAX_TOKEN_BYTES) throw unauthorized('TOKEN_INVALID', 'the token is too long');
    // Every spelling has a hash of its own, and only a canonical one ever gets an entry.
    const tail = token.slice(-TAIL);
    const kept = hashes.get(tail);
    const hashed = kept?.token === token;
    const key = hashed ? kept.key : hash('sha256', token, 'base64');
    const entry = entries.get(key);
    // Who it is settles the tenant: until then there is none to be bound to.
    if (entry === undefined) return acrossTenants(() => prove(key, token));
    if (!hashed) hashes.set(tail, { token, key });
    const now = clock.now();
    const refusedAfter = entry.proof.refusedAfter ?? entry.caller.expiresAt;
    if (refusedAfter !== null && now > refusedAfter) {
      entries.delete(key);
      throw unauthorized('TOKEN_EXPIRED', 'the token has expired');
    }
    if (now - entry.readAt >= staleAfterMs) return acrossTenants(() => read(key, entry.proof));
    return entry.caller;
  };

  return Object.assign(authenticate, {
    forget(matches: (caller: Caller) => boolean): void {
      changes += 1;
      for (const entry of entries.values()) if (matches(entry.caller)) entry.readAt = 0;
    },
  });
};
