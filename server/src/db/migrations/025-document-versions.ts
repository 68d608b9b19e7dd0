import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

/** Documents that are updated in place by a name of their source (`external_id`), and what each version was. */
export const documentVersions: SchemaStep = {
  name: '025-document-versions',
  async up(db, t) {
    await db.schema.alterTable('documents').addColumn('external_id', 'text').execute();
    await db.schema
      .alterTable('documents')
      .addColumn('version', t.int, (c) => c.notNull().defaultTo(1))
      .execute();
    if (t.dialect === 'sqlite') {
      // The text stays the last column, so that lists need not read past it.
      await sql`alter table documents rename column text to earlier_text`.execute(db);
      await sql`alter table documents add column text text not null default ''`.execute(db);
      await sql`update documents set text = earlier_text`.execute(db);
      await sql`alter table documents drop column earlier_text`.execute(db);
    }
    await db.schema
      .createTable('document_versions')
      .addColumn('document_id', 'text', (c) => c.notNull().references('documents.id').onDelete('cascade'))
      .addColumn('version', t.int, (c) => c.notNull())
      .addColumn('title', 'text', (c) => c.notNull())
      .addColumn('sha256', 'text', (c) => c.notNull())
      .addColumn('size_bytes', t.int, (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addPrimaryKeyConstraint('document_versions_key', ['document_id', 'version'])
      .execute();
    await sql`insert into document_versions (document_id, version, title, sha256, size_bytes, created_at)
      select id, 1, title, sha256, size_bytes, created_at from documents`.execute(db);
    // Two records of a source may have the same bytes.
    await sql`drop index documents_by_bytes`.execute(db);
    await sql`create unique index documents_by_bytes on documents (tenant_id, user_id, sha256, coalesce(external_id, ''))
      where status <> 'deleting'`.execute(db);
    await sql`create unique index documents_by_external_id on documents (tenant_id, user_id, external_id)
      where status <> 'deleting' and external_id is not null`.execute(db);
  },
};
