export const ROLES = ['admin', 'operator', 'analyst', 'user', 'readonly'] as const;
export type Role = (typeof ROLES)[number];

export const TIERS = ['free', 'pro', 'enterprise'] as const;
export type Tier = (typeof TIERS)[number];

/** Who calls, settled once for each request; stores and services receive it (or a `Scope` of it), never a token. */
export interface Caller {
  userId: string;
  tenantId: string;
  /** A service account acts for no person: the audit chain tells the two apart. */
  type: 'person' | 'service';
  email: string;
  name: string;
  roles: readonly Role[];
  permissions: ReadonlySet<string>;
  tier: Tier;
  /** An admin of the tenant `default` with a whole credential: alone may list and create tenants. */
  platformAdmin: boolean;
  /** The credential may do all that its account may; false for one that was narrowed to some permissions. */
  whole: boolean;
  /** Permissions that the credential itself brings along beside the account's (a token of an external provider). */
  added?: readonly string[];
  /** How the caller proved who they are. */
  credential: 'jwt' | 'api_key' | 'personal_token';
  /** Id of the token (jti, key id), for revocation and audit. */
  tokenId: string;
  /** Sign-in session that the token belongs to; null for keys. */
  sessionId: string | null;
  /** Epoch ms; null = does not expire. */
  expiresAt: number | null;
}

/**
 * What a store query may touch. `own`: rows of the user (and what is shared with the tenant, where the feature
 * shares); `tenant`: all rows of the tenant. A store function without a scope does not exist.
 */
export interface Scope {
  tenantId: string;
  userId: string;
  reach: 'own' | 'tenant';
  /** What the user is; without it, what is shared with roles only stays unseen. */
  roles?: readonly Role[];
}

export const ownScope = (caller: Caller): Scope => ({
  tenantId: caller.tenantId,
  userId: caller.userId,
  reach: 'own',
  roles: caller.roles,
});

/** Operator and admin see the tenant, the others their own records (contract, section 3). */
export const readScope = (caller: Caller): Scope => ({
  tenantId: caller.tenantId,
  userId: caller.userId,
  reach: caller.roles.includes('admin') || caller.roles.includes('operator') ? 'tenant' : 'own',
  roles: caller.roles,
});
