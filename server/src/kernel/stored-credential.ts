import type { Caller } from './caller.ts';

/**
 * The credential that began some work, as the work's row keeps it: what goes on later (after a restart, an approval, a wait)
 * may do no more than it could. Versioned JSON.
 */
export interface StoredCredential {
  v: 1;
  kind: Caller['credential'];
  /** The API key or personal token; null for a sign-in, whose end does not end what began in time. */
  keyId: string | null;
  whole: boolean;
  permissions: readonly string[];
  /** Permissions that the token brought along beside the account's. */
  added: readonly string[];
}

/**
 * The person behind stored work with the rights of now, held to what the credential had that began it. Null where the account
 * may not act, or the key has been deleted. Without a credential (rows of earlier releases) all that the account may.
 */
export type CallerFor<Tx = never> = (
  tenantId: string,
  userId: string,
  credential: StoredCredential | null,
  /** Inside of a transaction: it. */
  within?: Tx,
) => Promise<Caller | null>;

/** Why stored work has nobody to act for it: the key was deleted, the account may not act, or its tenant is suspended. */
export type ActorGone = 'key_deleted' | 'account_inactive' | 'tenant_suspended';

/** As `CallerFor`, with the reason where there is nobody. */
export type ActorFor<Tx = never> = (
  tenantId: string,
  userId: string,
  credential: StoredCredential | null,
  within?: Tx,
) => Promise<Caller | ActorGone>;

export const credentialOf = (caller: Caller): StoredCredential => ({
  v: 1,
  kind: caller.credential,
  keyId: caller.credential === 'jwt' ? null : caller.tokenId,
  whole: caller.whole,
  permissions: [...caller.permissions].sort(),
  added: [...(caller.added ?? [])],
});

/** By caller, an object that stands as long as its rights: each run asks for it. */
const texts = new WeakMap<Caller, string>();

/** What a row keeps. */
export const credentialText = (caller: Caller): string => {
  const known = texts.get(caller);
  if (known !== undefined) return known;
  const text = JSON.stringify(credentialOf(caller));
  texts.set(caller, text);
  return text;
};

/**
 * After a change of what stored work does: it may do what both could, the one who made it and the one who changed it, so that
 * nobody writes orders for another's rights. It stands and falls with the key of the one for whom it goes on: keys of others are
 * none of theirs.
 */
export const narrowedTo = (
  made: StoredCredential,
  caller: Caller,
  ownerId: string = caller.userId,
): StoredCredential => {
  const changed = credentialOf(caller);
  const permissions = made.permissions.filter((one) => caller.permissions.has(one));
  const last = changed.keyId === null || caller.userId !== ownerId ? made : changed;
  return {
    v: 1,
    kind: last.kind,
    keyId: last.keyId,
    whole: made.whole && changed.whole,
    permissions,
    added: made.added.filter((one) => permissions.includes(one)),
  };
};

/** From a row of the platform's own writing; null where an earlier release wrote it. */
export const readCredential = (text: string | null): StoredCredential | null =>
  text === null ? null : (JSON.parse(text) as StoredCredential);
