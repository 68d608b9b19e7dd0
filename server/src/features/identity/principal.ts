import { type Caller, ROLES, type Role, TIERS, type Tier } from '../../kernel/caller.ts';
import { AppError, forbidden, unauthorized } from '../../kernel/errors.ts';
import { effectivePermissions } from '../../kernel/permissions.ts';
import { DEFAULT_TENANT } from '../../kernel/tenant.ts';

/** An account and its tenant as the store has them now: what a token can do is settled by this, not by its claims. */
export interface Principal {
  userId: string;
  tenantId: string;
  tenantSlug: string;
  type: string;
  email: string;
  name: string;
  /** JSON arrays. */
  roles: string;
  permissions: string;
  userTier: string | null;
  tenantTier: string;
  userStatus: string;
  tenantStatus: string;
  lastSeenAt: number | null;
  /** `<issuer>|<subject>` of an account that an external provider vouches for. */
  externalId: string | null;
}

export const parseRoles = (json: string): Role[] => {
  const parsed: unknown = JSON.parse(json);
  return ROLES.filter((role) => Array.isArray(parsed) && parsed.includes(role));
};

export const parseStrings = (json: string | null): string[] => {
  const parsed: unknown = JSON.parse(json ?? '[]');
  return Array.isArray(parsed) ? parsed.filter((item) => typeof item === 'string') : [];
};

const asTier = (text: string): Tier => TIERS.find((tier) => tier === text) ?? 'free';

/** Whether an account runs the platform, by the store and the settings. */
export type PlatformRule = (principal: Principal) => boolean;

/**
 * Admins of the tenant `default` do, among the accounts that were made here. Whom an external provider vouches for does when
 * the settings name the subject: a role at the provider is given by others than those who run the platform.
 */
export const createPlatformRule =
  (externalAdmins: ReadonlySet<string>): PlatformRule =>
  (principal) =>
    principal.externalId === null
      ? principal.tenantSlug === DEFAULT_TENANT && parseRoles(principal.roles).includes('admin')
      : externalAdmins.has(principal.externalId);

export const suspended = (): AppError =>
  new AppError('FORBIDDEN', 'the tenant is suspended', {
    details: { required: 'an active tenant', reason: 'TENANT_SUSPENDED' },
  });

/** Throws TOKEN_REVOKED for an account that may not act, FORBIDDEN for a suspended tenant. */
export const assertActive = (principal: Principal): void => {
  if (principal.userStatus !== 'active') throw unauthorized('TOKEN_REVOKED', 'the account is not active');
  if (principal.tenantStatus !== 'active') throw suspended();
};

/** All that the account may do by its roles and its own permissions. */
export const permissionsOf = (principal: Principal): Set<string> =>
  effectivePermissions(parseRoles(principal.roles), parseStrings(principal.permissions));

/**
 * Refuses a credential that may do less than its owner (a narrowed key) what concerns the whole account, such as its sign-ins.
 * Throws FORBIDDEN.
 */
export const assertWholeAccount = (caller: Caller): void => {
  if (!caller.whole) throw forbidden('a credential with all rights of the account');
};

export interface Credential {
  kind: Caller['credential'];
  tokenId: string;
  sessionId: string | null;
  expiresAt: number | null;
  /** The credential may do no more than these; null for all that its owner may. */
  only: readonly string[] | null;
  /** The account runs the platform (`PlatformRule`), or the token says so: it is an administrator wherever it belongs. */
  platformAdmin: boolean;
  /** Permissions that the credential itself carries (a token of an external provider). */
  added?: readonly string[];
  /** Its rights of an earlier time: what the owner has gained since is not its own. */
  had?: readonly string[];
}

export const callerOf = (principal: Principal, credential: Credential): Caller => {
  const { only, had, platformAdmin } = credential;
  const own = parseRoles(principal.roles);
  const roles = platformAdmin ? ROLES.filter((role) => role === 'admin' || own.includes(role)) : own;
  const all = effectivePermissions(roles, [
    ...parseStrings(principal.permissions),
    ...(credential.added ?? []),
  ]);
  const permissions =
    only === null && had === undefined
      ? all
      : new Set([...all].filter((one) => (only?.includes(one) ?? true) && (had?.includes(one) ?? true)));
  return {
    userId: principal.userId,
    tenantId: principal.tenantId,
    type: principal.type === 'service' ? 'service' : 'person',
    email: principal.email,
    name: principal.name,
    roles,
    permissions,
    tier: asTier(principal.userTier ?? principal.tenantTier),
    platformAdmin: platformAdmin && only === null,
    whole: only === null,
    ...(credential.added === undefined ? {} : { added: credential.added }),
    credential: credential.kind,
    tokenId: credential.tokenId,
    sessionId: credential.sessionId,
    expiresAt: credential.expiresAt,
  };
};
