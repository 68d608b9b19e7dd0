import { setTimeout as delay } from 'node:timers/promises';
import type { Db } from '../../db/db.ts';
import { RUN_DAY_MS, RUN_HOUR_MS, RUN_PART_MS, type RunSumPart } from '../../db/run-sums.ts';
import { acrossTenants, withinTenant } from '../../db/scope.ts';
import type { Clock } from '../../kernel/clock.ts';
import { WINDOWS_MS } from './rules.ts';
import {
  coverOf,
  floorTo,
  fullDays,
  type Period,
  packTotals,
  type Stretch,
  unsealed,
} from './run-periods.ts';
import {
  allSealed,
  dropAll,
  dropOldRunSums,
  keptSums,
  readSums,
  seal,
  sealedFor,
  tenantsWithRunSums,
} from './run-sums.store.ts';
import {
  type RunSamples,
  rowTotals,
  samplesByAgent,
  sumByAgent,
  type TotalsByAgent,
  totalRequests,
} from './totals.store.ts';

/**
 * Figures of agents from sums of past hours and days, and from rows where there are none. Sums are made after somebody has looked and
 * many rows were read; the database drops those of a period in the transaction that changes one of its runs.
 */
export interface FiguresOptions {
  db: Db;
  samples: RunSamples;
  clock: Clock;
  /** All agents: a sum is made of every one. */
  agentIds: readonly string[];
  /** Sums are made where more runs than these are read: of a few it is quicker to read them. */
  manyRuns: number;
  onError(error: unknown): void;
}

/** Most runs have ended by then that began in a period; of one that has not, the sum is made again. */
const GRACE_MS = 60_000;
/** Runs that end wait while sums are made: they get the rest of the time. */
const REST = 3;
const BUSY_MS = 50;
const TRIES = 20;

interface Question {
  tenantId: string;
  agentIds: readonly string[];
  since: number;
}

/** Periods of a tenant, until all are summed up, somebody is always in the way, or `stop` says so. */
const sealAll = async (
  { db, agentIds, samples }: FiguresOptions,
  tenantId: string,
  periods: readonly Period[],
  stop: AbortSignal,
): Promise<void> => {
  let tries = 0;
  for (let n = 0; n < periods.length && tries < TRIES && !stop.aborted; ) {
    const startedMs = performance.now();
    const done = await seal(
      db,
      samples,
      { tenantId, agentIds },
      periods.slice(n, n + RUN_DAY_MS / RUN_HOUR_MS),
    );
    tries = done === null ? tries + 1 : 0;
    n += done ?? 0;
    const restMs = done === null ? BUSY_MS : (performance.now() - startedMs) * REST;
    await delay(restMs, undefined, { signal: stop }).catch(() => {});
  }
};

const sealTenant = async (options: FiguresOptions, tenantId: string, stop: AbortSignal): Promise<void> => {
  const { db, clock } = options;
  const until = clock.now() - GRACE_MS;
  const stretch: Stretch = { since: floorTo(until - WINDOWS_MS['30d'], RUN_DAY_MS), until };
  const of = (part: RunSumPart, starts: readonly number[]): Period[] =>
    starts.map((startsAt) => ({ part, startsAt }));
  const { hours, slots } = unsealed(stretch, await allSealed(db.read, tenantId, stretch));
  await sealAll(options, tenantId, [...of('hour', hours), ...of('slot', slots)], stop);
  const days = fullDays(stretch, await allSealed(db.read, tenantId, stretch));
  await sealAll(options, tenantId, of('day', days), stop);
  await dropOldRunSums(db, tenantId, { all: stretch.since, slots: floorTo(until, RUN_HOUR_MS) });
};

export const createRunFigures = (options: FiguresOptions) => {
  const { db, clock, samples } = options;
  const source = { dialect: db.dialect, samples };
  const stopping = new AbortController();
  const sealing = new Map<string, Promise<void>>();

  const beginSealing = (tenantId: string): void => {
    if (stopping.signal.aborted || sealing.has(tenantId)) return;
    const work = withinTenant(tenantId, () => sealTenant(options, tenantId, stopping.signal))
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) options.onError(error);
      })
      .finally(() => sealing.delete(tenantId));
    sealing.set(tenantId, work);
  };

  /** Of runs that have ended, with how many of them were read as rows. */
  const ended = async (
    { tenantId, agentIds, since }: Question,
    until: number,
  ): Promise<{ totals: TotalsByAgent; read: number }> => {
    for (let n = 0; ; n++) {
      const none = { day: new Set<number>(), hour: new Set<number>(), slot: new Set<number>() };
      const sealed = n < TRIES ? await sealedFor(db.read, tenantId, { since, until }) : none;
      const { periods, rows } = coverOf({ since, until }, sealed);
      const sums = await readSums(db.read, { tenantId, agentIds }, periods);
      if (sums === null) continue;
      const found: TotalsByAgent[] = [];
      for (const stretch of rows)
        found.push(await rowTotals(db.read, source, { tenantId, agentIds, ...stretch }));
      return {
        totals: sumByAgent([sums, ...found], agentIds),
        read: found.reduce((sum, one) => sum + totalRequests(one), 0),
      };
    }
  };

  return {
    async figures(question: Question): Promise<TotalsByAgent> {
      const { tenantId, agentIds, since } = question;
      // A run that a clock ahead of ours has begun counts as well.
      const until = clock.now() + WINDOWS_MS['1h'];
      const [open, { totals, read }] = await Promise.all([
        samples.open(db.read, { tenantId, since }),
        ended(question, until),
      ]);
      if (read > options.manyRuns) beginSealing(tenantId);
      return sumByAgent([totals, samplesByAgent(open, agentIds)], agentIds);
    },
    /** Until the sums that are being made are there. */
    settled: async (): Promise<void> => {
      await Promise.all(sealing.values());
    },
    async close(): Promise<void> {
      stopping.abort();
      await Promise.all(sealing.values());
    },
  };
};

export interface WrongFigures {
  tenantId: string;
  /** `day`, `hour` or `slot`, and where it begins. */
  wrong: { part: string; starts_at: number }[];
}

const isPart = (part: string): part is RunSumPart => Object.hasOwn(RUN_PART_MS, part);

/** Sums that are not those of the rows. A period whose runs change meanwhile is looked at again. */
export const checkRunSums = (
  db: Db,
  samples: RunSamples,
  agentIds: readonly string[],
): Promise<WrongFigures[]> =>
  acrossTenants(async () => {
    const checked: WrongFigures[] = [];
    for (const tenantId of await tenantsWithRunSums(db.read)) {
      const kept = Object.groupBy(await keptSums(db.read, tenantId), (row) => `${row.part} ${row.starts_at}`);
      const wrong: WrongFigures['wrong'] = [];
      for (const [period, rows = []] of Object.entries(kept)) {
        const [part = '', start] = period.split(' ');
        if (!isPart(part)) continue;
        const startsAt = Number(start);
        const span = { tenantId, agentIds, since: startsAt, until: startsAt + RUN_PART_MS[part] };
        const wanted = await rowTotals(db.read, { dialect: db.dialect, samples }, span);
        const texts = (of: readonly { agent_id: string; totals: string }[]) =>
          of
            .filter((row) => row.agent_id !== '')
            .map((row) => `${row.agent_id} ${row.totals}`)
            .sort()
            .join('\n');
        const rowsSay = [...wanted].map(([agent, own]) => ({ agent_id: agent, totals: packTotals(own) }));
        if (texts(rowsSay) === texts(rows)) continue;
        const still = await readSums(db.read, { tenantId, agentIds }, [{ part, startsAt }]);
        if (still !== null) wrong.push({ part, starts_at: startsAt });
      }
      checked.push({ tenantId, wrong });
    }
    return checked;
  });

/** They are made anew when somebody looks. */
export const forgetRunSums = (db: Db): Promise<void> => acrossTenants(() => db.write((tx) => dropAll(tx)));
