import { ANY_RUN, LIMIT_PERIODS, LIMIT_SCOPES } from './rules.ts';
import { MAX_LIMIT_USD } from './schema.ts';

type Row = Record<string, unknown>;

const MAX_LIMIT_NANO = MAX_LIMIT_USD * 1e9;

const isAmount = (value: unknown, most: number): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most;

const isLimit = (value: unknown): boolean =>
  value === null || value === undefined || isAmount(value, MAX_LIMIT_NANO);

const isSubject = (row: Row, tenantId: string): boolean => {
  if (row.scope === 'tenant') return row.subject === tenantId;
  if (row.scope === 'run') return row.subject === ANY_RUN;
  return typeof row.subject === 'string' && row.subject !== '' && row.subject.length <= 128;
};

const assertPlace = (row: Row, tenantId: string, what: string): void => {
  if (!LIMIT_SCOPES.some((scope) => scope === row.scope)) throw new Error(`${what} has a scope that is none`);
  if (
    !LIMIT_PERIODS.some((period) => period === row.period) ||
    (row.scope === 'run') !== (row.period === 'run')
  )
    throw new Error(`${what} has a period that is none`);
  if (!isSubject(row, tenantId)) throw new Error(`${what} has a subject that is none`);
};

/** Throws for a limit of an archive that the API would not have stored. */
export const assertCarriedLimit = (row: Row, tenantId: string): void => {
  const what = 'a limit of costs of the archive';
  assertPlace(row, tenantId, what);
  if (!isLimit(row.limit_nano)) throw new Error(`${what} has an amount that is none`);
};

/** Throws for a counter that this platform would not have counted to: less than nothing spent would be room without end. */
export const assertCarriedCounter = (row: Row, tenantId: string): void => {
  const what = 'a counter of costs of the archive';
  assertPlace(row, tenantId, what);
  if (![row.limit_nano, row.run_limit_nano].every(isLimit))
    throw new Error(`${what} has a limit that is none`);
  if (![row.used_nano, row.reserved_nano ?? 0].every((value) => isAmount(value, Number.MAX_SAFE_INTEGER)))
    throw new Error(`${what} has an amount that is none`);
};
