import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * Whose rows the statements of a piece of work may touch, for the second wall on PostgreSQL (row-level security, see
 * `postgres/pool.ts`): one tenant's, or all. It goes along with the asynchronous work itself and not as an argument, since
 * a wall that each store has to be handed would be as easy to forget as the filter that it stands behind. Nothing is
 * decided by it elsewhere: what a caller may do is an explicit argument everywhere.
 *
 * Work in no scope sees no tenant's rows.
 */
const scopes = new AsyncLocalStorage<string>();

/** The setting of a session that may see all tenants; no id of a tenant looks like it. */
export const ALL_TENANTS = '*';
/** That of one which may see none. */
export const NO_TENANT = '';

/** A request of that tenant, or a job for it: rows of other tenants do not exist for it. */
export const withinTenant = <T>(tenantId: string, work: () => T): T => {
  if (tenantId === ALL_TENANTS || tenantId === NO_TENANT) throw new Error('this is no id of a tenant');
  return scopes.run(tenantId, work);
};

/**
 * What belongs to no tenant: finding out who somebody is, sweeps, the job queue, the routes of platform administrators,
 * start and stop. Timers and listeners that are made in it stay in it.
 */
export const acrossTenants = <T>(work: () => T): T => scopes.run(ALL_TENANTS, work);

/** As the work says itself: the tenant of a payload, where it names one. */
export const within = <T>(tenantId: string | null, work: () => T): T =>
  tenantId === null ? acrossTenants(work) : withinTenant(tenantId, work);

/** The value for `app.tenant`; null outside of any scope. */
export const currentScope = (): string | null => scopes.getStore() ?? null;
