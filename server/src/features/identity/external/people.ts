import { hash } from 'node:crypto';
import type { Db, Queryable } from '../../../db/db.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { AppError, unauthorized } from '../../../kernel/errors.ts';
import type { EventOutbox, EventSink } from '../../../kernel/events.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Audit } from '../../audit/index.ts';
import {
  findTenantByExternalId,
  findTenantBySlug,
  insertTenant,
  type TenantRow,
} from '../../tenants/index.ts';
import {
  findUserByExternalId,
  insertUser,
  type UserRow,
  updateUser,
  userCreated,
} from '../../users/index.ts';
import { DEFAULT_TENANT } from '../principal.ts';
import { type ExternalPerson, slugOf } from './claims.rules.ts';

/** Accounts of people whom an external provider vouches for: made at first sight, kept in step with their tokens. */

export interface PeopleOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  events: EventSink;
  outbox: EventOutbox<Queryable>;
  issuer: string;
  /** False: only people and organisations that are here already may come in. */
  create: boolean;
}

const unknownPerson = () =>
  new AppError('FORBIDDEN', 'this account is not known here; ask your administrator', {
    details: { required: 'a known account', reason: 'ACCOUNT_UNKNOWN' },
  });

export const createPeople = (options: PeopleOptions) => {
  const { db, clock, audit, issuer } = options;
  const externalId = (id: string): string => `${issuer}|${id}`;

  const newTenant = async (organisation: { id: string; name: string }): Promise<TenantRow> => {
    if (!options.create) throw unknownPerson();
    const at = clock.now();
    const external = externalId(organisation.id);
    const slug = `${slugOf(organisation.name)}-${hash('sha256', external, 'hex').slice(0, 8)}`;
    const row: TenantRow = {
      id: newId(),
      slug,
      name: organisation.name,
      tier: 'free',
      status: 'active',
      settings: '{}',
      external_id: external,
      created_at: at,
      updated_at: at,
    };
    return db.write(async (tx) => {
      const raced = await findTenantByExternalId(tx, external);
      if (raced !== undefined) return raced;
      await insertTenant(tx, row);
      await audit.append(tx, {
        tenantId: row.id,
        actorId: null,
        actorType: 'system',
        action: 'tenant.created',
        targetType: 'tenant',
        targetId: row.id,
        details: { first_seen_at: issuer },
      });
      return row;
    });
  };

  /** Without an organisation in the token: the tenant `default`. */
  const tenantOf = async (person: ExternalPerson): Promise<TenantRow> => {
    const { organisation } = person;
    if (organisation === null) {
      const tenant = await findTenantBySlug(db.read, DEFAULT_TENANT);
      if (tenant === undefined) throw unknownPerson();
      return tenant;
    }
    return (await findTenantByExternalId(db.read, externalId(organisation.id))) ?? newTenant(organisation);
  };

  const newUser = async (person: ExternalPerson, tenant: TenantRow): Promise<UserRow> => {
    if (!options.create) throw unknownPerson();
    const at = clock.now();
    const external = externalId(person.subject);
    const row: UserRow = {
      id: newId(),
      tenant_id: tenant.id,
      type: 'person',
      email: person.email,
      // Not the e-mail: what another provider says of an address must not claim an account that is here.
      email_folded: `external:${external}`,
      name: person.name,
      password_hash: null,
      roles: JSON.stringify(person.roles ?? ['user']),
      permissions: '[]',
      tier: null,
      status: 'active',
      external_id: external,
      created_at: at,
      updated_at: at,
      last_seen_at: null,
    };
    const made = await db.write(async (tx) => {
      const raced = await findUserByExternalId(tx, external);
      if (raced !== undefined) return { user: raced, created: null };
      await insertUser(tx, row);
      await audit.append(tx, {
        tenantId: tenant.id,
        actorId: row.id,
        actorType: 'user',
        action: 'user.created',
        targetType: 'user',
        targetId: row.id,
        details: { first_seen_at: issuer, roles: row.roles },
      });
      return { user: row, created: await options.outbox.record(tx, userCreated(row, null)) };
    });
    if (made.created !== null) options.events.publish(made.created);
    return made.user;
  };

  /** The provider is right about names and, where it names them, roles. */
  const follow = async (user: UserRow, person: ExternalPerson): Promise<boolean> => {
    const roles = person.roles === null ? user.roles : JSON.stringify(person.roles);
    if (user.name === person.name && user.email === person.email && user.roles === roles) return false;
    await db.write(async (tx) => {
      await updateUser(
        tx,
        { id: user.id, tenantId: user.tenant_id },
        { name: person.name, email: person.email, roles },
        clock.now(),
      );
      if (roles === user.roles) return;
      await audit.append(tx, {
        tenantId: user.tenant_id,
        actorId: null,
        actorType: 'system',
        action: 'user.updated',
        targetType: 'user',
        targetId: user.id,
        details: { by: issuer, roles_before: user.roles, roles_after: roles },
      });
    });
    return true;
  };

  return {
    /**
     * The person's account, and whether it changed by what the token says. Throws FORBIDDEN for one who may not come in,
     * TOKEN_INVALID for one who moved.
     */
    async settle(person: ExternalPerson): Promise<{ userId: string; changed: boolean }> {
      const tenant = await tenantOf(person);
      const known = await findUserByExternalId(db.read, externalId(person.subject));
      const user = known ?? (await newUser(person, tenant));
      if (user.tenant_id !== tenant.id) {
        throw unauthorized('TOKEN_INVALID', 'this account belongs to another organisation');
      }
      const changed = known !== undefined && (await follow(known, person));
      return { userId: user.id, changed };
    },
  };
};

export type People = ReturnType<typeof createPeople>;
