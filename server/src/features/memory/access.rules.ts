import type { Caller, Scope } from '../../kernel/caller.ts';
import { SHARED } from './rules.ts';

/** Who may change what (contract, sections 3 and 10). */

/** The permission that sharing with the tenant, and changing what is shared, needs. */
export const SHARE_PERMISSION = 'memory:*';

export const mayShare = (caller: Pick<Caller, 'roles' | 'permissions'>): boolean =>
  caller.roles.includes('admin') ||
  caller.roles.includes('operator') ||
  caller.permissions.has(SHARE_PERMISSION);

/** Own records, or any that the caller can read when memory:* is theirs. */
export const mayChangeRecord = (caller: Caller, owner: string): boolean =>
  owner === caller.userId || mayShare(caller);

/**
 * Owner of a relation between two entities: the one private owner among them; null when both are shared, and `mixed`
 * when they belong to two people, whose memories must not be tied together.
 */
export const ownerOfEnds = (from: string, to: string): string | null | 'mixed' => {
  const owners = new Set([from, to].filter((owner) => owner !== SHARED));
  if (owners.size > 1) return 'mixed';
  return [...owners][0] ?? null;
};

/** Recall and tools never look beyond the user's own and the shared memory, whatever the role. */
export const personalScope = (who: { tenantId: string; userId: string }): Scope => ({
  tenantId: who.tenantId,
  userId: who.userId,
  reach: 'own',
});
