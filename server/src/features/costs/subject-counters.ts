import type { DialectName, Queryable } from '../../db/db.ts';
import type { CostCounterRow } from '../../db/tables/costs.ts';
import type { Calendars, TenantCalendar } from './calendar.ts';
import { type CounterKey, counterId, createCounter, selectCounters } from './counters.store.ts';
import { counterIds, lockCounters } from './hot.store.ts';
import type { Limited } from './limited.ts';
import { ensureLimits, keyOf, type LimitDefaults } from './limits.store.ts';
import { ANY_RUN } from './rules.ts';
import type { CostSubject } from './types.ts';

/** The counters that carry the spending of a subject: which they are, made where they are missing, and locked. */
export interface SubjectCountersOptions {
  dialect: DialectName;
  calendars: Calendars;
  limited: Limited;
  defaults: LimitDefaults;
}

/** What the counters of a subject depend on. */
interface Book {
  calendar: TenantCalendar;
  /** Keys of users and agents that are counted; null: all. */
  limited: ReadonlySet<string> | null;
}

export const createSubjectCounters = (options: SubjectCountersOptions) => {
  const { calendars, dialect, limited } = options;
  const bookOf = async (tx: Queryable, tenantId: string, at: number): Promise<Book> => ({
    calendar: await calendars.at(tx, tenantId, at),
    limited: await limited.at(tx, tenantId),
  });

  /** All counters that carry spending of this subject, the tenant's first. */
  const keysOf = ({ calendar, limited }: Book, who: CostSubject): CounterKey[] => {
    const { tenantId } = who;
    const keys: CounterKey[] = [];
    const add = (scope: CounterKey['scope'], subject: string, period: 'day' | 'month'): void => {
      if (scope !== 'tenant' && limited?.has(keyOf({ scope, subject, period })) === false) return;
      const span = calendar[period];
      const id = counterId(tenantId, scope, subject, period, span.start);
      keys.push({ id, tenantId, scope, subject, period, span });
    };
    add('tenant', tenantId, 'day');
    add('tenant', tenantId, 'month');
    add('user', who.userId, 'day');
    add('user', who.userId, 'month');
    if (who.agentId !== null) {
      add('agent', who.agentId, 'day');
      add('agent', who.agentId, 'month');
    }
    return keys;
  };

  const idsOf = (book: Book, who: CostSubject): string[] => keysOf(book, who).map((key) => key.id);

  /**
   * Locks the counters; false where one is not there yet for this statement. It may be there for the next one, made by
   * another transaction and not locked by this one, so what was not locked here must not be used.
   */
  const lock = async (tx: Queryable, ids: readonly string[]): Promise<boolean> =>
    dialect !== 'postgres' || (await lockCounters(tx, counterIds(ids))).length === ids.length;

  /**
   * Makes those of the subject's counters that are missing, each with the limit that holds for it now. The tenant's day
   * comes first and is locked before the others are made: whoever makes counters of the tenant waits there and nowhere
   * else, so two that begin a period together do not wait for each other.
   */
  const createMissing = async (tx: Queryable, book: Book, who: CostSubject, now: number): Promise<void> => {
    const limits = await ensureLimits(tx, who.tenantId, options.defaults, now);
    const amounts = new Map(limits.map((limit) => [keyOf(limit), limit.limit_nano]));
    const runLimitNano = amounts.get(keyOf({ scope: 'run', subject: ANY_RUN, period: 'run' })) ?? null;
    const [day, ...others] = keysOf(book, who);
    if (day === undefined) return;
    const create = (key: CounterKey) =>
      createCounter(tx, key, {
        limitNano: amounts.get(keyOf(key)) ?? null,
        runLimitNano: key === day ? runLimitNano : null,
      });
    if ((await selectCounters(tx, [day.id])).length === 0) await create(day);
    await lock(tx, [day.id]);
    const rows = await selectCounters(
      tx,
      others.map((key) => key.id),
    );
    const present = new Set(rows.map((row) => row.id));
    for (const key of others) if (!present.has(key.id)) await create(key);
  };

  /** Every counter of the subject, made where it is missing, and locked. */
  const read = async (
    tx: Queryable,
    book: Book,
    who: CostSubject,
    now: number,
  ): Promise<CostCounterRow[]> => {
    const ids = idsOf(book, who);
    if (await lock(tx, ids)) {
      const rows = await selectCounters(tx, ids);
      if (rows.length === ids.length) return rows;
    }
    await createMissing(tx, book, who, now);
    await lock(tx, ids);
    return selectCounters(tx, ids);
  };

  return { bookOf, idsOf, lock, read };
};
