import { hash } from 'node:crypto';
import type { Db } from '../../../db/db.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { AppError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { DEFAULT_TENANT } from '../../../kernel/tenant.ts';
import type { Audit } from '../../audit/index.ts';
import {
  findTenantByExternalId,
  findTenantBySlug,
  hasExternalTenant,
  insertTenant,
  type TenantRow,
} from '../../tenants/index.ts';
import {
  type AccountEnds,
  findUserByExternalId,
  insertUser,
  moveUser,
  noteMove,
  type UserRow,
  userCreated,
} from '../../users/index.ts';
import { parseRoles } from '../principal.ts';
import { type ExternalPerson, type Organisation, tenantSlugOf } from './claims.rules.ts';
import { createFollow, isOutdated, type Said } from './follow.ts';
import { createProvisioned } from './provisioned.ts';

/** Accounts of people whom an external provider vouches for: made at first sight, kept in step with their tokens. */

export interface PeopleOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  issuer: string;
  /** False: only people and organisations that are here already may come in. */
  create: boolean;
  /** Whether a token must name an organisation; `auto`: as soon as one of the issuer's has a tenant here. */
  requireOrganisation: 'auto' | 'on' | 'off';
  accounts: AccountEnds;
  /** What is remembered of the account's tokens is void. */
  forgetUser(userId: string): void;
}

const unknownPerson = () =>
  new AppError('FORBIDDEN', 'this account is not known here; ask your administrator', {
    details: { required: 'a known account', reason: 'ACCOUNT_UNKNOWN' },
  });

const organisationNeeded = (reason: string) =>
  new AppError('FORBIDDEN', reason, {
    details: { required: 'a token that names one organisation', reason: 'ORGANISATION_REQUIRED' },
  });

const otherOrganisation = (userId: string) =>
  new AppError(
    'FORBIDDEN',
    'this account belongs to another organisation than the token names; a platform administrator can move it (POST /v2/users/{id}/move)',
    {
      details: {
        required: 'a token of the account’s organisation',
        reason: 'OTHER_ORGANISATION',
        user_id: userId,
      },
    },
  );

export const createPeople = (options: PeopleOptions) => {
  const { db, clock, audit, issuer } = options;
  const provisioned = createProvisioned(options);
  const follow = createFollow(options, provisioned);
  const externalId = (id: string): string => `${issuer}|${id}`;

  const newTenant = async (organisation: { id: string; name: string }): Promise<TenantRow> => {
    if (!options.create) throw unknownPerson();
    const at = clock.now();
    const external = externalId(organisation.id);
    const slug = `${tenantSlugOf(organisation.name)}-${hash('sha256', external, 'hex').slice(0, 8)}`;
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

  const defaultTenant = async (): Promise<TenantRow> => {
    const tenant = await findTenantBySlug(db.read, DEFAULT_TENANT);
    if (tenant === undefined) throw unknownPerson();
    return tenant;
  };

  const assertOrganisationOptional = async (): Promise<void> => {
    const { requireOrganisation } = options;
    if (requireOrganisation === 'off') return;
    if (requireOrganisation === 'auto' && !(await hasExternalTenant(db.read))) return;
    throw organisationNeeded(
      'the token names no organisation; ask the identity provider for it with the scopes of IDP_SCOPES',
    );
  };

  const newUser = async (person: ExternalPerson, tenant: TenantRow, said: Said): Promise<UserRow> => {
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
      password_permissions: null,
      roles: JSON.stringify(person.roles ?? ['user']),
      permissions: '[]',
      tier: null,
      status: 'active',
      external_id: external,
      created_at: at,
      updated_at: at,
      last_seen_at: null,
      claims_at: said.saidAt,
      placed_by_admin: null,
    };
    return db.write(async (tx) => {
      const raced = await findUserByExternalId(tx, external);
      if (raced !== undefined) return raced;
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
      await tx.emit(userCreated(row, null));
      return row;
    });
  };

  /**
   * Whom a token without an organisation has brought into `default` goes to the organisation of the first token that names
   * one. What was written meanwhile stays with the account of before.
   */
  const place = async (
    user: UserRow,
    person: ExternalPerson,
    tenant: TenantRow,
    said: Said,
  ): Promise<UserRow> => {
    const roles = isOutdated(user, said) ? parseRoles(user.roles) : (person.roles ?? ['user']);
    const placed = await db.write(async (tx) => {
      const moved = await moveUser(tx, options.accounts, user, {
        tenantId: tenant.id,
        roles,
        at: clock.now(),
        byAdmin: false,
      });
      if (moved === null) return null;
      const { row: after, details } = moved;
      await noteMove(tx, audit, { before: user, after, by: null, requestId: null, ended: details });
      await tx.emit(userCreated(after, null));
      return after;
    });
    // Another of the person's tokens was faster.
    const account = placed ?? (await findUserByExternalId(db.read, externalId(person.subject)));
    if (account === undefined) throw unknownPerson();
    options.forgetUser(user.id);
    return account;
  };

  const accountIn = async (
    person: ExternalPerson,
    organisation: Organisation,
    known: UserRow | undefined,
    said: Said,
  ): Promise<UserRow> => {
    const tenant =
      (await findTenantByExternalId(db.read, externalId(organisation.id))) ?? (await newTenant(organisation));
    const account = (await provisioned.join(person, tenant.id, known)) ?? known;
    if (account === undefined) return newUser(person, tenant, said);
    if (account.tenant_id === tenant.id) return account;
    return moved(account, person, tenant, said);
  };

  const moved = async (
    known: UserRow,
    person: ExternalPerson,
    tenant: TenantRow,
    said: Said,
  ): Promise<UserRow> => {
    if (await provisioned.isManaged(known.id)) throw otherOrganisation(known.id);
    const isUnplaced = known.tenant_id === (await defaultTenant()).id && known.placed_by_admin !== 1;
    if (!isUnplaced) throw otherOrganisation(known.id);
    return place(known, person, tenant, said);
  };

  /** For a token that names no organisation. */
  const accountWithout = async (
    person: ExternalPerson,
    known: UserRow | undefined,
    said: Said,
  ): Promise<UserRow> => {
    const tenant = await defaultTenant();
    return (
      (await provisioned.join(person, tenant.id, known)) ?? known ?? (await newUser(person, tenant, said))
    );
  };

  return {
    assertOrganisationOptional,

    /**
     * The person's account, and whether it changed by what the token says. Throws FORBIDDEN for one who may not come in: unknown,
     * of another organisation, or of none where one is needed.
     */
    async settle(
      person: ExternalPerson,
      how: { organisationNeeded: boolean } & Said,
    ): Promise<{ userId: string; changed: boolean }> {
      if (person.organisationFault !== null) throw organisationNeeded(person.organisationFault);
      const known = await findUserByExternalId(db.read, externalId(person.subject));
      const { organisation } = person;
      if (organisation === null && how.organisationNeeded) await assertOrganisationOptional();
      const user =
        organisation === null
          ? await accountWithout(person, known, how)
          : await accountIn(person, organisation, known, how);
      return { userId: user.id, changed: await follow(user, person, how) };
    },
  };
};

export type People = ReturnType<typeof createPeople>;
