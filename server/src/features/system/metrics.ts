import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { atMost } from '../../kernel/races.ts';
import { RequestTimes } from './request-times.ts';

/** Prometheus metrics of one process. No label may hold a user, a conversation or a raw path. */
export interface Gauges {
  activeRuns(): number;
  /** Responses that are event streams. */
  openStreams(): number;
  /** WebSockets. */
  openSockets(): number;
  /** Of the queue of background work, over all processes. */
  jobs(): Promise<JobDepth>;
  /** Free on the disk of the data folder. */
  dataFreeBytes(): Promise<number>;
}

/** Sums under two labels until they are taken over. */
class Tally {
  readonly #sums = new Map<string, Map<string, number>>();

  add(first: string, second: string, amount: number): void {
    const sums = this.#sums.get(first) ?? new Map<string, number>();
    this.#sums.set(first, sums);
    sums.set(second, (sums.get(second) ?? 0) + amount);
  }

  take(give: (first: string, second: string, amount: number) => void): void {
    for (const [first, sums] of this.#sums) for (const [second, amount] of sums) give(first, second, amount);
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

/** Prometheus gives a scrape ten seconds: the process's own figures must not be late for the store's. */
const STORE_PATIENCE_MS = 2_000;
const SAME_SCRAPE_MS = 200;

interface JobDepth {
  queued: number;
  running: number;
  dead: number;
}

/** Null where it fails or takes too long. */
const withinTime = async <T>(asked: Promise<T>): Promise<T | null> => {
  try {
    return (await atMost(asked, STORE_PATIENCE_MS)) ?? null;
  } catch {
    return null;
  }
};

/** `gauges` is asked at each scrape: their sources are built later than those who count. */
export const createMetrics = (gauges: () => Gauges) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'pentarch_' });
  const registers = [registry];

  const requests = new RequestTimes(registry);
  const refusals = new Counter({
    name: 'pentarch_rate_limit_refusals_total',
    help: 'Requests refused by a rate limit',
    registers,
  });
  // Counted here and handed over when somebody asks, since the package hashes the labels at every step.
  const counted = { tokens: new Tally(), cost: new Tally(), rows: new Tally() };
  new Counter({
    name: 'pentarch_model_tokens_total',
    help: 'Tokens of model calls',
    labelNames: ['model', 'kind'] as const,
    registers,
    collect() {
      counted.tokens.take((model, kind, n) => this.inc({ model, kind }, n));
    },
  });
  new Counter({
    name: 'pentarch_cost_usd_total',
    help: 'Metered cost in US dollars',
    labelNames: ['model'] as const,
    registers,
    collect() {
      counted.cost.take((model, _, n) => this.inc({ model }, n));
    },
  });
  new Counter({
    name: 'pentarch_ledger_rows_total',
    help: 'Ledger rows written',
    labelNames: ['kind'] as const,
    registers,
    collect() {
      counted.rows.take((kind, _, n) => this.inc({ kind }, n));
    },
  });
  const runs = new Counter({
    name: 'pentarch_runs_total',
    help: 'Runs that have ended, by outcome (docs/operations.md), agent and model',
    labelNames: ['outcome', 'agent', 'model'] as const,
    registers,
  });
  const agentLabel = boundedLabel();
  const modelLabel = boundedLabel();
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
  /** One question for all gauges of one scrape. */
  let asked: { at: number; depth: Promise<JobDepth | null> } | null = null;
  const jobDepth = (): Promise<JobDepth | null> => {
    const now = performance.now();
    if (asked === null || now - asked.at > SAME_SCRAPE_MS)
      asked = { at: now, depth: withinTime(gauges().jobs()) };
    return asked.depth;
  };
  new Gauge({
    name: 'pentarch_jobs',
    help: 'Background jobs by state: queued, running, dead (given up); nothing while the store cannot be asked',
    labelNames: ['state'] as const,
    registers,
    async collect() {
      const depth = await jobDepth();
      this.reset();
      if (depth === null) return;
      for (const state of ['queued', 'running', 'dead'] as const) this.set({ state }, depth[state]);
    },
  });
  new Gauge({
    name: 'pentarch_queue_depth',
    help: 'Jobs waiting; nothing while the store cannot be asked',
    labelNames: ['queue'] as const,
    registers,
    async collect() {
      const depth = await jobDepth();
      this.reset();
      if (depth !== null) this.set({ queue: 'jobs' }, depth.queued);
    },
  });
  new Gauge({
    name: 'pentarch_store_up',
    help: '1 where the store answered when these figures were asked for, 0 where it did not',
    registers,
    async collect() {
      this.set((await jobDepth()) === null ? 0 : 1);
    },
  });
  new Gauge({
    name: 'pentarch_data_free_bytes',
    help: 'Bytes free on the disk of the data folder',
    registers,
    async collect() {
      const free = await withinTime(gauges().dataFreeBytes());
      if (free === null) this.remove();
      else this.set(free);
    },
  });
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
    request(sample: { method: string; route: string; status: number; seconds: number }): void {
      requests.add(sample);
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
      rows.add(entry.kind, '', 1);
      if (entry.inputTokens > 0) tokens.add(model, 'input', entry.inputTokens);
      if (entry.outputTokens > 0) tokens.add(model, 'output', entry.outputTokens);
      if (entry.costUsd > 0) cost.add(model, '', entry.costUsd);
    },
    run(end: { outcome: string; agentId: string | null; model: string | null }): void {
      runs.inc({
        outcome: end.outcome,
        agent: agentLabel(end.agentId ?? 'none'),
        model: modelLabel(end.model ?? 'none'),
      });
    },
    mcpCall(server: string, outcome: 'ok' | 'error'): void {
      mcpCalls.inc({ server, outcome });
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
