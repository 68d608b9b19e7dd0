import type { Db, Queryable, Tx } from '../../db/db.ts';
import { type Caller, TIERS } from '../../kernel/caller.ts';
import { type Clock, iso } from '../../kernel/clock.ts';
import { AppError, conflict, invalid, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { type PageRequest, type PageResult, pageResult } from '../../kernel/pagination.ts';
import { DEFAULT_TENANT } from '../../kernel/tenant.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import { TENANT_STATUSES, type TenantBody } from './schema.ts';
import {
  findTenant,
  findTenantBySlug,
  insertTenant,
  listTenants,
  type TenantChanges,
  type TenantRow,
  updateTenant,
} from './store.ts';

const MAX_SETTINGS_BYTES = 32 * 1024;

/** Makes the first admin of a new tenant; the users feature gives this. */
export interface FirstAdminPort {
  /** Before the transaction: checks and hashes the password. */
  prepare(input: { email: string; password?: string | undefined }, tenantId: string): Promise<PreparedAdmin>;
}

export interface PreparedAdmin {
  id: string;
  email: string;
  /** Stores the account; the invitation's address when it has no password yet. */
  store(tx: Tx, requestId: string): Promise<string | null>;
  /** After the commit: mails the link, where there is one. */
  invite(link: string | null): Promise<void>;
}

export interface TenantsOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  firstAdmin: FirstAdminPort;
  /** Tier or status changed: the next request of everybody in it sees that. */
  changed(tenantId: string): void;
}

export interface TenantInput {
  name: string;
  slug: string;
  tier?: string | undefined;
  settings?: Record<string, unknown> | undefined;
  admin?: { email: string; password?: string | undefined } | undefined;
}

export type TenantChangeInput = Partial<Omit<TenantInput, 'admin'>> & { status?: string | undefined };

export const tenantView = (row: TenantRow): TenantBody => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  tier: TIERS.find((tier) => tier === row.tier) ?? 'free',
  status: TENANT_STATUSES.find((status) => status === row.status) ?? 'suspended',
  settings: JSON.parse(row.settings),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

const isTimezone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
};

const settingsText = (settings: Record<string, unknown>): string => {
  const { timezone } = settings;
  if (timezone !== undefined && (typeof timezone !== 'string' || !isTimezone(timezone))) {
    throw invalid({
      field: '/settings/timezone',
      reason: 'must be an IANA time zone, for example Europe/Berlin',
    });
  }
  const text = JSON.stringify(settings);
  if (Buffer.byteLength(text) > MAX_SETTINGS_BYTES) {
    throw invalid({ field: '/settings', reason: 'must not be larger than 32 KiB' });
  }
  return text;
};

const platformOnly = (): AppError =>
  new AppError('FORBIDDEN', 'this is for platform administrators (admins of the tenant default)', {
    details: { required: 'platform administrator' },
  });

export const createTenants = (options: TenantsOptions) => {
  const { db, clock, audit } = options;

  const assertSlugFree = async (tx: Queryable, slug: string): Promise<void> => {
    if ((await findTenantBySlug(tx, slug)) !== undefined) {
      throw conflict('a tenant with this slug exists already', { field: '/slug' });
    }
  };

  /** One's own tenant, or any for a platform administrator; others do not exist. */
  const find = async (caller: Caller, id: string): Promise<TenantRow> => {
    const row = id === caller.tenantId || caller.platformAdmin ? await findTenant(db.read, id) : undefined;
    if (row === undefined) throw notFound('tenant');
    return row;
  };

  return {
    async list(caller: Caller, page: PageRequest): Promise<PageResult<TenantBody>> {
      if (!caller.platformAdmin) throw platformOnly();
      const { rows, total } = await listTenants(db.read, page);
      const result = pageResult(page, rows, total, (row) => ({ createdAt: row.created_at, id: row.id }));
      return { ...result, items: result.items.map(tenantView) };
    },

    get: async (caller: Caller, id: string): Promise<TenantBody> => tenantView(await find(caller, id)),

    async create(caller: Caller, input: TenantInput, requestId: string) {
      if (!caller.platformAdmin) throw platformOnly();
      const at = clock.now();
      const row: TenantRow = {
        id: newId(),
        slug: input.slug,
        name: input.name,
        tier: input.tier ?? 'free',
        status: 'active',
        settings: settingsText(input.settings ?? {}),
        external_id: null,
        created_at: at,
        updated_at: at,
      };
      // Before the password of the admin is hashed; the transaction looks again.
      await assertSlugFree(db.read, row.slug);
      const admin = input.admin === undefined ? null : await options.firstAdmin.prepare(input.admin, row.id);
      const url = await db.write(async (tx) => {
        await assertSlugFree(tx, row.slug);
        await insertTenant(tx, row);
        const made = admin === null ? null : await admin.store(tx, requestId);
        await audit.append(tx, {
          ...actorOf(caller),
          action: 'tenant.created',
          targetType: 'tenant',
          targetId: row.id,
          requestId,
        });
        return made;
      });
      if (admin === null) return tenantView(row);
      await admin.invite(url);
      return {
        ...tenantView(row),
        admin: { id: admin.id, email: admin.email, ...(url === null ? {} : { invitation_url: url }) },
      };
    },

    /** Tier and status are the platform administrator's; name, slug and settings also the tenant's own admins'. */
    async update(
      caller: Caller,
      id: string,
      input: TenantChangeInput,
      requestId: string,
    ): Promise<TenantBody> {
      const row = await find(caller, id);
      if ((input.tier !== undefined || input.status !== undefined) && !caller.platformAdmin) {
        throw platformOnly();
      }
      if (row.slug === DEFAULT_TENANT) {
        if (input.status === 'suspended') throw conflict('the default tenant cannot be suspended');
        if (input.slug !== undefined && input.slug !== row.slug) {
          throw conflict('the slug of the default tenant is fixed');
        }
      }
      const changes: TenantChanges = {};
      if (input.name !== undefined) changes.name = input.name;
      if (input.slug !== undefined && input.slug !== row.slug) changes.slug = input.slug;
      if (input.tier !== undefined) changes.tier = input.tier;
      if (input.status !== undefined) changes.status = input.status;
      if (input.settings !== undefined) changes.settings = settingsText(input.settings);
      if (Object.keys(changes).length === 0) return tenantView(row);
      const changed = await db.write(async (tx) => {
        if (changes.slug !== undefined) await assertSlugFree(tx, changes.slug);
        const next = await updateTenant(tx, id, changes, clock.now());
        if (next === undefined) throw notFound('tenant');
        await audit.append(tx, {
          ...actorOf(caller),
          tenantId: id,
          action: 'tenant.updated',
          targetType: 'tenant',
          targetId: id,
          requestId,
          details: {
            fields: Object.keys(changes),
            ...(changes.status === undefined
              ? {}
              : { status_before: row.status, status_after: changes.status }),
            ...(changes.tier === undefined ? {} : { tier_before: row.tier, tier_after: changes.tier }),
          },
        });
        return next;
      });
      options.changed(id);
      return tenantView(changed);
    },
  };
};

export type Tenants = ReturnType<typeof createTenants>;
