import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { createFolderBlobs } from '../../src/adapters/blobs/folder.ts';
import { createGuardedFetch } from '../../src/adapters/guarded-fetch/index.ts';
import { createDocumentParser } from '../../src/adapters/parsing/parser.ts';
import type { Db, EventOutlet } from '../../src/db/db.ts';
import { openPostgres, openSqlite } from '../../src/db/open.ts';
import {
  createKnowledge,
  type Knowledge,
  type KnowledgeOptions,
} from '../../src/features/knowledge/index.ts';
import { indexText } from '../../src/features/knowledge/terms.rules.ts';
import { buildApp } from '../../src/http/app.ts';
import { createIdempotencyStore } from '../../src/http/idempotency.store.ts';
import { createIdempotency } from '../../src/http/idempotency.ts';
import { OVERVIEW_RATES, REFERENCE_RATES } from '../../src/http/rate-limit.rules.ts';
import { createMemoryRateLog } from '../../src/http/rate-limit.ts';
import type { Caller, Role } from '../../src/kernel/caller.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import type { MeteredEmbedder } from '../../src/kernel/embedder.ts';
import { unauthorized } from '../../src/kernel/errors.ts';
import type { PlatformEvent } from '../../src/kernel/events.ts';
import { effectivePermissions } from '../../src/kernel/permissions.ts';
import { nodeOf } from './cluster.ts';
import { outletTo } from './outbox.ts';

/** For tests: words hashed into 64 places, so that texts with the same words are near. */
export const wordEmbedder = (
  id = 'words',
  dimensions = 64,
): MeteredEmbedder & { texts: string[]; close(): Promise<void> } => {
  const texts: string[] = [];
  return {
    id,
    dimensions,
    local: true,
    texts,
    async embed(_payer, batch) {
      texts.push(...batch);
      const vectors = batch.map((text) => {
        const vector = new Float32Array(dimensions).fill(1e-3);
        for (const word of indexText(text).split(' ')) {
          let hash = 7;
          for (const c of word) hash = (hash * 31 + (c.codePointAt(0) ?? 0)) >>> 0;
          vector[hash % dimensions] = (vector[hash % dimensions] ?? 0) + 1;
        }
        const length = Math.hypot(...vector);
        return vector.map((x) => x / length);
      });
      return { vectors, tokens: 1 };
    },
    close: () => Promise.resolve(),
  };
};

/** Knows besides that a zorvex is a lantern: what only meaning finds. */
export const meaningEmbedder = (
  id = 'meaning',
  dimensions = 64,
): MeteredEmbedder & { close(): Promise<void> } => {
  const words = wordEmbedder(id, dimensions);
  return {
    ...words,
    embed: (payer, batch) =>
      words.embed(
        payer,
        batch.map((text) => text.replaceAll('zorvex', 'lantern')),
      ),
  };
};

export const testCaller = (userId: string, tenantId: string, role: Role = 'user'): Caller => ({
  userId,
  tenantId,
  email: `${userId}@${tenantId}.test`,
  name: userId,
  roles: [role],
  permissions: effectivePermissions([role], []),
  tier: 'enterprise',
  type: 'person',
  platformAdmin: false,
  whole: true,
  credential: 'jwt',
  tokenId: userId,
  sessionId: null,
  expiresAt: null,
});

/** Tokens are names of these. */
export const CALLERS: Readonly<Record<string, Caller>> = {
  ann: testCaller('ann', 'north'),
  ben: testCaller('ben', 'north'),
  boss: testCaller('boss', 'north', 'admin'),
  op: testCaller('op', 'north', 'operator'),
  reader: testCaller('reader', 'north', 'readonly'),
  ana: testCaller('ana', 'north', 'analyst'),
  zoe: testCaller('zoe', 'south'),
  zan: testCaller('zan', 'south', 'analyst'),
};

export interface KnowledgeHouse {
  folder: string;
  db: Db;
  app: FastifyInstance;
  knowledge: Knowledge;
  events: Omit<PlatformEvent, 'id' | 'createdAt'>[];
  /** Faults of background work. */
  faults: string[];
  close(): Promise<void>;
}

/**
 * The feature behind the real HTTP layer, with a store in `folder` (a new one is made and removed when none is given) or
 * in the database of `postgresUrl`.
 */
export const openKnowledge = async (
  options: Partial<KnowledgeOptions> & {
    folder?: string;
    postgresUrl?: string;
    outlet?: EventOutlet;
    maxUploadBytes?: number;
  } = {},
): Promise<KnowledgeHouse> => {
  const folder = options.folder ?? mkdtempSync(path.join(tmpdir(), 'pentarch-knowledge-'));
  const file = path.join(folder, 'pentarch.sqlite');
  const { postgresUrl } = options;
  const db =
    postgresUrl === undefined
      ? await openSqlite({ file, synchronous: 'normal' })
      : await openPostgres({ url: postgresUrl, maxConnections: 8, unscoped: 'all' });
  const parser = options.parser ?? createDocumentParser();
  const events: KnowledgeHouse['events'] = [];
  const faults: string[] = [];
  db.emitTo(options.outlet ?? outletTo((event) => events.push(event)));
  const idempotency = createIdempotency(createIdempotencyStore(db), systemClock);
  const knowledge = await createKnowledge({
    db,
    cluster: nodeOf(db),
    sqliteFile: postgresUrl === undefined ? file : null,
    blobs: createFolderBlobs(path.join(folder, 'blobs')),
    embedder: wordEmbedder(),
    charge: async (_call, work) => (await work()).result,
    idempotency,
    clock: systemClock,
    searchMemories: null,
    // However busy the machine is.
    uploadWaitS: 300,
    noteTrust: () => () => Promise.resolve(),
    http: createGuardedFetch({ allowPrivate: true }),
    maxBytes: options.maxUploadBytes ?? 1024 * 1024,
    warn: (fault, message) => faults.push(`${message}: ${String(fault)}`),
    ...options,
    parser,
  });
  const app = await buildApp({
    routes: knowledge.routes,
    authenticate: (token) => {
      const caller = CALLERS[token];
      if (caller === undefined) throw unauthorized('TOKEN_INVALID', 'unknown token');
      return caller;
    },
    idempotency,
    limits: {
      log: createMemoryRateLog(1000),
      tables: { reference: REFERENCE_RATES, overview: OVERVIEW_RATES },
      enforce: false,
      clock: systemClock,
    },
    logger: pino({ level: 'silent' }),
    corsOrigins: [],
    trustProxy: [],
    tls: null,
    maxUploadBytes: options.maxUploadBytes ?? 1024 * 1024,
    draining: () => false,
    observe: () => {},
  });
  return {
    folder,
    db,
    app,
    knowledge,
    events,
    faults,
    async close() {
      await app.close();
      await knowledge.close();
      if (options.parser === undefined) await parser.close();
      await db.close();
      if (options.folder === undefined) rmSync(folder, { recursive: true });
    },
  };
};
