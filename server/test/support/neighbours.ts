import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { createBuiltinEmbedder } from '../../src/adapters/embeddings/builtin.ts';
import { loadConfig } from '../../src/config.ts';
import type { Db } from '../../src/db/db.ts';
import { createAudit } from '../../src/features/audit/index.ts';
import { governanceConfig } from '../../src/features/governance/index.ts';
import { createMetrics } from '../../src/features/system/index.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createDecisions } from '../../src/kernel/decisions.ts';
import type { NewEvent, PlatformEvent } from '../../src/kernel/events.ts';
import { createToolCatalogue } from '../../src/kernel/tool-catalogue.ts';
import { composeModels } from '../../src/modules/models.ts';
import { outletTo } from './outbox.ts';
import { unmetered } from './unmetered.ts';

/** What a module needs of others, for tests that build one feature alone: a module takes from it what it names. */
export const neighboursOn = async (db: Db) => {
  const folder = path.join(tmpdir(), 'pentarch-alone');
  const config = loadConfig({ DATA_DIR: folder, MODEL: 'builtin' }, folder);
  const published: (NewEvent | PlatformEvent)[] = [];
  db.emitTo(outletTo((event) => void published.push(event)));
  const faults: unknown[] = [];
  const gauges = {
    activeRuns: () => 0,
    openStreams: () => 0,
    openSockets: () => 0,
    jobs: () => Promise.resolve({ queued: 0, running: 0, dead: 0 }),
    dataFreeBytes: () => Promise.resolve(0),
    ping: () => Promise.resolve(),
    redisPing: null,
    connections: () => null,
    waitingJobs: () => Promise.resolve([]),
    votes: () => Promise.resolve([]),
    reservations: () => Promise.resolve({ count: 0, oldestMs: 0 }),
    nodes: () => Promise.resolve({ alive: 1, draining: 0 }),
    clockSkewMs: () => Promise.resolve(null),
  };
  return {
    audit: createAudit(systemClock),
    catalogue: createToolCatalogue(),
    clock: systemClock,
    config,
    db,
    decisions: createDecisions(),
    embedding: { embedder: unmetered(createBuiltinEmbedder()), warm: () => Promise.resolve() },
    events: { publish: (event: NewEvent | PlatformEvent) => void published.push(event) },
    governanceConfig: governanceConfig(null),
    identity: { callerFor: () => Promise.resolve(null) },
    logger: pino({ level: 'silent' }),
    models: await composeModels(config, systemClock),
    onError: (error: unknown) => void faults.push(error),
    node: { nodeId: 'alone', alone: true },
    system: { metrics: createMetrics('2.0.0', () => gauges) },
    published,
    faults,
  };
};
