import type { AgentMetrics } from './schema.ts';

export const WINDOWS_MS = {
  '1h': 3_600_000,
  '24h': 86_400_000,
  '7d': 604_800_000,
  '30d': 2_592_000_000,
} as const;
export type MetricsWindow = keyof typeof WINDOWS_MS;

/** One finished or running run, as far as metrics need it. Durations in ms. */
export interface RunSample {
  agentId: string;
  outcome: 'success' | 'failure' | 'other' | 'active';
  latencyMs: number | null;
  firstTokenMs: number | null;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  toolCalls: number;
  createdAt: number;
}

/** Figures of runs, added up. Durations are counted by their length in ms. */
export interface RunTotals {
  requests: number;
  successes: number;
  failures: number;
  active: number;
  latencies: ReadonlyMap<number, number>;
  firstTokens: ReadonlyMap<number, number>;
  inputTokens: number;
  outputTokens: number;
  costUsd: number;
  toolCalls: number;
  /** Of all latencies together: of many the map knows each within a hundredth alone. */
  latencyMs: number;
  /** Epoch ms; 0 for none. */
  lastAt: number;
}

export const NO_TOTALS: RunTotals = {
  requests: 0,
  successes: 0,
  failures: 0,
  active: 0,
  latencies: new Map(),
  firstTokens: new Map(),
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  toolCalls: 0,
  latencyMs: 0,
  lastAt: 0,
};

const counted = (values: readonly (number | null)[]): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const value of values) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
};

/** To a nano-dollar, so that sums of sums are those of their parts. */
const exactUsd = (usd: number): number => Math.round(usd * 1e9) / 1e9;

const summed = (maps: readonly ReadonlyMap<number, number>[]): Map<number, number> => {
  const counts = new Map<number, number>();
  for (const map of maps) for (const [value, n] of map) counts.set(value, (counts.get(value) ?? 0) + n);
  return counts;
};

export const sumTotals = (list: readonly RunTotals[]): RunTotals => {
  const sum = (pick: (one: RunTotals) => number): number => list.reduce((all, one) => all + pick(one), 0);
  return {
    requests: sum((one) => one.requests),
    successes: sum((one) => one.successes),
    failures: sum((one) => one.failures),
    active: sum((one) => one.active),
    latencies: summed(list.map((one) => one.latencies)),
    firstTokens: summed(list.map((one) => one.firstTokens)),
    inputTokens: sum((one) => one.inputTokens),
    outputTokens: sum((one) => one.outputTokens),
    // Each is a whole number of nano-dollars, so that sums of sums are those of their parts.
    costUsd: exactUsd(sum((one) => Math.round(one.costUsd * 1e9)) / 1e9),
    toolCalls: sum((one) => one.toolCalls),
    latencyMs: sum((one) => one.latencyMs),
    lastAt: list.reduce((latest, one) => Math.max(latest, one.lastAt), 0),
  };
};

export const totalsOf = (samples: readonly RunSample[]): RunTotals => {
  const sum = (pick: (s: RunSample) => number): number => samples.reduce((total, s) => total + pick(s), 0);
  const outcomes = (outcome: RunSample['outcome']): number =>
    samples.filter((sample) => sample.outcome === outcome).length;
  return {
    requests: samples.length,
    successes: outcomes('success'),
    failures: outcomes('failure'),
    active: outcomes('active'),
    latencies: counted(samples.map((s) => s.latencyMs)),
    firstTokens: counted(samples.map((s) => s.firstTokenMs)),
    inputTokens: sum((s) => s.inputTokens),
    outputTokens: sum((s) => s.outputTokens),
    costUsd: exactUsd(sum((s) => s.costUsd)),
    toolCalls: sum((s) => s.toolCalls),
    latencyMs: sum((s) => s.latencyMs ?? 0),
    lastAt: samples.reduce((latest, s) => Math.max(latest, s.createdAt), 0),
  };
};

const countOf = (counts: ReadonlyMap<number, number>): number =>
  [...counts.values()].reduce((total, n) => total + n, 0);

/** Nearest-rank percentiles of counted values; null without data. */
export const percentiles = (
  counts: ReadonlyMap<number, number>,
  shares: readonly number[],
): (number | null)[] => {
  const total = countOf(counts);
  const sorted = [...counts].sort(([a], [b]) => a - b);
  return shares.map((share) => {
    let left = Math.max(1, Math.ceil(share * total));
    for (const [value, n] of sorted) {
      left -= n;
      if (left <= 0) return value;
    }
    return null;
  });
};

const mean = ({ latencies, latencyMs }: RunTotals): number | null => {
  const total = countOf(latencies);
  return total === 0 ? null : Math.round(latencyMs / total);
};

export const metricsOf = (
  window: MetricsWindow,
  totals: RunTotals,
  iso: (ms: number) => string,
): AgentMetrics => {
  const { successes, failures, latencies } = totals;
  const finished = successes + failures;
  const [p50 = null, p95 = null, p99 = null] = percentiles(latencies, [0.5, 0.95, 0.99]);
  const [first50 = null, first95 = null] = percentiles(totals.firstTokens, [0.5, 0.95]);
  return {
    window,
    requests: totals.requests,
    successes,
    failures,
    success_rate: finished === 0 ? null : Math.round((successes / finished) * 10_000) / 10_000,
    active_runs: totals.active,
    latency_ms: { avg: mean(totals), p50, p95, p99 },
    first_token_ms: { p50: first50, p95: first95 },
    input_tokens: totals.inputTokens,
    output_tokens: totals.outputTokens,
    cost_usd: totals.costUsd,
    tool_calls: totals.toolCalls,
    last_active_at: totals.lastAt === 0 ? null : iso(totals.lastAt),
  };
};

/** Above this share of failures among at least `MIN_RECENT` runs of the last hour, an agent is degraded. */
const DEGRADED_FAILURE_SHARE = 0.2;
const MIN_RECENT = 5;

export const stateOf = (input: {
  enabled: boolean;
  modelAvailable: boolean;
  recent: Pick<RunTotals, 'successes' | 'failures'>;
  activeRuns: number;
}): 'idle' | 'busy' | 'degraded' | 'disabled' => {
  if (!input.enabled) return 'disabled';
  const { failures, successes } = input.recent;
  const finished = failures + successes;
  if (!input.modelAvailable) return 'degraded';
  if (finished >= MIN_RECENT && failures / finished > DEGRADED_FAILURE_SHARE) return 'degraded';
  return input.activeRuns > 0 ? 'busy' : 'idle';
};
