import { Gauge, type Registry } from 'prom-client';
import { atMost } from '../../kernel/races.ts';

/** Figures that stand in the store or in Redis, asked for at each scrape: what does not answer in time is missing, and the rest is there. */
export interface StoreFigures {
  ping(): Promise<unknown>;
  /** Null where no Redis is set up. */
  redisPing: (() => Promise<unknown>) | null;
  /** Connections of this process; null where the store has no pool. */
  connections(): Connections | null;
  /** Of the queue of background work, over all processes. */
  jobs(): Promise<JobDepth>;
  waitingJobs(): Promise<readonly { kind: string; queued: number; oldestMs: number }[]>;
  /** Proposals without a decision, by what they wait for. */
  votes(): Promise<readonly { status: string; count: number; oldestMs: number }[]>;
  /** Money set aside for calls that have not ended. */
  reservations(): Promise<{ count: number; oldestMs: number }>;
  nodes(): Promise<{ alive: number; draining: number }>;
  /** By how much this process's clock is ahead of the store's; null where both are one. */
  clockSkewMs(): Promise<number | null>;
  /** Free on the disk of the data folder. */
  dataFreeBytes(): Promise<number>;
}

export interface Connections {
  inUse: number;
  idle: number;
  /** Work that waits for one. */
  waiting: number;
}

export interface JobDepth {
  queued: number;
  running: number;
  dead: number;
}

/** Prometheus gives a scrape ten seconds: the process's own figures must not be late for the store's. */
const STORE_PATIENCE_MS = 2_000;
const SAME_SCRAPE_MS = 200;

/** One question for all gauges of one scrape; null where it fails or takes too long. */
const oncePerScrape = <T>(ask: () => Promise<T>): (() => Promise<T | null>) => {
  let asked: { at: number; answer: Promise<T | null> } | null = null;
  const within = async (): Promise<T | null> => {
    try {
      return (await atMost(ask(), STORE_PATIENCE_MS)) ?? null;
    } catch {
      return null;
    }
  };
  return () => {
    const now = performance.now();
    if (asked === null || now - asked.at > SAME_SCRAPE_MS) asked = { at: now, answer: within() };
    return asked.answer;
  };
};

const timed = async (ping: () => Promise<unknown>): Promise<number> => {
  const from = performance.now();
  await ping();
  return (performance.now() - from) / 1000;
};

type Line = readonly [labels: Record<string, string>, value: number];
const one = (value: number): Line[] => [[{}, value]];

/** A gauge whose lines are asked for; without lines it is missing from the scrape. */
const asked = (
  registry: Registry,
  name: string,
  help: string,
  labelNames: readonly string[],
  read: () => Promise<readonly Line[]>,
): void => {
  new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
    async collect() {
      const lines = await read();
      this.reset();
      // A gauge without labels stands at 0 by itself.
      if (lines.length === 0 && labelNames.length === 0) this.remove();
      for (const [labels, value] of lines) this.set(labels, value);
    },
  });
};

const pingGauges = (
  registry: Registry,
  part: 'store' | 'redis',
  pingOf: () => (() => Promise<unknown>) | null,
): void => {
  const seconds = oncePerScrape(async () => {
    const ping = pingOf();
    return ping === null ? null : timed(ping);
  });
  const what = part === 'store' ? 'the store' : 'Redis';
  asked(registry, `pentarch_${part}_up`, `1 where ${what} answered this scrape, 0 where not`, [], async () =>
    pingOf() === null ? [] : one((await seconds()) === null ? 0 : 1),
  );
  asked(
    registry,
    `pentarch_${part}_ping_seconds`,
    `Time that ${what} took to answer this scrape`,
    [],
    async () => {
      const took = await seconds();
      return took === null ? [] : one(took);
    },
  );
};

const queueGauges = (registry: Registry, figures: () => StoreFigures): void => {
  const depth = oncePerScrape(() => figures().jobs());
  const waiting = oncePerScrape(() => figures().waitingJobs());
  const states = 'Background jobs by state: queued, running, dead (given up)';
  asked(registry, 'pentarch_jobs', states, ['state'], async () => {
    const found = await depth();
    return found === null
      ? []
      : (['queued', 'running', 'dead'] as const).map((state) => [{ state }, found[state]] as const);
  });
  asked(registry, 'pentarch_queue_depth', 'Jobs waiting, by kind', ['queue'], async () =>
    ((await waiting()) ?? []).map(({ kind, queued }) => [{ queue: kind }, queued] as const),
  );
  const age = 'How long the longest due job of a kind has waited';
  asked(registry, 'pentarch_queue_oldest_seconds', age, ['queue'], async () =>
    ((await waiting()) ?? []).map(({ kind, oldestMs }) => [{ queue: kind }, oldestMs / 1000] as const),
  );
};

const workGauges = (registry: Registry, figures: () => StoreFigures): void => {
  const votes = oncePerScrape(() => figures().votes());
  asked(registry, 'pentarch_votes_waiting', 'Proposals without a decision', ['status'], async () =>
    ((await votes()) ?? []).map(({ status, count }) => [{ status }, count] as const),
  );
  const voteAge = 'How long the oldest proposal without a decision has waited';
  asked(registry, 'pentarch_votes_oldest_seconds', voteAge, ['status'], async () =>
    ((await votes()) ?? []).map(({ status, oldestMs }) => [{ status }, oldestMs / 1000] as const),
  );
  const reservations = oncePerScrape(() => figures().reservations());
  const held = 'Amounts set aside for calls that have not ended';
  asked(registry, 'pentarch_reservations_open', held, [], async () => {
    const found = await reservations();
    return found === null ? [] : one(found.count);
  });
  const heldFor = 'How long the oldest of them has been set aside';
  asked(registry, 'pentarch_reservations_oldest_seconds', heldFor, [], async () => {
    const found = await reservations();
    return found === null ? [] : one(found.oldestMs / 1000);
  });
};

const nodeGauges = (registry: Registry, figures: () => StoreFigures): void => {
  const nodes = oncePerScrape(() => figures().nodes());
  asked(registry, 'pentarch_nodes', 'Nodes on this store, by state: alive, draining', ['state'], async () => {
    const found = await nodes();
    return found === null
      ? []
      : (['alive', 'draining'] as const).map((state) => [{ state }, found[state]] as const);
  });
  const skew = oncePerScrape(() => figures().clockSkewMs());
  const ahead = "By how much this process's clock is ahead of the store's";
  asked(registry, 'pentarch_clock_skew_seconds', ahead, [], async () => {
    const found = await skew();
    return found === null ? [] : one(found / 1000);
  });
};

export const registerStoreGauges = (registry: Registry, figures: () => StoreFigures): void => {
  pingGauges(registry, 'store', () => figures().ping);
  pingGauges(registry, 'redis', () => figures().redisPing);
  queueGauges(registry, figures);
  workGauges(registry, figures);
  nodeGauges(registry, figures);
  const pool = 'Connections of this process to the store: in_use, idle, and waiting (work that has none)';
  asked(registry, 'pentarch_store_connections', pool, ['state'], () => {
    const found = figures().connections();
    return Promise.resolve(
      found === null
        ? []
        : [
            [{ state: 'in_use' }, found.inUse],
            [{ state: 'idle' }, found.idle],
            [{ state: 'waiting' }, found.waiting],
          ],
    );
  });
  const free = oncePerScrape(() => figures().dataFreeBytes());
  asked(registry, 'pentarch_data_free_bytes', 'Bytes free on the disk of the data folder', [], async () => {
    const found = await free();
    return found === null ? [] : one(found);
  });
};
