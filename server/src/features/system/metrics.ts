import process from 'node:process';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { registerStoreGauges, type StoreFigures } from './store-gauges.ts';
import { TimesHistogram } from './times-histogram.ts';

/** Prometheus metrics of one process. No label may hold a user, a conversation or a raw path. */
export interface Gauges extends StoreFigures {
  activeRuns(): number;
  /** Responses that are event streams. */
  openStreams(): number;
  /** WebSockets. */
  openSockets(): number;
}

/** Sums by label values, until they are taken over. */
class Tally {
  readonly #sums = new Map<string, { labels: readonly string[]; amount: number }>();

  add(amount: number, ...labels: readonly string[]): void {
    const key = labels.join('\n');
    const sum = this.#sums.get(key);
    if (sum === undefined) this.#sums.set(key, { labels, amount });
    else sum.amount += amount;
  }

  take(give: (amount: number, ...labels: readonly string[]) => void): void {
    for (const { labels, amount } of this.#sums.values()) give(amount, ...labels);
    this.#sums.clear();
  }
}

/** Distinct values that a label gets at most; what comes after them is `other`. */
const MAX_LABEL_VALUES = 200;

const boundedLabel = (): ((value: string) => string) => {
  const known = new Set<string>();
  return (value) => {
    if (!known.has(value) && known.size >= MAX_LABEL_VALUES) return 'other';
    known.add(value);
    return value;
  };
};

/** Gauges of the package under a name that ends as a counter's does; promtool calls them wrong. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

const REQUEST_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Seconds. A first word comes within some hundred milliseconds, a long answer takes minutes. */
const MODEL_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
const WRITE_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Times of model calls and of writes to the store. */
const createTimes = (registry: Registry, modelLabel: (model: string) => string) => {
  const calls = new TimesHistogram({
    name: 'pentarch_model_call_duration_seconds',
    help: 'Time of one call of a provider, tries counted one by one, by its end: ok, unavailable, timeout, refused, aborted',
    labelNames: ['model', 'outcome'],
    buckets: MODEL_BUCKETS,
    registry,
  });
  const firstTokens = new TimesHistogram({
    name: 'pentarch_model_first_token_seconds',
    help: 'Time to the first text of a streamed call',
    labelNames: ['model'],
    buckets: MODEL_BUCKETS,
    registry,
  });
  const writes = new TimesHistogram({
    name: 'pentarch_store_write_duration_seconds',
    help: 'Time of writing transactions of the store, the wait for a connection and for the disk included',
    labelNames: [],
    buckets: WRITE_BUCKETS,
    registry,
  });
  return {
    modelCall(call: {
      model: string;
      outcome: string;
      seconds: number;
      /** Null where no text came, or all of it came at once. */
      firstTextSeconds: number | null;
    }): void {
      const model = modelLabel(call.model);
      calls.add(call.seconds, model, call.outcome);
      if (call.firstTextSeconds !== null) firstTokens.add(call.firstTextSeconds, model);
    },
    storeWrite(seconds: number): void {
      writes.add(seconds);
    },
  };
};

/** `gauges` is asked at each scrape: their sources are built later than those who count. */
export const createMetrics = (version: string, gauges: () => Gauges) => {
  const registry = new Registry();
  // Under the names that ready-made dashboards know: process_* and nodejs_*.
  collectDefaultMetrics({ register: registry });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
  const registers = [registry];

  const requests = new TimesHistogram({
    name: 'pentarch_http_request_duration_seconds',
    help: 'Time of HTTP requests by route template',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_BUCKETS,
    registry,
  });
  const refusals = new Counter({
    name: 'pentarch_rate_limit_refusals_total',
    help: 'Requests refused by a rate limit',
    registers,
  });
  // Counted here and handed over when somebody asks, since the package hashes the labels at every step.
  const counted = { tokens: new Tally(), cost: new Tally(), rows: new Tally(), runs: new Tally() };
  new Counter({
    name: 'pentarch_model_tokens_total',
    help: 'Tokens of model calls',
    labelNames: ['model', 'kind'] as const,
    registers,
    collect() {
      counted.tokens.take((n, model = '', kind = '') => this.inc({ model, kind }, n));
    },
  });
  new Counter({
    name: 'pentarch_cost_usd_total',
    help: 'Metered cost in US dollars',
    labelNames: ['model'] as const,
    registers,
    collect() {
      counted.cost.take((n, model = '') => this.inc({ model }, n));
    },
  });
  new Counter({
    name: 'pentarch_ledger_rows_total',
    help: 'Ledger rows written',
    labelNames: ['kind'] as const,
    registers,
    collect() {
      counted.rows.take((n, kind = '') => this.inc({ kind }, n));
    },
  });
  new Counter({
    name: 'pentarch_runs_total',
    help: 'Runs that have ended, by outcome (docs/operations.md), agent and model',
    labelNames: ['outcome', 'agent', 'model'] as const,
    registers,
    collect() {
      counted.runs.take((n, outcome = '', agent = '', model = '') => this.inc({ outcome, agent, model }, n));
    },
  });
  const agentLabel = boundedLabel();
  const modelLabel = boundedLabel();
  const serverLabel = boundedLabel();
  const times = createTimes(registry, modelLabel);
  new Gauge({
    name: 'pentarch_build_info',
    help: 'Always 1: the release and its runtime are in the labels',
    labelNames: ['version', 'node'] as const,
    registers,
  }).set({ version, node: process.versions.node }, 1);
  const mcpCalls = new Counter({
    name: 'pentarch_mcp_calls_total',
    help: 'Calls of MCP tools',
    labelNames: ['server', 'outcome'] as const,
    registers,
  });
  new Gauge({
    name: 'pentarch_active_runs',
    help: 'Runs going on in this process',
    registers,
    collect() {
      this.set(gauges().activeRuns());
    },
  });
  new Gauge({
    name: 'pentarch_open_streams',
    help: 'Event streams open in this process',
    registers,
    collect() {
      this.set(gauges().openStreams());
    },
  });
  new Gauge({
    name: 'pentarch_open_sockets',
    help: 'WebSockets open in this process',
    registers,
    collect() {
      this.set(gauges().openSockets());
    },
  });
  registerStoreGauges(registry, gauges);
  const purged = new Counter({
    name: 'pentarch_retention_purged_rows_total',
    help: 'Rows dropped because their time of retention was over',
    labelNames: ['what'] as const,
    registers,
  });

  const unread = new Counter({
    name: 'pentarch_messages_unread_total',
    help: 'Messages of which nothing was learned because reading them took too long or failed',
    labelNames: ['reason'] as const,
    registers,
  });

  return {
    registry,
    ...times,
    request(sample: { method: string; route: string; status: number; seconds: number }): void {
      requests.add(sample.seconds, sample.method, sample.route, String(sample.status));
      if (sample.status === 429) refusals.inc();
    },
    ledger(entry: {
      kind: string;
      model: string | null;
      inputTokens: number;
      outputTokens: number;
      costUsd: number;
    }): void {
      const { rows, tokens, cost } = counted;
      const model = modelLabel(entry.model ?? 'none');
      rows.add(1, entry.kind);
      if (entry.inputTokens > 0) tokens.add(entry.inputTokens, model, 'input');
      if (entry.outputTokens > 0) tokens.add(entry.outputTokens, model, 'output');
      if (entry.costUsd > 0) cost.add(entry.costUsd, model);
    },
    run(end: { outcome: string; agentId: string | null; model: string | null }): void {
      counted.runs.add(1, end.outcome, agentLabel(end.agentId ?? 'none'), modelLabel(end.model ?? 'none'));
    },
    mcpCall(server: string, outcome: 'ok' | 'error'): void {
      mcpCalls.inc({ server: serverLabel(server), outcome });
    },
    messageUnread(reason: string): void {
      unread.inc({ reason });
    },
    purged(what: string, rows: number): void {
      purged.inc({ what }, rows);
    },
  };
};

export type Metrics = ReturnType<typeof createMetrics>;
