import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

/**
 * Documents, their chunks and the full-text index. Vector tables are made by the feature (`vectors_<n>`, one for each
 * embedding model), since their width is the model's.
 */
export const knowledge: SchemaStep = {
  name: '005-knowledge',
  async up(db, t) {
    const sqlite = t.dialect === 'sqlite';
    await db.schema
      .createTable('documents')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('status', 'text', (c) => c.notNull())
      .addColumn('title', 'text', (c) => c.notNull())
      .addColumn('filename', 'text')
      .addColumn('content_type', 'text', (c) => c.notNull())
      .addColumn('size_bytes', t.int, (c) => c.notNull())
      .addColumn('sha256', 'text', (c) => c.notNull())
      .addColumn('language', 'text')
      .addColumn('page_count', t.int)
      .addColumn('chunk_count', t.int, (c) => c.notNull())
      .addColumn('visibility', 'text', (c) => c.notNull())
      .addColumn('metadata', 'text', (c) => c.notNull())
      .addColumn('folded_name', 'text', (c) => c.notNull())
      .addColumn('model_n', t.int, (c) => c.notNull())
      .addColumn('chunking_version', t.int, (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('indexed_at', t.int)
      // Last, so that lists need not read past it.
      .addColumn('text', 'text', (c) => c.notNull())
      .execute();
    // What is on its way out does not keep the same bytes from coming again.
    await sql`create unique index documents_by_bytes on documents (tenant_id, user_id, sha256) where status <> 'deleting'`.execute(
      db,
    );
    await sql`create index documents_unsettled on documents (status) where status <> 'ready'`.execute(db);
    await db.schema
      .createIndex('documents_by_tenant')
      .on('documents')
      .columns(['tenant_id', 'created_at', 'id'])
      .execute();
    await db.schema
      .createIndex('documents_by_user')
      .on('documents')
      .columns(['tenant_id', 'user_id', 'created_at', 'id'])
      .execute();

    await db.schema
      .createTable('document_facts')
      .addColumn('document_id', 'text', (c) => c.notNull().references('documents.id').onDelete('cascade'))
      .addColumn('key', 'text', (c) => c.notNull())
      .addColumn('value', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('document_facts_key', ['document_id', 'key', 'value'])
      .execute();

    await db.schema
      .createTable('chunks')
      .addColumn('seq', sqlite ? 'integer' : 'bigserial', (c) =>
        sqlite ? c.primaryKey().autoIncrement() : c.primaryKey(),
      )
      .addColumn('id', 'text', (c) => c.notNull().unique())
      .addColumn('document_id', 'text', (c) => c.notNull().references('documents.id'))
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('ordinal', t.int, (c) => c.notNull())
      .addColumn('start_offset', t.int, (c) => c.notNull())
      .addColumn('end_offset', t.int, (c) => c.notNull())
      .addColumn('page', t.int)
      .addColumn('heading_path', 'text', (c) => c.notNull())
      .addColumn('table_head', 'text')
      .addColumn('text', 'text', (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('chunks_by_document')
      .on('chunks')
      .columns(['document_id', 'ordinal'])
      .unique()
      .execute();

    await db.schema
      .createTable('embedding_models')
      .addColumn('n', t.int, (c) => c.primaryKey())
      .addColumn('id', 'text', (c) => c.notNull())
      .addColumn('dimensions', t.int, (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addUniqueConstraint('embedding_models_key', ['id', 'dimensions'])
      .execute();

    if (sqlite) {
      // `scope` holds tokens of tenant and readers, so that access is settled inside the index; it does not rank. A word
      // of the title counts twice (docs/knowledge.md has the measurement).
      await sql`create virtual table chunk_terms using fts5(
        scope, title, body, content = '', contentless_delete = 1,
        tokenize = "porter unicode61 remove_diacritics 0 categories 'L* N* Co Mn Mc'"
      )`.execute(db);
      await sql`insert into chunk_terms(chunk_terms, rank) values ('rank', 'bm25(0.0, 2.0, 1.0)')`.execute(
        db,
      );
    } else {
      await sql`create table chunk_terms (
        seq bigint primary key references chunks (seq) on delete cascade, terms tsvector not null,
        length integer not null
      )`.execute(db);
      await sql`create index chunk_terms_gin on chunk_terms using gin (terms)`.execute(db);
    }
  },
};
