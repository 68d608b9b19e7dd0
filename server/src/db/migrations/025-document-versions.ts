import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

/**
 * Documents that are updated in place by a name of their source (`external_id`), what each version was, and documents
 * that some roles may read. Chunks have a generation, so that another text takes the place of one in a single step.
 */
export const documentVersions: SchemaStep = {
  name: '025-document-versions',
  async up(db, t) {
    await db.schema.alterTable('documents').addColumn('external_id', 'text').execute();
    await db.schema
      .alterTable('documents')
      .addColumn('version', t.int, (c) => c.notNull().defaultTo(1))
      .execute();
    await db.schema
      .alterTable('documents')
      .addColumn('generation', t.int, (c) => c.notNull().defaultTo(1))
      .execute();
    await db.schema
      .alterTable('documents')
      .addColumn('reader_roles', t.int, (c) => c.notNull().defaultTo(0))
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
    await sql`create index documents_by_roles on documents (tenant_id, user_id, reader_roles) where visibility = 'role'`.execute(
      db,
    );
    // Which models are in use is asked with each search while documents are indexed anew.
    await db.schema.createIndex('documents_by_model').on('documents').column('model_n').execute();
    await db.schema
      .alterTable('chunks')
      .addColumn('generation', t.int, (c) => c.notNull().defaultTo(1))
      .execute();
    await sql`drop index chunks_by_document`.execute(db);
    await db.schema
      .createIndex('chunks_by_document')
      .on('chunks')
      .columns(['document_id', 'generation', 'ordinal'])
      .unique()
      .execute();
    await db.schema
      .createTable('hidden_generations')
      .addColumn('document_id', 'text', (c) => c.notNull().references('documents.id').onDelete('cascade'))
      .addColumn('generation', t.int, (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addPrimaryKeyConstraint('hidden_generations_key', ['document_id', 'generation'])
      .execute();
    await sql`insert into hidden_generations (document_id, generation, created_at)
      select id, 1, created_at from documents where status <> 'ready'`.execute(db);
    // Two records of a source may have the same bytes.
    await sql`drop index documents_by_bytes`.execute(db);
    await sql`create unique index documents_by_bytes on documents (tenant_id, user_id, sha256, coalesce(external_id, ''))
      where status <> 'deleting'`.execute(db);
    await sql`create unique index documents_by_external_id on documents (tenant_id, user_id, external_id)
      where status <> 'deleting' and external_id is not null`.execute(db);
  },
};
