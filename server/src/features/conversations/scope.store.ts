import type { Queryable } from '../../db/db.ts';
import type { Scope } from '../../kernel/caller.ts';

/** Conversations within a scope: the own ones, or all of the tenant. */
export const within = (db: Queryable, scope: Scope) => {
  const query = db.selectFrom('conversations').where('tenant_id', '=', scope.tenantId);
  return scope.reach === 'tenant' ? query : query.where('user_id', '=', scope.userId);
};

/** A LIKE pattern that finds `text` anywhere. */
export const likeOf = (text: string): string => `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
