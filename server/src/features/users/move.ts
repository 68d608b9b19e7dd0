import type { Queryable } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import { newId } from '../../kernel/ids.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import { type AccountEnds, type Ended, endWaysBeyond } from './raised.ts';
import { insertUser, type UserRow } from './store.ts';

/**
 * A person goes on in another tenant: under a new account with the name, e-mail, password and provider's subject of the one
 * before, which stays in its tenant, deactivated, with everything that was written there. Records never change their tenant.
 */

const MOVED = 'moved:';

/** What such an account has in place of its folded e-mail. */
export const movedAway = (id: string): string => `${MOVED}${id}`;

/** An account that a person has been moved away from: nobody can sign in to it again. */
export const wasMovedAway = (row: UserRow): boolean => row.email_folded.startsWith(MOVED);

/** The new account, with what ends where it is raised; null when the one before is gone or was changed meanwhile. */
export const moveUser = async (
  tx: Queryable,
  accounts: AccountEnds,
  row: UserRow,
  to: { tenantId: string; roles: readonly string[]; at: number; byAdmin: boolean },
): Promise<Ended | null> => {
  const left = await tx
    .updateTable('users')
    .set({
      email_folded: movedAway(row.id),
      external_id: null,
      password_hash: null,
      password_permissions: null,
      status: 'deactivated',
      updated_at: to.at,
    })
    .where('id', '=', row.id)
    .where('tenant_id', '=', row.tenant_id)
    .where('email_folded', '=', row.email_folded)
    .returning('id')
    .execute();
  if (left.length === 0) return null;
  const next: UserRow = {
    ...row,
    id: newId(),
    tenant_id: to.tenantId,
    roles: JSON.stringify(to.roles),
    // What was given in the tenant before holds there.
    permissions: '[]',
    tier: null,
    created_at: to.at,
    updated_at: to.at,
    last_seen_at: null,
    placed_by_admin: to.byAdmin ? 1 : null,
  };
  await insertUser(tx, next);
  await accounts.endAccess(tx, row.id, { keepKeys: false, exceptSessionId: null });
  return endWaysBeyond(tx, accounts, { before: row, next, at: to.at });
};

/** In the chains of both tenants. `by` null: the identity provider named the organisation. */
export const noteMove = async (
  tx: Queryable,
  audit: Audit,
  move: {
    before: UserRow;
    after: UserRow;
    by: Caller | null;
    requestId: string | null;
    ended?: Ended['details'];
  },
): Promise<void> => {
  const { before, after, by } = move;
  const actor = by === null ? { actorId: null, actorType: 'system' as const } : actorOf(by);
  for (const { row, details } of [
    { row: before, details: { to_tenant: after.tenant_id, to_user: after.id } },
    {
      row: after,
      details: { from_tenant: before.tenant_id, from_user: before.id, roles: after.roles, ...move.ended },
    },
  ]) {
    await audit.append(tx, {
      ...actor,
      tenantId: row.tenant_id,
      action: 'user.moved',
      targetType: 'user',
      targetId: row.id,
      requestId: move.requestId,
      details,
    });
  }
};
