import type { DialectName } from './db.ts';

/** Figures of agents by period, kept until a run of the period changes: what drops them is in step 162. */

/** First number of the advisory locks, one a tenant, under which they are made and dropped on PostgreSQL. */
export const RUN_SUMS_LOCK = 7_310_005;

export const RUN_SLOT_MS = 900_000;
export const RUN_HOUR_MS = 3_600_000;
export const RUN_DAY_MS = 86_400_000;

/** A quarter of an hour, an hour, a day; all in UTC. */
export type RunSumPart = 'slot' | 'hour' | 'day';
export const RUN_PART_MS: Readonly<Record<RunSumPart, number>> = {
  slot: RUN_SLOT_MS,
  hour: RUN_HOUR_MS,
  day: RUN_DAY_MS,
};

/** A change of one of these changes the figures; a journal that goes does not. */
const COUNTED =
  'finished_at, agent_id, status, usage, cost_nano, tool_call_count, delegated, first_token_ms, created_at';

/** Drops what holds the run `row`, one statement for each part so that each goes by the key. */
const forget = (row: 'new' | 'old'): string =>
  Object.entries(RUN_PART_MS)
    .map(
      ([part, ms]) => `delete from run_sums where tenant_id = ${row}.tenant_id and part = '${part}'
        and starts_at = (${row}.created_at / ${ms}) * ${ms};`,
    )
    .join('\n');

/** Inserts of running ones, by far the most, are none of its events. */
const EVENTS = [
  ['insert', 'insert', 'new', 'new.finished_at is not null'],
  ['update', `update of ${COUNTED}`, 'old', 'old.finished_at is not null or new.finished_at is not null'],
  ['delete', 'delete', 'old', 'old.finished_at is not null'],
] as const;

/** What drops the sums of a period in the transaction that changes one of its runs, whichever release writes it. */
export const runSumTriggers = (dialect: DialectName): string[] => {
  if (dialect === 'sqlite')
    return EVENTS.map(
      ([name, event, row, when]) =>
        `create trigger run_sums_${name} after ${event} on runs when ${when} begin ${forget(row)} end`,
    );
  return EVENTS.flatMap(([name, event, row, when]) => [
    `create function run_sums_${name}() returns trigger language plpgsql as $$ begin
       perform pg_advisory_xact_lock_shared(${RUN_SUMS_LOCK}, hashtext(${row}.tenant_id));
       ${forget(row)}
       return null;
     end $$`,
    `create trigger run_sums_${name} after ${event} on runs
       for each row when (${when}) execute function run_sums_${name}()`,
  ]);
};
