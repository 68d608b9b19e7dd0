import type { Db } from '../../../db/db.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { unauthorized } from '../../../kernel/errors.ts';
import { CLOCK_SKEW_S } from '../access-tokens.ts';
import type { Proof } from '../authenticate.ts';
import { assertActive, callerOf } from '../principal.ts';
import { hashSecret } from '../secrets.ts';
import { findAccessToken, findPrincipal } from '../store.ts';
import { type ClaimOptions, isNamedPlatformAdmin, type PlatformAdmins, personOf } from './claims.rules.ts';
import type { People } from './people.ts';
import type { ExternalVerifier, ProvenClaims } from './verify.ts';

/** "cached for at most 30 s and never past exp" (contract, section 3). */
const INTROSPECTION_LIFE_MS = 30_000;

export interface ProveExternalOptions {
  db: Db;
  clock: Clock;
  verifier: ExternalVerifier;
  people: People;
  claims: ClaimOptions;
  admins: PlatformAdmins;
  /** The account's roles follow the token: what is remembered of its other tokens is void. */
  changed(userId: string): void;
}

const isJwt = (token: string): boolean => token.split('.').length === 3;

interface Owner {
  userId: string;
  added: string[];
  platformAdmin: boolean;
  /** The token names no organisation: it is good as long as none is required. */
  unplaced: boolean;
}

/** Proof of a token of an external provider. */
export const proveExternal = (options: ProveExternalOptions) => {
  const { db, clock, verifier, people } = options;

  const settle = async (proven: ProvenClaims): Promise<Owner> => {
    const person = personOf(proven.claims, options.claims);
    if (person === null) throw unauthorized('TOKEN_INVALID', 'the token has no subject');
    const platformAdmin = isNamedPlatformAdmin(options.admins, person);
    const { userId, changed } = await people.settle(person, {
      organisationNeeded: !platformAdmin,
      saidAt: proven.saidAt,
    });
    if (changed) options.changed(userId);
    return {
      userId,
      added: person.permissions,
      platformAdmin,
      unplaced: person.organisation === null && !platformAdmin,
    };
  };

  const stateOf = async (token: string, proven: ProvenClaims, owner: Owner) => {
    if (owner.unplaced) await people.assertOrganisationOptional();
    const principal = await findPrincipal(db.read, owner.userId);
    if (principal === undefined) throw unauthorized('TOKEN_REVOKED', 'the account does not exist any more');
    assertActive(principal);
    const tokenId = hashSecret(token);
    // Only those that were signed out here have a row.
    if ((await findAccessToken(db.read, tokenId)) !== undefined) {
      throw unauthorized('TOKEN_REVOKED', 'the token has been revoked');
    }
    return callerOf(principal, {
      kind: 'jwt',
      // By the whole token: a `jti` is somebody else's text, and not every provider gives one.
      tokenId,
      sessionId: null,
      expiresAt: proven.expiresAt,
      only: null,
      platformAdmin: owner.platformAdmin,
      added: owner.added,
    });
  };

  const proveJwt = async (token: string): Promise<Proof> => {
    const proven = await verifier.jwt(token);
    const owner = await settle(proven);
    return {
      refusedAfter: proven.expiresAt + CLOCK_SKEW_S * 1000,
      state: () => stateOf(token, proven, owner),
    };
  };

  const proveOpaque = async (token: string): Promise<Proof> => {
    let proven = await verifier.opaque(token);
    let owner = await settle(proven);
    let askedAt = clock.now();
    return {
      refusedAfter: proven.expiresAt,
      async state() {
        if (clock.now() - askedAt >= INTROSPECTION_LIFE_MS) {
          proven = await verifier.opaque(token);
          owner = await settle(proven);
          askedAt = clock.now();
        }
        return stateOf(token, proven, owner);
      },
    };
  };

  return (token: string): Promise<Proof> => (isJwt(token) ? proveJwt(token) : proveOpaque(token));
};
