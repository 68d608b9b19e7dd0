import type { Selectable } from 'kysely';
import type { Db, Queryable } from '../../db/db.ts';
import type { DocumentUploadRow } from '../../db/tables/knowledge.ts';
import type { Scope } from '../../kernel/caller.ts';
import type { CursorPosition } from '../../kernel/pagination.ts';
import { json } from './document-rows.store.ts';
import type { UploadFault, UploadRequest, WaitingUpload } from './ports.ts';

/** Uploads that are read in the background (uploads.store.ts), as they stand. */

export const toWaiting = (row: Selectable<DocumentUploadRow>): WaitingUpload => ({
  id: row.id,
  tenantId: row.tenant_id,
  userId: row.user_id,
  documentId: row.document_id,
  externalId: row.external_id,
  failed: row.status === 'failed',
  sha256: row.sha256,
  sizeBytes: row.size_bytes,
  request: json<UploadRequest>(row.request),
  requestId: row.request_id,
  progress: {
    pagesDone: row.pages_done,
    pages: row.pages,
    chunksDone: row.chunks_done,
    chunks: row.chunks,
  },
  attempts: row.attempts,
  error: row.error === null ? null : json<UploadFault>(row.error),
  createdAt: row.created_at,
});

const readableUploads = (db: Queryable, scope: Scope) => {
  const query = db.selectFrom('document_uploads').selectAll().where('tenant_id', '=', scope.tenantId);
  return scope.reach === 'tenant' ? query : query.where('user_id', '=', scope.userId);
};

/** What clients ask about uploads: their owner, and those who read the whole tenant. */
export const createUploadReads = (db: Db) => ({
  /** The newest upload of each of these documents. */
  async ofDocuments(scope: Scope, documentIds: readonly string[]): Promise<Map<string, WaitingUpload>> {
    if (documentIds.length === 0) return new Map();
    const rows = await readableUploads(db.read, scope)
      .where('document_id', 'in', [...documentIds])
      .orderBy('id')
      .execute();
    return new Map(rows.map((row) => [row.document_id, toWaiting(row)]));
  },

  /** Whoever may delete the document takes these back as well. */
  async ofDocument(documentId: string): Promise<WaitingUpload[]> {
    const rows = await db.read
      .selectFrom('document_uploads')
      .selectAll()
      .where('document_id', '=', documentId)
      .execute();
    return rows.map(toWaiting);
  },

  /** Newest first. */
  async list(
    scope: Scope,
    failed: boolean,
    after: CursorPosition | null,
    limit: number,
  ): Promise<WaitingUpload[]> {
    let matching = readableUploads(db.read, scope).where('status', failed ? '=' : '<>', 'failed');
    if (after !== null) {
      matching = matching.where((w) =>
        w.or([
          w('created_at', '<', after.createdAt),
          w.and([w('created_at', '=', after.createdAt), w('id', '<', after.id)]),
        ]),
      );
    }
    const rows = await matching.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
    return rows.map(toWaiting);
  },

  async byId(id: string): Promise<WaitingUpload | null> {
    const row = await db.read
      .selectFrom('document_uploads')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row === undefined ? null : toWaiting(row);
  },

  /** Of the same owner with the same bytes; under a name only where they are its newest ones. */
  async same(
    tenantId: string,
    userId: string,
    of: { sha256: string; externalId: string | null },
  ): Promise<WaitingUpload | null> {
    const { sha256, externalId } = of;
    const own = db.read
      .selectFrom('document_uploads')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId);
    const row = await (externalId === null
      ? own.where('external_id', 'is', null).where('sha256', '=', sha256)
      : own.where('external_id', '=', externalId)
    )
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row === undefined || row.sha256 !== sha256 ? null : toWaiting(row);
  },

  async ofUser(tenantId: string, userId: string): Promise<WaitingUpload[]> {
    const rows = await db.read
      .selectFrom('document_uploads')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .orderBy('id')
      .execute();
    return rows.map(toWaiting);
  },

  async holds(id: string, sha256: string): Promise<boolean> {
    const row = await db.read
      .selectFrom('document_uploads')
      .select('id')
      .where('id', '=', id)
      .where('sha256', '=', sha256)
      .executeTakeFirst();
    return row !== undefined;
  },
});
