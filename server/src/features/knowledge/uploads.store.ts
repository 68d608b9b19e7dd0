import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Along, Db, Queryable } from '../../db/db.ts';
import type { Tables } from '../../db/tables/index.ts';
import type { DocumentUploadRow } from '../../db/tables/knowledge.ts';
import type { Scope } from '../../kernel/caller.ts';
import { json } from './document-rows.store.ts';
import type { DocumentChanges, UploadFault, UploadProgress, UploadRequest, WaitingUpload } from './ports.ts';
import { changedRequest, withFieldsBefore } from './upload-changes.rules.ts';
import { documentOfName, lockName, requestsBefore } from './upload-names.store.ts';
import { createUploadReads, toWaiting } from './upload-reads.store.ts';

/**
 * States of an upload that is read in the background:
 *
 * | from       | to         | when                                                                     |
 * |------------|------------|--------------------------------------------------------------------------|
 * | –          | queued     | `respond-async`: nobody has begun                                        |
 * | –          | processing | its request has waited long enough, and its work goes on                 |
 * | queued     | processing | its turn has come                                                        |
 * | processing | processing | its holder went silent: another one goes on                              |
 * | processing | queued     | the process stops, or a fault that may pass                              |
 * | processing | failed     | what no further attempt can mend, or the last one                        |
 * | failed     | queued     | a retry                                                                  |
 * | processing | –          | in the transaction that shows the document                               |
 * | all        | –          | DELETE, erasure, or a newer upload of the same name that is whole        |
 *
 * A lease says who works on it. Each transaction of that work checks the lease, so that a holder that was thought dead
 * changes nothing any more.
 */

export const LEASE_MS = 30_000;
/** Failed ones are kept so long, to be looked at and begun again. */
const FAILED_KEPT_MS = 30 * 86_400_000;

/** The lease belongs to somebody else by now, or the upload was taken back. */
export class UploadLost extends Error {
  constructor() {
    super('the upload was taken back, or another process reads it by now');
    this.name = 'UploadLost';
  }
}

/** A PATCH came after what is being written was put together. */
export class UploadChanged extends Error {
  constructor() {
    super('the upload was changed while it was written');
    this.name = 'UploadChanged';
  }
}

export interface HeldUpload {
  id: string;
  lease: string;
}

type NewUpload = Omit<WaitingUpload, 'failed' | 'error' | 'attempts'>;

const rowOf = (upload: NewUpload, held: HeldUpload | null, now: number): DocumentUploadRow => ({
  id: upload.id,
  tenant_id: upload.tenantId,
  user_id: upload.userId,
  document_id: upload.documentId,
  external_id: upload.externalId,
  status: held === null ? 'queued' : 'processing',
  sha256: upload.sha256,
  size_bytes: upload.sizeBytes,
  request: JSON.stringify(upload.request),
  request_id: upload.requestId,
  pages_done: upload.progress.pagesDone,
  pages: upload.progress.pages,
  chunks_done: upload.progress.chunksDone,
  chunks: upload.progress.chunks,
  attempts: held === null ? 0 : 1,
  run_at: now,
  lease: held?.lease ?? null,
  lease_until: held === null ? null : now + LEASE_MS,
  error: null,
  created_at: upload.createdAt,
  updated_at: now,
});

const dueAt =
  (now: number) =>
  (w: ExpressionBuilder<Tables & { u: DocumentUploadRow }, 'u'>): Expression<SqlBool> =>
    w.and([
      w('u.run_at', '<=', now),
      w.or([
        w('u.status', '=', 'queued'),
        w.and([w('u.status', '=', 'processing'), w('u.lease_until', '<=', now)]),
      ]),
      // Of one name one after the other, in the order in which they came.
      sql<SqlBool>`not exists (select 1 from document_uploads o where o.external_id = u.external_id
        and o.tenant_id = u.tenant_id and o.user_id = u.user_id and o.status <> 'failed' and o.id < u.id)`,
    ]);

/** Work that is held by a lease. */
const createHeldUploads = (db: Db) => ({
  /**
   * For each transaction of the work: throws `UploadLost` where the lease is another's. With `seen`, the last PATCH that the
   * content takes into account, it throws `UploadChanged` where there is a later one.
   */
  guard:
    (held: HeldUpload, seen?: string | null): Along =>
    async (tx) => {
      const query = tx
        .selectFrom('document_uploads')
        .select('request')
        .where('id', '=', held.id)
        .where('lease', '=', held.lease);
      const row = await (db.dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
      if (row === undefined) throw new UploadLost();
      if (seen === undefined) return;
      if ((json<UploadRequest>(row.request).changed ?? null) !== seen) throw new UploadChanged();
    },

  /** Goes along with the transaction that shows the document. */
  finish:
    (held: HeldUpload): Along =>
    async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom('document_uploads')
        .where('id', '=', held.id)
        .where('lease', '=', held.lease)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw new UploadLost();
    },

  /** Whether the lease is still ours. */
  renew: (held: HeldUpload, progress: UploadProgress, now: number): Promise<boolean> =>
    db.write(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('document_uploads')
        .set({
          lease_until: now + LEASE_MS,
          updated_at: now,
          pages_done: progress.pagesDone,
          pages: progress.pages,
          chunks_done: progress.chunksDone,
          chunks: progress.chunks,
        })
        .where('id', '=', held.id)
        .where('lease', '=', held.lease)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    }),

  /** Back into the queue; `counts`: as an attempt that failed. */
  requeue: (held: HeldUpload, how: { runAt: number; counts: boolean }): Promise<void> =>
    db.write(async (tx) => {
      await tx
        .updateTable('document_uploads')
        .set({
          status: 'queued',
          lease: null,
          lease_until: null,
          run_at: how.runAt,
          ...(how.counts ? {} : { attempts: sql<number>`attempts - 1` }),
        })
        .where('id', '=', held.id)
        .where('lease', '=', held.lease)
        .execute();
    }),

  fail: (held: HeldUpload, error: UploadFault, now: number, along: Along): Promise<void> =>
    db.write(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('document_uploads')
        .set({
          status: 'failed',
          lease: null,
          lease_until: null,
          error: JSON.stringify(error),
          updated_at: now,
        })
        .where('id', '=', held.id)
        .where('lease', '=', held.lease)
        .executeTakeFirst();
      if (numUpdatedRows > 0n) await along(tx);
    }),

  keepVectors: (held: HeldUpload, batch: number, digest: string, vectors: Buffer): Promise<void> =>
    db.write(async (tx) => {
      const row = await tx
        .selectFrom('document_uploads')
        .select('id')
        .where('id', '=', held.id)
        .where('lease', '=', held.lease)
        .executeTakeFirst();
      if (row === undefined) throw new UploadLost();
      await tx
        .insertInto('document_upload_vectors')
        .values({ upload_id: held.id, batch, digest, vectors })
        .onConflict((c) => c.columns(['upload_id', 'batch']).doUpdateSet({ digest, vectors }))
        .execute();
    }),

  async vectors(id: string, batch: number, digest: string): Promise<Buffer | null> {
    const row = await db.read
      .selectFrom('document_upload_vectors')
      .select('vectors')
      .where('upload_id', '=', id)
      .where('batch', '=', batch)
      .where('digest', '=', digest)
      .executeTakeFirst();
    return row?.vectors ?? null;
  },
});

const claimNext = async (
  db: Db,
  order: (tenants: readonly { tenantId: string; running: number; oldest: number }[]) => string | null,
  lease: string,
  now: number,
): Promise<WaitingUpload | null> => {
  const waiting = await db.read
    .selectFrom('document_uploads as u')
    .select('u.tenant_id')
    .select((w) => w.fn.min('u.created_at').as('oldest'))
    .where(dueAt(now))
    .groupBy('u.tenant_id')
    .execute();
  if (waiting.length === 0) return null;
  const running = await db.read
    .selectFrom('document_uploads')
    .select('tenant_id')
    .select((w) => w.fn.countAll<number>().as('n'))
    .where('status', '=', 'processing')
    .where('lease_until', '>', now)
    .groupBy('tenant_id')
    .execute();
  const tenantId = order(
    waiting.map((row) => ({
      tenantId: row.tenant_id,
      oldest: Number(row.oldest),
      running: Number(running.find((one) => one.tenant_id === row.tenant_id)?.n ?? 0),
    })),
  );
  if (tenantId === null) return null;
  return db.write(async (tx) => {
    const due = tx
      .selectFrom('document_uploads as u')
      .select('u.id')
      .where('u.tenant_id', '=', tenantId)
      .where(dueAt(now))
      .orderBy('u.created_at')
      .orderBy('u.id')
      .limit(1);
    const next = await (db.dialect === 'postgres' ? due.forUpdate().skipLocked() : due).executeTakeFirst();
    if (next === undefined) return null;
    const row = await tx
      .updateTable('document_uploads')
      .set({
        status: 'processing',
        lease,
        lease_until: now + LEASE_MS,
        attempts: sql<number>`attempts + 1`,
        updated_at: now,
      })
      .where('id', '=', next.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    return toWaiting(row);
  });
};

export type UploadStore = ReturnType<typeof createUploadStore>;

export const createUploadStore = (db: Db, { alone }: { alone: boolean }) => ({
  ...createHeldUploads(db),
  ...createUploadReads(db),

  /** Null where the owner has such an upload already; its document is the one that its name has or is promised to. */
  add: (
    upload: NewUpload,
    held: HeldUpload | null,
    now: number,
  ): Promise<Pick<NewUpload, 'documentId' | 'createdAt' | 'request'> | null> =>
    db.write(async (tx) => {
      const { externalId } = upload;
      if (externalId !== null) await lockName(tx, db.dialect, upload, externalId);
      const known = externalId === null ? null : await documentOfName(tx, upload, externalId);
      const { documentId, createdAt } = known ?? upload;
      const before =
        externalId === null || known?.isThere !== false
          ? []
          : await requestsBefore(tx, upload, externalId, upload.id);
      const added = { documentId, createdAt, request: withFieldsBefore(upload.request, before) };
      const { numInsertedOrUpdatedRows } = await tx
        .insertInto('document_uploads')
        .values(rowOf({ ...upload, ...added }, held, now))
        .onConflict((c) => c.doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n ? added : null;
    }),

  requestsBefore: (
    tx: Queryable | null,
    owner: Pick<Scope, 'tenantId' | 'userId'>,
    externalId: string,
    id: string,
  ): Promise<UploadRequest[]> => requestsBefore(tx ?? db.read, owner, externalId, id),

  /** Goes first in a transaction that may give a name its document. */
  lockName: (tx: Queryable, owner: Pick<Scope, 'tenantId' | 'userId'>, externalId: string): Promise<void> =>
    lockName(tx, db.dialect, owner, externalId),

  /** What a PATCH sets, in all uploads of a document that is none yet; false where there is none of them any more. */
  change: (of: WaitingUpload, changes: DocumentChanges, when: string): Promise<boolean> =>
    db.write(async (tx) => {
      if (of.externalId !== null) await lockName(tx, db.dialect, of, of.externalId);
      const query = tx
        .selectFrom('document_uploads')
        .select(['id', 'request'])
        .where('document_id', '=', of.documentId)
        .orderBy('id');
      const rows = await (db.dialect === 'postgres' ? query.forUpdate() : query).execute();
      for (const { id, request } of rows)
        await tx
          .updateTable('document_uploads')
          .set({ request: JSON.stringify(changedRequest(json<UploadRequest>(request), changes, when)) })
          .where('id', '=', id)
          .execute();
      return rows.length > 0;
    }),

  claim: (
    order: (tenants: readonly { tenantId: string; running: number; oldest: number }[]) => string | null,
    lease: string,
    now: number,
  ): Promise<WaitingUpload | null> => claimNext(db, order, lease, now),

  /** Whether it had failed. */
  retry: (id: string, now: number): Promise<boolean> =>
    db.write(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('document_uploads')
        .set({ status: 'queued', error: null, attempts: 0, run_at: now, updated_at: now })
        .where('id', '=', id)
        .where('status', '=', 'failed')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    }),

  /** Takes an upload back; whether it was there. `note` is written with it. */
  remove: (id: string, note?: Along): Promise<boolean> =>
    db.write(async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom('document_uploads')
        .where('id', '=', id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      await note?.(tx);
      return true;
    }),

  /** Ends those of the same name from before `id`, whose content is newer; their bytes are the caller's to remove. */
  overtake: (
    tx: Queryable,
    owner: Pick<Scope, 'tenantId' | 'userId'>,
    externalId: string | null,
    id: string,
  ): Promise<{ id: string; sha256: string }[]> =>
    externalId === null
      ? Promise.resolve([])
      : tx
          .deleteFrom('document_uploads')
          .where('tenant_id', '=', owner.tenantId)
          .where('user_id', '=', owner.userId)
          .where('external_id', '=', externalId)
          .where('id', '<', id)
          .returning(['id', 'sha256'])
          .execute(),

  /** At start. Where no other process is at work, what the last one held is free at once. */
  async freeLeases(): Promise<void> {
    if (!alone) return;
    await db.write((tx) =>
      tx.updateTable('document_uploads').set({ lease_until: 0 }).where('status', '=', 'processing').execute(),
    );
  },

  async outdated(now: number): Promise<{ id: string; sha256: string }[]> {
    return db.read
      .selectFrom('document_uploads')
      .select(['id', 'sha256'])
      .where('status', '=', 'failed')
      .where('updated_at', '<', now - FAILED_KEPT_MS)
      .limit(1000)
      .execute();
  },
});
