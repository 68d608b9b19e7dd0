import type { Db, Tx } from '../../db/db.ts';
import { isTaken } from '../../db/faults.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type AppError, conflict, forbidden, invalid } from '../../kernel/errors.ts';
import { assertMayGrant } from '../../kernel/grants.ts';
import { newId } from '../../kernel/ids.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import { findTenant } from '../tenants/index.ts';
import { userCreated } from './events.rules.ts';
import type { NewUserInput } from './new-user.ts';
import type { AccountPort } from './ports.ts';
import { permissionsOfMaker } from './raised.ts';
import { rightsOf } from './rights.ts';
import type { UserBody } from './schema.ts';
import { findUserByEmail, foldEmail, insertUser, type UserRow } from './store.ts';
import { assertMaySetTier } from './tier.rules.ts';
import { rolesAndPermissions, userView } from './wire.ts';

const taken = (): AppError => conflict('an account with this e-mail exists already', { field: '/email' });

export interface UserCreationOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  accounts: AccountPort;
}

/** New accounts. */
export const createCreation = ({ db, clock, audit, accounts }: UserCreationOptions) => {
  /**
   * A row for a new account. `status` follows from whether it can sign in at once. `maker`: what the credential can that
   * gives it the password (`permissionsOfMaker`).
   */
  const newRow = (
    input: NewUserInput,
    tenantId: string,
    passwordHash: string | null,
    maker: string | null,
  ): UserRow => {
    const at = clock.now();
    return {
      id: newId(),
      tenant_id: tenantId,
      type: input.type ?? 'person',
      email: input.email.trim(),
      email_folded: foldEmail(input.email),
      name: input.name ?? input.email.split('@')[0] ?? input.email,
      password_hash: passwordHash,
      password_permissions: passwordHash === null ? null : maker,
      ...rolesAndPermissions(input),
      tier: input.tier ?? null,
      status: passwordHash === null && input.type !== 'service' ? 'invited' : 'active',
      external_id: null,
      created_at: at,
      updated_at: at,
      last_seen_at: null,
      claims_at: null,
      placed_by_admin: null,
    };
  };

  /**
   * Makes an account inside a transaction. Throws CONFLICT for a taken e-mail. Returns the invitation's address, if any.
   */
  const add = async (
    tx: Tx,
    row: UserRow,
    maker: string | null,
    requestId: string,
  ): Promise<string | null> => {
    if ((await findUserByEmail(tx, row.email)) !== undefined) {
      throw taken();
    }
    // An account of another tenant is not seen from here; its address is taken all the same.
    await insertUser(tx, row).catch((error: unknown) => {
      throw isTaken(error) ? taken() : error;
    });
    await tx.emit(userCreated(row, requestId));
    return row.status === 'invited' ? accounts.addLink(tx, row, 'invitation', maker) : null;
  };

  const passwordHashOf = async (input: NewUserInput): Promise<string | null> => {
    if (input.password === undefined) return null;
    if (input.type === 'service') {
      throw invalid({ field: '/password', reason: 'is not for service accounts; give them a machine key' });
    }
    accounts.assertPassword(input.password, '/password');
    // Before the hash; the transaction looks again.
    if ((await findUserByEmail(db.read, input.email)) !== undefined) throw taken();
    return accounts.hashPassword(input.password);
  };

  return {
    newRow,
    add,
    passwordHashOf,

    /** Throws CONFLICT for a taken e-mail, FORBIDDEN for another tenant or a tier unless a platform administrator asks. */
    async create(
      caller: Caller,
      input: NewUserInput,
      requestId: string,
    ): Promise<UserBody & { invitation_url?: string }> {
      const tenantId = input.tenant_id ?? caller.tenantId;
      if (tenantId !== caller.tenantId && !caller.platformAdmin) throw forbidden('tenants:manage');
      if (input.tier !== undefined && input.tier !== null) assertMaySetTier(caller);
      const tenant = await findTenant(db.read, tenantId);
      if (tenant === undefined) throw invalid({ field: '/tenant_id', reason: 'names no tenant' });
      assertMayGrant(caller, rightsOf(rolesAndPermissions(input), tenant.slug));
      const maker = permissionsOfMaker(caller);
      const row = newRow(input, tenantId, await passwordHashOf(input), maker);
      const url = await db.write(async (tx) => {
        const link = await add(tx, row, maker, requestId);
        await audit.append(tx, {
          ...actorOf(caller),
          tenantId,
          action: 'user.created',
          targetType: 'user',
          targetId: row.id,
          requestId,
          details: { type: row.type, roles: row.roles },
        });
        return link;
      });
      if (url !== null && accounts.mailDelivers) await accounts.mailLink(row, 'invitation', url);
      return { ...userView(row, tenant), ...(url === null ? {} : { invitation_url: url }) };
    },
  };
};
