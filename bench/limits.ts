/**
 * What limits and the ledger cost by themselves, without HTTP: reserve and settle of one metered call on SQLite with full
 * synchronisation against two writes by hand, and one check of the rate limit against a counter in a Map.
 * `node bench/limits.ts [--seconds 3]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { openSqlite } from '../server/src/db/open.ts';
import { createCosts, type HoldRequest, type LedgerEntry } from '../server/src/features/costs/index.ts';
import { REFERENCE_RATES } from '../server/src/http/rate-limit.rules.ts';
import { createMemoryRateLog } from '../server/src/http/rate-limit.ts';
import { newId } from '../server/src/kernel/ids.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '3' } } });
const windowMs = Number(values.seconds) * 1000;
if (!(windowMs >= 200 && windowMs <= 60_000)) throw new Error('--seconds needs a number from 0.2 to 60');
const ROUNDS = 4;
const TENANTS = 20;

interface Subject {
  name: string;
  /** One operation; resolves when it is safe on disk, where it writes. */
  once(): void | Promise<void>;
  /** Operations under way at once. */
  inFlight: number;
}
interface Figure {
  perSecond: number;
  cpuMicros: number;
}

const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-limits-'));
const db = await openSqlite({ file: path.join(folder, 'p.sqlite'), synchronous: 'full' });
const costs = createCosts({
  db,
  cluster: { nodeId: 'bench', alone: true },
  clock: { now: Date.now },
  timeZoneOf: () => Promise.resolve('UTC'),
  onAlert: () => Promise.resolve(),
  onError: (error) => {
    throw error;
  },
  userExists: () => Promise.resolve(true),
  agentExists: () => true,
  audit: { append: () => Promise.resolve() },
  defaults: { tenantDayNano: 1e15, tenantMonthNano: 1e15, runNano: 1e12 },
});
const tenants = Array.from({ length: TENANTS }, () => newId());
for (const tenant of tenants) {
  const limit = { subject: 'ada', limitNano: 1e15 };
  await costs.putLimits(tenant, [
    { ...limit, scope: 'user', period: 'day' },
    { ...limit, scope: 'user', period: 'month' },
    { ...limit, scope: 'agent', subject: 'zeus', period: 'day' },
    { ...limit, scope: 'agent', subject: 'zeus', period: 'month' },
  ]);
}

const usage = {
  inputTokens: 900,
  outputTokens: 200,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};
const booked: LedgerEntry = {
  kind: 'model',
  model: 'openai/gpt-5-mini',
  tool: null,
  usage,
  costNanoUsd: 625_000,
  estimated: false,
};
let turn = 0;
const ask = (userId: string, agentId: string): HoldRequest => ({
  tenantId: tenants[turn++ % TENANTS] ?? '',
  userId,
  agentId,
  conversationId: newId(),
  runId: newId(),
  requestId: null,
  kind: 'model',
  worstNano: 2_000_000,
  runUsedNano: 0,
});
const metered = (userId: string, agentId: string) => async (): Promise<void> => {
  const request = ask(userId, agentId);
  const hold = await db.write((tx) => costs.hold(tx, request));
  await db.write((tx) => costs.settle(tx, hold, [booked]));
};

// By hand: the same two durable steps as plain rows, each with its own commit.
const hand = new DatabaseSync(path.join(folder, 'hand.sqlite'));
hand.exec('pragma journal_mode = wal; pragma synchronous = full');
hand.exec('create table ledger (id text primary key, amount integer not null, settled integer not null)');
const insert = hand.prepare('insert into ledger values (?, ?, 0)');
const update = hand.prepare('update ledger set settled = 1, amount = ? where id = ?');
const byHand = (): void => {
  const id = newId();
  insert.run(id, 2_000_000);
  update.run(625_000, id);
};

const log = createMemoryRateLog(2_000);
const counts = new Map<string, number>();
const callers = Array.from({ length: 1_000 }, () => newId());
const BATCH = 1_000;
const rateChecks = (): void => {
  const now = Date.now();
  for (let i = 0; i < BATCH; i++)
    log.decide(callers[i] ?? '', now, REFERENCE_RATES.enterprise, { counts: true, enforce: true });
};
const mapCounts = (): void => {
  for (let i = 0; i < BATCH; i++) {
    const caller = callers[i] ?? '';
    counts.set(caller, (counts.get(caller) ?? 0) + 1);
  }
};

const run = async ({ once, inFlight }: Subject, forMs: number): Promise<{ done: number; cpu: number }> => {
  const cpuBefore = process.cpuUsage();
  const endsAt = performance.now() + forMs;
  let done = 0;
  const loop = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      const pending = once();
      if (pending !== undefined) await pending;
      done++;
    }
  };
  await Promise.all(Array.from({ length: inFlight }, loop));
  const { user, system } = process.cpuUsage(cpuBefore);
  return { done, cpu: user + system };
};

/** In alternating rounds, after one of warming up, so that a slow moment of the machine meets all of them. */
const compare = async (subjects: readonly Subject[], each = 1): Promise<void> => {
  const sums = subjects.map(() => ({ done: 0, cpu: 0, ms: 0 }));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [i, subject] of subjects.entries()) {
      const startedAt = performance.now();
      const { done, cpu } = await run(subject, windowMs / ROUNDS);
      const sum = sums[i];
      if (round === 0 || sum === undefined) continue;
      sum.done += done * each;
      sum.cpu += cpu;
      sum.ms += performance.now() - startedAt;
    }
  }
  const figures = sums.map(
    ({ done, cpu, ms }): Figure => ({ perSecond: (done / ms) * 1000, cpuMicros: cpu / done }),
  );
  const base = figures[0];
  for (const [i, { perSecond, cpuMicros }] of figures.entries()) {
    const cells = [
      subjects[i]?.name,
      Math.round(perSecond).toLocaleString('en-US'),
      (perSecond / (base?.perSecond ?? 1)).toFixed(2),
      cpuMicros.toFixed(cpuMicros < 10 ? 2 : 0),
    ];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
};

try {
  process.stdout.write('| what | per second | of the first of its kind | CPU µs each |\n|---|---|---|---|\n');
  await compare([
    { name: 'two rows by hand, one at a time', once: byHand, inFlight: 1 },
    {
      name: 'reserve and settle, day and month of a tenant, 1 at once',
      once: metered('bo', 'iris'),
      inFlight: 1,
    },
    {
      name: 'reserve and settle, day and month of a tenant, 64 at once',
      once: metered('bo', 'iris'),
      inFlight: 64,
    },
    {
      name: 'reserve and settle, tenant, user and agent limited, 64 at once',
      once: metered('ada', 'zeus'),
      inFlight: 64,
    },
  ]);
  await compare(
    [
      { name: 'a counter in a Map, 1,000 callers', once: mapCounts, inFlight: 1 },
      { name: 'rate check (sliding log), 1,000 callers', once: rateChecks, inFlight: 1 },
    ],
    BATCH,
  );
} finally {
  await costs.close();
  await db.close();
  hand.close();
  rmSync(folder, { recursive: true, force: true });
}
