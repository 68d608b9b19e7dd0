import path from 'node:path';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import type { Db } from '../db/db.ts';
import { openPostgres, openSqlite } from '../db/open.ts';
import { createWriteProbe } from '../db/write-probe.ts';
import { defineModule, type Given, type OnError } from './module.ts';
import type { NodePlace } from './node.ts';

export interface StoreDeps extends Pick<Given, 'logger' | 'onError'> {
  config: Pick<Config, 'DATABASE_URL' | 'DATA_DIR' | 'SQLITE_SYNCHRONOUS'>;
  /** The store is opened by whoever has a place on it. */
  node: NodePlace;
}

export const sqliteFile = (config: Pick<Config, 'DATA_DIR'>): string =>
  path.join(config.DATA_DIR, 'pentarch.sqlite');

const openStore = (config: StoreDeps['config'], logger: FastifyBaseLogger, onError: OnError): Promise<Db> =>
  config.DATABASE_URL === null
    ? openSqlite({
        file: sqliteFile(config),
        synchronous: config.SQLITE_SYNCHRONOUS,
        onError: (error) => onError(error, 'the log of the store'),
      })
    : openPostgres({
        url: config.DATABASE_URL,
        onGap: (gap) => logger.warn(`row-level security does not stand behind the tenants’ filters: ${gap}`),
      });

export const storeModule = defineModule({
  name: 'db',
  needs: ['config', 'logger', 'node', 'onError'],
  async build({ config, logger, onError }: StoreDeps) {
    const db = await openStore(config, logger, onError);
    const checkWrites = createWriteProbe(db);
    return {
      service: db,
      health: {
        store: async () => {
          await db.ping();
          return checkWrites().then(
            () => ({ status: 'ok' as const }),
            () => ({ status: 'failed' as const, detail: 'it answers, and takes no writes' }),
          );
        },
        migrations: () => ({ status: 'ok' as const }),
      },
      stop: () => db.close(),
    };
  },
});
