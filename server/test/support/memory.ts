import type { Caller, Role } from '../../src/kernel/caller.ts';
import { effectivePermissions } from '../../src/kernel/permissions.ts';

/** A signed-in person of a tenant. */
export const callerOf = (userId: string, role: Role = 'user', tenantId = 't1'): Caller => ({
  userId,
  tenantId,
  email: `${userId}@example.com`,
  name: userId,
  roles: [role],
  permissions: effectivePermissions([role], []),
  tier: 'enterprise',
  type: 'person',
  platformAdmin: false,
  whole: true,
  credential: 'jwt',
  tokenId: userId,
  sessionId: null,
  expiresAt: null,
});

/** Tokens read as `user/role/tenant`. */
export const callerOfToken = (token: string): Caller => {
  const [userId = '', role = 'user', tenantId = 't1'] = token.split('/');
  const known = (['admin', 'operator', 'analyst', 'user', 'readonly'] as const).find((name) => name === role);
  return callerOf(userId, known ?? 'user', tenantId);
};
