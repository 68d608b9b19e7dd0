import path from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import type { Db } from '../db/db.ts';
import { openPostgres, openSqlite } from '../db/open.ts';
import { inWords } from '../db/refusal.ts';
import { REFUSAL_TEXT } from '../db/refused-writes.ts';
import { postgresStartFault, sqliteStartFault } from '../db/start-faults.ts';
import { clockSkewMs } from '../db/store-clock.ts';
import { type WatchedDb, watchWrites } from '../db/watched.ts';
import { watchClock } from './clock-watch.ts';
import { defineModule, type Given, type OnError } from './module.ts';
import type { NodePlace } from './node.ts';

export interface StoreDeps extends Pick<Given, 'clock' | 'logger' | 'onError'> {
  config: Pick<Config, 'DATABASE_URL' | 'DATA_DIR' | 'SQLITE_SYNCHRONOUS'>;
  /** The store is opened by whoever has a place on it. */
  node: NodePlace;
}

export const sqliteFile = (config: Pick<Config, 'DATA_DIR'>): string =>
  path.join(config.DATA_DIR, 'pentarch.sqlite');

const openStore = async (
  config: StoreDeps['config'],
  logger: FastifyBaseLogger,
  onError: OnError,
): Promise<WatchedDb> => {
  const { DATABASE_URL: url } = config;
  const open = (): Promise<Db> =>
    url === null
      ? openSqlite({
          file: sqliteFile(config),
          synchronous: config.SQLITE_SYNCHRONOUS,
          onError: (error) => onError(error, 'the log of the store'),
        })
      : openPostgres({
          url,
          onError: (error) => onError(error, 'what follows a commit'),
          onGap: (gap) =>
            logger.warn(`row-level security does not stand behind the tenants’ filters: ${gap}`),
        });
  const db = await inWords(open, (error) =>
    url === null ? sqliteStartFault(error, sqliteFile(config)) : postgresStartFault(error, url),
  );
  return watchWrites(db, (refusal, error) => {
    if (refusal === null) logger.info('the store takes writes again');
    else logger.warn({ reason: refusal, err: error }, 'the store refuses writes');
  });
};

export const storeModule = defineModule({
  name: 'db',
  needs: ['clock', 'config', 'logger', 'node', 'onError'],
  async build({ clock, config, logger, onError }: StoreDeps) {
    const db = await openStore(config, logger, onError);
    const skewMs = () => clockSkewMs(db, clock.now);
    const clockWatch = watchClock(skewMs, logger);
    return {
      service: db,
      gauges: {
        ping: db.ping,
        connections: db.connections,
        clockSkewMs: skewMs,
      },
      health: {
        store: async () => {
          await db.ping();
          const refusal = await db.refusal();
          return refusal === null
            ? { status: 'ok' as const, ...clockWatch.detail() }
            : { status: 'failed' as const, detail: REFUSAL_TEXT[refusal] };
        },
        migrations: () => ({ status: 'ok' as const }),
      },
      start: () => clockWatch.start(),
      quiet: () => clockWatch.stop(),
      stop: () => db.close(),
    };
  },
});
