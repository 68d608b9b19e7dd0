import path from 'node:path';
import { createFolderBlobs } from '../adapters/blobs/folder.ts';
import type { ObjectBlobs } from '../adapters/blobs/objects.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/db.ts';
import { createStoreBlobs } from '../features/knowledge/index.ts';
import { withEarlier } from '../kernel/blobs-earlier.ts';
import type { Clock } from '../kernel/clock.ts';
import { defineModule, type Given } from './module.ts';

export type { ObjectBlobs };

/** How long another node may be at work between a blob and its row. */
const OTHERS_WORK_MS = 15 * 60_000;

/** The store of objects that keeps documents' bytes; null where the data folder or the database does. */
export const composeObjectBlobs = async (config: Config, clock: Clock): Promise<ObjectBlobs | null> => {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (bucket === null) return null;
  // Loaded when it is wanted: most installations keep their files themselves.
  const { createObjectBlobs } = await import('../adapters/blobs/objects.ts');
  return createObjectBlobs({
    bucket,
    prefix: config.S3_PREFIX,
    region: config.S3_REGION,
    endpoint: config.S3_ENDPOINT,
    credentials: accessKeyId === null || secretAccessKey === null ? null : { accessKeyId, secretAccessKey },
    clock,
    // One process on SQLite holds the lock of its folder: nobody else is at work.
    othersWorkMs: config.DATABASE_URL === null ? 0 : OTHERS_WORK_MS,
  });
};

export interface BlobsDeps extends Pick<Given, 'clock'> {
  config: Config;
  db: Db;
}

/** Where documents' bytes are kept: the data folder, the database, or a store of objects with those before it. */
export const blobsModule = defineModule({
  name: 'blobs',
  needs: ['clock', 'config', 'db'],
  async build({ clock, config, db }: BlobsDeps) {
    const folder = createFolderBlobs(path.join(config.DATA_DIR, 'blobs'));
    const own = db.dialect === 'sqlite' ? folder : createStoreBlobs(db, clock, folder);
    const objects = await composeObjectBlobs(config, clock);
    await objects?.check();
    return {
      service: objects === null ? own : withEarlier(objects, own),
      stop: () => objects?.close(),
    };
  },
});
