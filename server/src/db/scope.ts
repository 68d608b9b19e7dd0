import { AsyncLocalStorage } from 'node:async_hooks';
import type { LogCarrier, LogWork } from '../kernel/log-fields.ts';

/**
 * Whose rows the statements of a piece of work may touch, for the second wall on PostgreSQL (row-level security, see
 * `postgres/pool.ts`): one tenant's, or all. It goes along with the asynchronous work itself and not as an argument, since
 * a wall that each store has to be handed would be as easy to forget as the filter that it stands behind. Nothing is
 * decided by it elsewhere: what a caller may do is an explicit argument everywhere.
 *
 * Work in no scope sees no tenant's rows.
 */

interface Present {
  tenant: string | null;
  /** Fields of the log go along in the same store: a second one would cost every request. */
  log: LogWork | undefined;
}
const works = new AsyncLocalStorage<Present>();
const runIn = <T>(tenant: string, work: () => T): T =>
  works.run({ tenant, log: works.getStore()?.log }, work);

/** The setting of a session that may see all tenants; no id of a tenant looks like it. */
export const ALL_TENANTS = '*';
/** That of one which may see none. */
export const NO_TENANT = '';

const checked = (tenantId: string): string => {
  if (tenantId === ALL_TENANTS || tenantId === NO_TENANT) throw new Error('this is no id of a tenant');
  return tenantId;
};

/** A request of that tenant, or a job for it: rows of other tenants do not exist for it. */
export const withinTenant = <T>(tenantId: string, work: () => T): T => runIn(checked(tenantId), work);

/**
 * What belongs to no tenant: finding out who somebody is, sweeps, the job queue, the routes of platform administrators,
 * start and stop. Timers and listeners that are made in it stay in it.
 */
export const acrossTenants = <T>(work: () => T): T => runIn(ALL_TENANTS, work);

/** As the work says itself: the tenant of a payload, where it names one. */
export const within = <T>(tenantId: string | null, work: () => T): T =>
  tenantId === null ? acrossTenants(work) : withinTenant(tenantId, work);

/** The value for `app.tenant`; null outside of any scope. */
export const currentScope = (): string | null => works.getStore()?.tenant ?? null;

/** For the process's log (log.ts). */
export const logCarrier: LogCarrier = {
  run: (log, work) => works.run({ tenant: currentScope(), log }, work),
  getStore: () => works.getStore()?.log,
};

/** A request: `within` and `withinLog` in one step. */
export const withinRequest = <T>(tenantId: string | null, log: LogWork, work: () => T): T =>
  works.run({ tenant: tenantId === null ? ALL_TENANTS : checked(tenantId), log }, work);
