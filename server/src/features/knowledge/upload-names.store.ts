import { sql } from 'kysely';
import type { DialectName, Queryable } from '../../db/db.ts';
import type { Scope } from '../../kernel/caller.ts';
import { json } from './document-rows.store.ts';
import type { UploadRequest } from './ports.ts';

/** One name of an owner in a source is one document, whichever of its uploads comes first. */

type Owner = Pick<Scope, 'tenantId' | 'userId'>;

/** The name is promised to a document of another id. */
export class NamePromised extends Error {
  readonly documentId: string;
  constructor(documentId: string) {
    super('an upload of this name has promised it another id');
    this.name = 'NamePromised';
    this.documentId = documentId;
  }
}

/** To the end of the transaction nobody else gives this name a document; before rows of uploads are locked. */
export const lockName = async (
  tx: Queryable,
  dialect: DialectName,
  owner: Owner,
  externalId: string,
): Promise<void> => {
  if (dialect !== 'postgres') return;
  const name = JSON.stringify(['document', owner.tenantId, owner.userId, externalId]);
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
};

/** Of the oldest upload of the name: its document, and when it was sent. */
export const promisedTo = async (
  tx: Queryable,
  owner: Owner,
  externalId: string,
): Promise<{ documentId: string; createdAt: number } | null> => {
  const row = await tx
    .selectFrom('document_uploads')
    .select(['document_id', 'created_at'])
    .where('tenant_id', '=', owner.tenantId)
    .where('user_id', '=', owner.userId)
    .where('external_id', '=', externalId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : { documentId: row.document_id, createdAt: row.created_at };
};

/** What the uploads of the name ask for that came before `id`, newest first. */
export const requestsBefore = async (
  db: Queryable,
  owner: Owner,
  externalId: string,
  id: string,
): Promise<UploadRequest[]> => {
  const rows = await db
    .selectFrom('document_uploads')
    .select('request')
    .where('tenant_id', '=', owner.tenantId)
    .where('user_id', '=', owner.userId)
    .where('external_id', '=', externalId)
    .where('id', '<', id)
    .orderBy('id', 'desc')
    .execute();
  return rows.map(({ request }) => json<UploadRequest>(request));
};

/** The document of this name, which is there (`isThere`) or on its way. */
export const documentOfName = async (
  tx: Queryable,
  owner: Owner,
  externalId: string,
): Promise<{ documentId: string; createdAt: number; isThere: boolean } | null> => {
  const row = await tx
    .selectFrom('documents')
    .select(['id', 'created_at'])
    .where('tenant_id', '=', owner.tenantId)
    .where('user_id', '=', owner.userId)
    .where('external_id', '=', externalId)
    .where('status', '<>', 'deleting')
    .executeTakeFirst();
  if (row !== undefined) return { documentId: row.id, createdAt: row.created_at, isThere: true };
  const promised = await promisedTo(tx, owner, externalId);
  return promised === null ? null : { ...promised, isThere: false };
};
