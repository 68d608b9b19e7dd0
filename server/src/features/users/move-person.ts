import type { Db } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { conflict, forbidden, invalid, notFound } from '../../kernel/errors.ts';
import type { Audit } from '../audit/index.ts';
import { findTenant } from '../tenants/index.ts';
import { findDirectoryPerson, managedByDirectory } from './directory.ts';
import { userCreated } from './events.rules.ts';
import type { AccountLookup } from './lookup.ts';
import { moveUser, noteMove, wasMovedAway } from './move.ts';
import type { AccountPort } from './ports.ts';
import type { UserBody } from './schema.ts';
import { countActiveAdmins, findUser } from './store.ts';
import { DEFAULT_ROLES, isActiveAdmin, userView } from './wire.ts';

export interface PersonMoveOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  accounts: AccountPort;
  lookup: Pick<AccountLookup, 'find'>;
}

/**
 * Moves a person to another tenant, where they begin with `roles`: for platform administrators, about people of every
 * tenant. See `moveUser` for what stays behind.
 */
export const createPersonMove =
  ({ db, clock, audit, accounts, lookup }: PersonMoveOptions) =>
  async (
    caller: Caller,
    id: string,
    input: { tenant_id: string; roles?: readonly string[] | undefined },
    requestId: string,
  ): Promise<UserBody & { moved_from: string }> => {
    if (!caller.platformAdmin) {
      await lookup.find(caller, id);
      throw forbidden('tenants:manage');
    }
    const row = await findUser(db.read, id);
    if (row === undefined) throw notFound('user');
    const tenant = await findTenant(db.read, input.tenant_id);
    if (tenant === undefined) throw invalid({ field: '/tenant_id', reason: 'names no tenant' });
    if (row.id === caller.userId) throw conflict('ask another platform administrator to move you');
    if (row.type !== 'person') throw conflict('only people move; a service account belongs to its tenant');
    if (row.tenant_id === tenant.id) throw conflict('the person is in this tenant already');
    if ((await findDirectoryPerson(db.read, row.id)) !== undefined) throw managedByDirectory(['tenant_id']);
    if (wasMovedAway(row)) throw conflict('this person goes on in another tenant already');
    const goneOn = await db.write(async (tx) => {
      const roles = [...new Set(input.roles ?? DEFAULT_ROLES)];
      const to = { tenantId: tenant.id, roles, at: clock.now(), byAdmin: true };
      const moved = await moveUser(tx, accounts, row, to);
      if (moved === null) throw conflict('the account has just changed; look at it and try again');
      if (isActiveAdmin(row) && (await countActiveAdmins(tx, row.tenant_id)) === 0) {
        throw conflict('this is the last active admin of the tenant');
      }
      const { row: after, details } = moved;
      await noteMove(tx, audit, { before: row, after, by: caller, requestId, ended: details });
      await tx.emit(userCreated(after, requestId));
      return after;
    });
    accounts.changed(row.id);
    return { ...userView(goneOn, tenant), moved_from: row.id };
  };
