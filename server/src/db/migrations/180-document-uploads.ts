import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';
import { ofParent, ofTenant, raiseWalls } from './row-security.ts';

/**
 * Uploads that are read in the background, apart from `documents`: nodes of earlier releases delete documents there that are not
 * ready. `request` is what the client sent beside the bytes, which are a blob by the hash and the id.
 */
export const documentUploads: SchemaStep = {
  name: '180-document-uploads',
  async up(db, t) {
    await db.schema
      .createTable('document_uploads')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('document_id', 'text', (c) => c.notNull())
      .addColumn('external_id', 'text')
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('sha256', 'text', (c) => c.notNull())
      .addColumn('size_bytes', t.int, (c) => c.notNull())
      .addColumn('request', 'text', (c) => c.notNull())
      .addColumn('request_id', 'text', (c) => c.notNull())
      .addColumn('pages_done', t.int)
      .addColumn('pages', t.int)
      .addColumn('chunks_done', t.int, (c) => c.notNull())
      .addColumn('chunks', t.int)
      .addColumn('attempts', t.int, (c) => c.notNull())
      .addColumn('run_at', t.int, (c) => c.notNull())
      .addColumn('lease', 'text')
      .addColumn('lease_until', t.int)
      .addColumn('error', 'text')
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('updated_at', t.int, (c) => c.notNull())
      .execute();
    // Files with a name in their source may wait one behind the other; without one, the same bytes are the same upload.
    await db.schema
      .createIndex('document_uploads_once')
      .unique()
      .on('document_uploads')
      .columns(['tenant_id', 'user_id', 'sha256'])
      .where(sql.ref('external_id'), 'is', null)
      .execute();
    await db.schema
      .createIndex('document_uploads_by_document')
      .on('document_uploads')
      .column('document_id')
      .execute();
    await db.schema
      .createIndex('document_uploads_due')
      .on('document_uploads')
      .columns(['status', 'tenant_id', 'created_at'])
      .execute();
    await db.schema
      .createTable('document_upload_vectors')
      .addColumn('upload_id', 'text', (c) =>
        c.notNull().references('document_uploads.id').onDelete('cascade'),
      )
      .addColumn('batch', t.int, (c) => c.notNull())
      .addColumn('digest', 'text', (c) => c.notNull())
      .addColumn('vectors', t.blob, (c) => c.notNull())
      .addPrimaryKeyConstraint('document_upload_vectors_pk', ['upload_id', 'batch'])
      .execute();
    if (t.dialect === 'postgres')
      await raiseWalls(db, [
        ofTenant('document_uploads'),
        ofParent('document_upload_vectors', { table: 'document_uploads', column: 'upload_id' }),
      ]);
  },
};
