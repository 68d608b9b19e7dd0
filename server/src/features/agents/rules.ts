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

/** Nearest-rank percentile of unsorted values; null without data. */
export const percentile = (values: readonly number[], share: number): number | null => {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
};

const mean = (values: readonly number[]): number | null =>
  values.length === 0 ? null : Math.round(values.reduce((a, b) => a + b, 0) / values.length);

const present = (values: readonly (number | null)[]): number[] => values.filter((value) => value !== null);

export const metricsOf = (
  window: MetricsWindow,
  samples: readonly RunSample[],
  iso: (ms: number) => string,
): AgentMetrics => {
  const successes = samples.filter((s) => s.outcome === 'success').length;
  const failures = samples.filter((s) => s.outcome === 'failure').length;
  const finished = successes + failures;
  const latencies = present(samples.map((s) => s.latencyMs));
  const firstTokens = present(samples.map((s) => s.firstTokenMs));
  const last = samples.reduce((latest, s) => Math.max(latest, s.createdAt), 0);
  const sum = (pick: (s: RunSample) => number): number => samples.reduce((total, s) => total + pick(s), 0);
  return {
    window,
    requests: samples.length,
    successes,
    failures,
    success_rate: finished === 0 ? null : Math.round((successes / finished) * 10_000) / 10_000,
    active_runs: samples.filter((s) => s.outcome === 'active').length,
    latency_ms: {
      avg: mean(latencies),
      p50: percentile(latencies, 0.5),
      p95: percentile(latencies, 0.95),
      p99: percentile(latencies, 0.99),
    },
    first_token_ms: { p50: percentile(firstTokens, 0.5), p95: percentile(firstTokens, 0.95) },
    input_tokens: sum((s) => s.inputTokens),
    output_tokens: sum((s) => s.outputTokens),
    cost_usd: Math.round(sum((s) => s.costUsd) * 1e9) / 1e9,
    tool_calls: sum((s) => s.toolCalls),
    last_active_at: last === 0 ? null : iso(last),
  };
};

/** Above this share of failures among at least `MIN_RECENT` runs of the last hour, an agent is degraded. */
const DEGRADED_FAILURE_SHARE = 0.2;
const MIN_RECENT = 5;

export const stateOf = (input: {
  enabled: boolean;
  modelAvailable: boolean;
  recent: readonly RunSample[];
  activeRuns: number;
}): 'idle' | 'busy' | 'degraded' | 'disabled' => {
  if (!input.enabled) return 'disabled';
  const failures = input.recent.filter((s) => s.outcome === 'failure').length;
  const finished = failures + input.recent.filter((s) => s.outcome === 'success').length;
  if (!input.modelAvailable) return 'degraded';
  if (finished >= MIN_RECENT && failures / finished > DEGRADED_FAILURE_SHARE) return 'degraded';
  return input.activeRuns > 0 ? 'busy' : 'idle';
};
