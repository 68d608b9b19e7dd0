import type { Db } from '../../db/db.ts';
import type { BlobStore } from '../../kernel/blobs.ts';
import type { Clock } from '../../kernel/clock.ts';

/** How long another node may be at work between a blob and its row. */
const OTHERS_WORK_MS = 15 * 60_000;

/**
 * Document bytes in PostgreSQL, where several nodes read and write them. `earlier`: what a node kept in its data folder
 * before; it is read and removed, never written.
 */
export const createStoreBlobs = (db: Db, clock: Clock, earlier: BlobStore): BlobStore => {
  const mark = (key: string, stagedAt: number | null): Promise<boolean> =>
    db.write(async (tx) => {
      const result = await tx
        .updateTable('blobs')
        .set({ staged_at: stagedAt })
        .where('key', '=', key)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    });
  return {
    stage: (key, bytes) =>
      db.write(async (tx) => {
        const row = { staged_at: clock.now(), bytes: Buffer.from(bytes) };
        await tx
          .insertInto('blobs')
          .values({ key, ...row })
          .onConflict((c) => c.column('key').doUpdateSet(row))
          .execute();
      }),
    async settle(key) {
      if (!(await mark(key, null))) await earlier.settle(key);
    },
    async unsettle(key) {
      if (!(await mark(key, clock.now()))) await earlier.unsettle(key);
    },
    async read(key) {
      const row = await db.read.selectFrom('blobs').select('bytes').where('key', '=', key).executeTakeFirst();
      return row?.bytes ?? earlier.read(key);
    },
    async remove(key) {
      await db.write(async (tx) => {
        await tx.deleteFrom('blobs').where('key', '=', key).execute();
      });
      await earlier.remove(key);
    },
    async staged() {
      const rows = await db.read
        .selectFrom('blobs')
        .select('key')
        .where('staged_at', '<', clock.now() - OTHERS_WORK_MS)
        .execute();
      return [...rows.map((row) => row.key), ...(await earlier.staged())];
    },
  };
};
