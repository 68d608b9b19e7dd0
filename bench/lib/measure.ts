/** Runs a part against its servers in alternating rounds and makes one row of each. */
import type { Load, LoadResult } from './load.ts';
import { type Entry, jobOf, type Part, type Subject, TOKENS } from './parts.ts';
import type { Server } from './servers.ts';

export interface Row {
  row: string;
  server: Subject;
  request: string;
  connections: number;
  requests: number;
  failures: number;
  firstFailure?: string;
  seconds: number;
  cpuSeconds: number;
  requestsPerSecond: number;
  /** Undefined where CPU time is not what the row is about. */
  perCpuSecond?: number;
  tokensPerCpuSecond?: number;
  /** Against the part's baseline in the same run. */
  ratio?: number;
  p50Ms?: number;
  p99Ms?: number;
  /** Over the part's baseline. */
  addedP50Ms?: number;
  addedP99Ms?: number;
}

export type Targets = Partial<Record<Subject, Server>>;

/** Nearest-rank percentile; undefined without samples. */
export const percentile = (samples: readonly number[], share: number): number | undefined =>
  [...samples].sort((a, b) => a - b)[Math.max(0, Math.ceil(samples.length * share) - 1)];

const merge = (results: readonly LoadResult[]): LoadResult => ({
  requests: results.reduce((sum, result) => sum + result.requests, 0),
  failures: results.reduce((sum, result) => sum + result.failures, 0),
  firstFailure: results.find((result) => result.firstFailure !== undefined)?.firstFailure,
  seconds: results.reduce((sum, result) => sum + result.seconds, 0),
  cpuSeconds: results.reduce((sum, result) => sum + result.cpuSeconds, 0),
  latenciesMs: results.flatMap((result) => result.latenciesMs),
  firstTokensMs: results.flatMap((result) => result.firstTokensMs),
});

const rowOf = (part: Part, { row, server, request }: Entry, result: LoadResult): Row => {
  const timed = part.metric === 'latency' || part.metric === 'first-token';
  const samples = part.metric === 'first-token' ? result.firstTokensMs : result.latenciesMs;
  const perCpuSecond = result.requests / result.cpuSeconds;
  return {
    row,
    server,
    request: `${request.method} ${request.path}`,
    connections: part.connections,
    requests: result.requests,
    failures: result.failures,
    firstFailure: result.firstFailure,
    seconds: result.seconds,
    cpuSeconds: result.cpuSeconds,
    requestsPerSecond: result.requests / result.seconds,
    ...(part.metric === 'requests' ? { perCpuSecond } : {}),
    ...(part.metric === 'tokens' ? { tokensPerCpuSecond: perCpuSecond * TOKENS } : {}),
    ...(timed ? { p50Ms: percentile(samples, 0.5), p99Ms: percentile(samples, 0.99) } : {}),
  };
};

const difference = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a - b;

const compare = (row: Row, base: Row): Row => {
  const own = row.perCpuSecond ?? row.tokensPerCpuSecond;
  const other = base.perCpuSecond ?? base.tokensPerCpuSecond;
  return {
    ...row,
    ratio: own === undefined || other === undefined ? undefined : own / other,
    addedP50Ms: difference(row.p50Ms, base.p50Ms),
    addedP99Ms: difference(row.p99Ms, base.p99Ms),
  };
};

export interface Measured {
  rows: Row[];
  /** One line for each server that could not be measured. */
  faults: string[];
}

/** Pause with load before every later window: the processor's caches are the other server's until then. */
const SETTLE_MS = 250;

/**
 * Measures each entry of the part for `seconds`, in four alternating rounds, so that a slow moment of the machine
 * meets all of them. Paced streams run in one round of 5 s at least: their ramp is half as long.
 */
export const measure = async (
  load: Load,
  part: Part,
  targets: Targets,
  seconds: number,
): Promise<Measured> => {
  const rounds = part.metric === 'tokens' ? 1 : 4;
  const windowMs = part.metric === 'tokens' ? Math.max(seconds, 5) * 1000 : (seconds * 1000) / rounds;
  const results = new Map<Entry, LoadResult[]>();
  const faults = new Map<Entry, string>();
  for (let round = 0; round < rounds; round++) {
    for (const entry of part.entries) {
      const target = targets[entry.server];
      if (target === undefined || faults.has(entry)) continue;
      try {
        const job = jobOf(part, entry.request, target);
        const { warmConnections: connections } = part;
        if (connections !== undefined && round === 0)
          await load.run({ ...job, connections, warmMs: 0, windowMs: part.warmMs });
        const warmMs = round === 0 && connections === undefined ? part.warmMs : SETTLE_MS;
        const result = await load.run({ ...job, warmMs, windowMs });
        results.set(entry, [...(results.get(entry) ?? []), result]);
        if (result.requests === 0 || result.failures > 0.01 * result.requests)
          faults.set(entry, `${result.failures} bad answers, first: ${result.firstFailure ?? 'none came'}`);
      } catch (error) {
        faults.set(entry, error instanceof Error ? error.message : String(error));
      }
    }
  }
  const rowFor = (entry: Entry): Row[] => {
    const parts = results.get(entry);
    return parts === undefined || faults.has(entry) ? [] : [rowOf(part, entry, merge(parts))];
  };
  const rows = part.entries.flatMap(rowFor);
  const [base] = rowFor(part.entries[0]);
  return {
    rows: base === undefined ? rows : rows.map((row) => compare(row, base)),
    faults: [...faults].map(([entry, fault]) => `${entry.row} of ${entry.server}: ${fault}`),
  };
};
