import type { Db, Queryable } from '../../db/db.ts';
import type { ActorFor, CallerFor } from '../../kernel/stored-credential.ts';
import { findStandingKey } from './keys/store.ts';
import { callerOf, type PlatformRule, parseStrings } from './principal.ts';
import { findPrincipal } from './store.ts';

const SIGN_IN = { sessionId: null, expiresAt: null };

/** Of two limits (null: none) what both leave. */
const both = (one: readonly string[] | null, other: readonly string[] | null): readonly string[] | null =>
  one === null || other === null ? (one ?? other) : one.filter((permission) => other.includes(permission));

/**
 * Who acts where no token is at hand: work that goes on after its request. An expired key does not end what it began in time,
 * and one that was rotated goes on as its successor; a deleted one has no say any more.
 */
export const createActorFor =
  (db: Db, isPlatformAdmin: PlatformRule): ActorFor<Queryable> =>
  async (tenantId, userId, credential, within: Queryable = db.read) => {
    const principal = await findPrincipal(within, userId);
    if (principal === undefined || principal.tenantId !== tenantId) return 'account_inactive';
    if (principal.userStatus !== 'active') return 'account_inactive';
    if (principal.tenantStatus !== 'active') return 'tenant_suspended';
    const platformAdmin = isPlatformAdmin(principal);
    if (credential === null)
      return callerOf(principal, { ...SIGN_IN, kind: 'jwt', tokenId: 'internal', platformAdmin, only: null });
    const { kind, keyId, whole, permissions, added } = credential;
    const key = keyId === null ? null : await findStandingKey(within, userId, keyId);
    if (key === undefined) return 'key_deleted';
    const ofKey = key === null || key.permissions === null ? null : parseStrings(key.permissions);
    return callerOf(principal, {
      ...SIGN_IN,
      kind,
      tokenId: keyId ?? 'internal',
      platformAdmin,
      only: both(whole ? null : permissions, ofKey),
      added,
      had: permissions,
    });
  };

export const createCallerFor = (actorFor: ActorFor<Queryable>): CallerFor<Queryable> => {
  return async (...args) => {
    const actor = await actorFor(...args);
    return typeof actor === 'string' ? null : actor;
  };
};
