import type { Db } from '../../db/db.ts';
import type { Jobs } from '../../jobs/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Audit } from '../audit/index.ts';
import { purgeKind } from './jobs.ts';
import { BATCH_ROWS, cutoff, EVERY_MS } from './rules.ts';
import { claimDue, readPosition, savePosition } from './store.ts';
import type { Dropped, Purge, PurgeReport } from './types.ts';

export interface PurgeOptions {
  db: Db;
  clock: Clock;
  audit: Audit;
  purges: readonly Purge[];
  /** After each batch: for metrics. */
  purged(what: string, rows: number): void;
}

/** Drops what is older than its time, batch by batch, so that other writers get their turn; stops at `signal`. */
export const purgeNow = async (options: PurgeOptions, signal?: AbortSignal): Promise<PurgeReport[]> => {
  const { db, clock, audit, purges, purged } = options;
  const reports: PurgeReport[] = [];
  for (const purge of purges) {
    const before = cutoff(clock.now(), purge.days);
    const report: PurgeReport = { name: purge.name, before, rows: 0 };
    reports.push(report);
    if (before === null) continue;
    const place = `retention.${purge.name}`;
    let position = await readPosition(db.read, place);
    for (let more = true; more; ) {
      signal?.throwIfAborted();
      const from = position;
      const batch: Dropped = await db.write(async (tx) => {
        const dropped = await purge.drop(tx, before, BATCH_ROWS, from);
        if (dropped.position !== undefined) await savePosition(tx, place, dropped.position);
        for (const [tenantId, rows] of countBy(dropped.tenants ?? [])) {
          await audit.append(tx, {
            tenantId,
            actorId: null,
            actorType: 'system',
            action: 'retention.purged',
            details: { what: purge.name, rows, older_than_days: purge.days },
          });
        }
        return dropped;
      });
      position = batch.position ?? position;
      report.rows += batch.rows;
      more = batch.more;
      if (batch.rows > 0) purged(purge.name, batch.rows);
    }
  }
  return reports;
};

const countBy = (names: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
};

/** Once a day, on one of all nodes. `tick` is called now and then. */
export const createRetention = (options: PurgeOptions & { jobs: Jobs }) => {
  const { db, clock, jobs } = options;
  jobs.work(
    purgeKind,
    { concurrency: 1 },
    {
      run: async (_payload, { signal }) => {
        await purgeNow(options, signal);
      },
    },
  );
  return {
    tick: (): Promise<void> =>
      db.write(async (tx) => {
        const now = clock.now();
        if (await claimDue(tx, 'retention', now, now + EVERY_MS)) await jobs.enqueue(tx, purgeKind, { v: 1 });
      }),
  };
};
