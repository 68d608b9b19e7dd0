import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Prometheus metrics of one process. No label may hold a user, a conversation or a raw path. */
export interface Gauges {
  activeRuns(): number;
  openStreams(): number;
  /** Of the queue of background work, over all processes. */
  jobs(): Promise<{ queued: number; running: number; dead: number }>;
  /** Free on the disk of the data folder. */
  dataFreeBytes(): Promise<number>;
}

const kept = <T>(make: (label: string) => T): ((label: string) => T) => {
  const made = new Map<string, T>();
  return (label) => {
    const known = made.get(label) ?? make(label);
    made.set(label, known);
    return known;
  };
};

export const createMetrics = (gauges: Gauges) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'pentarch_' });
  const registers = [registry];

  const requests = new Histogram({
    name: 'pentarch_http_request_duration_seconds',
    help: 'Time of HTTP requests by route template',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers,
  });
  const refusals = new Counter({
    name: 'pentarch_rate_limit_refusals_total',
    help: 'Requests refused by a rate limit',
    registers,
  });
  const tokens = new Counter({
    name: 'pentarch_model_tokens_total',
    help: 'Tokens of model calls',
    labelNames: ['model', 'kind'] as const,
    registers,
  });
  const cost = new Counter({
    name: 'pentarch_cost_usd_total',
    help: 'Metered cost in US dollars',
    labelNames: ['model'] as const,
    registers,
  });
  const ledgerRows = new Counter({
    name: 'pentarch_ledger_rows_total',
    help: 'Ledger rows written',
    labelNames: ['kind'] as const,
    registers,
  });
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
      this.set(gauges.activeRuns());
    },
  });
  new Gauge({
    name: 'pentarch_open_streams',
    help: 'Event streams open in this process',
    registers,
    collect() {
      this.set(gauges.openStreams());
    },
  });
  new Gauge({
    name: 'pentarch_jobs',
    help: 'Background jobs by state: queued, running, dead (given up)',
    labelNames: ['state'] as const,
    registers,
    async collect() {
      const { queued, running, dead } = await gauges.jobs();
      this.set({ state: 'queued' }, queued);
      this.set({ state: 'running' }, running);
      this.set({ state: 'dead' }, dead);
    },
  });
  new Gauge({
    name: 'pentarch_data_free_bytes',
    help: 'Bytes free on the disk of the data folder',
    registers,
    async collect() {
      this.set(await gauges.dataFreeBytes());
    },
  });
  const queueDepth = new Gauge({
    name: 'pentarch_queue_depth',
    help: 'Jobs waiting',
    labelNames: ['queue'] as const,
    registers,
  });

  const purged = new Counter({
    name: 'pentarch_retention_purged_rows_total',
    help: 'Rows dropped because their time of retention was over',
    labelNames: ['what'] as const,
    registers,
  });

  // Labelled children are kept: a look-up by string, not a hash of labels for each request and each ledger row.
  const children = new Map<string, { observe(seconds: number): void }>();
  const rowsOf = kept((kind) => ledgerRows.labels(kind));
  const inputOf = kept((model) => tokens.labels(model, 'input'));
  const outputOf = kept((model) => tokens.labels(model, 'output'));
  const costOf = kept((model) => cost.labels(model));

  return {
    registry,
    request(sample: { method: string; route: string; status: number; seconds: number }): void {
      const key = `${sample.method} ${sample.route} ${sample.status}`;
      let child = children.get(key);
      if (child === undefined) {
        child = requests.labels(sample.method, sample.route, String(sample.status));
        children.set(key, child);
      }
      child.observe(sample.seconds);
      if (sample.status === 429) refusals.inc();
    },
    ledger(entry: {
      kind: string;
      model: string | null;
      inputTokens: number;
      outputTokens: number;
      costUsd: number;
    }): void {
      rowsOf(entry.kind).inc();
      const model = entry.model ?? 'none';
      if (entry.inputTokens > 0) inputOf(model).inc(entry.inputTokens);
      if (entry.outputTokens > 0) outputOf(model).inc(entry.outputTokens);
      if (entry.costUsd > 0) costOf(model).inc(entry.costUsd);
    },
    mcpCall(server: string, outcome: 'ok' | 'error'): void {
      mcpCalls.inc({ server, outcome });
    },
    purged(what: string, rows: number): void {
      purged.inc({ what }, rows);
    },
    queueDepth(queue: string, waiting: number): void {
      queueDepth.set({ queue }, waiting);
    },
  };
};

export type Metrics = ReturnType<typeof createMetrics>;
