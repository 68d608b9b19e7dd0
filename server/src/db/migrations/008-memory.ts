import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

export const memory: SchemaStep = {
  name: '008-memory',
  async up(db, t) {
    await db.schema
      .createTable('memory_entities')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('owner', 'text', (c) => c.notNull())
      .addColumn('created_by', 'text')
      .addColumn('subject_user_id', 'text')
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('name_folded', 'text', (c) => c.notNull())
      .addColumn('entity_type', 'text', (c) => c.notNull())
      .addColumn('type_folded', 'text', (c) => c.notNull())
      .addColumn('source_kind', 'text', (c) => c.notNull())
      .addColumn('importance', t.real, (c) => c.notNull())
      .addColumn('used_count', t.int, (c) => c.notNull())
      .addColumn('used_at', t.int, (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('updated_at', t.int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('memory_entities_name')
      .on('memory_entities')
      .columns(['tenant_id', 'owner', 'name_folded', 'type_folded'])
      .unique()
      .execute();
    await db.schema
      .createIndex('memory_entities_age')
      .on('memory_entities')
      .columns(['tenant_id', 'owner', 'created_at', 'id'])
      .execute();
    await sql`create unique index memory_entities_self on memory_entities (tenant_id, subject_user_id)
      where subject_user_id is not null`.execute(db);

    await db.schema
      .createTable('memory_observations')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('entity_id', 'text', (c) => c.notNull().references('memory_entities.id').onDelete('cascade'))
      .addColumn('user_id', 'text', (c) => c.notNull())
      .addColumn('text', 'text', (c) => c.notNull())
      .addColumn('text_folded', 'text', (c) => c.notNull())
      .addColumn('text_key', 'text', (c) => c.notNull())
      .addColumn('attribute', 'text')
      .addColumn('category', 'text', (c) => c.notNull())
      .addColumn('source_kind', 'text', (c) => c.notNull())
      .addColumn('message_id', 'text')
      .addColumn('conversation_id', 'text')
      .addColumn('embedding', t.blob)
      .addColumn('embedding_model', 'text')
      .addColumn('valid_from', t.int, (c) => c.notNull())
      .addColumn('valid_to', t.int)
      .addColumn('created_at', t.int, (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('memory_observations_entity')
      .on('memory_observations')
      .columns(['entity_id', 'created_at', 'id'])
      .execute();
    await db.schema
      .createIndex('memory_observations_user')
      .on('memory_observations')
      .columns(['tenant_id', 'user_id'])
      .execute();
    // The text itself would not fit into an index row of PostgreSQL, hence its hash.
    await sql`create unique index memory_observations_once on memory_observations (entity_id, user_id, text_key)
      where valid_to is null`.execute(db);

    await db.schema
      .createTable('memory_relations')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('owner', 'text', (c) => c.notNull())
      .addColumn('created_by', 'text')
      .addColumn('from_entity_id', 'text', (c) =>
        c.notNull().references('memory_entities.id').onDelete('cascade'),
      )
      .addColumn('to_entity_id', 'text', (c) =>
        c.notNull().references('memory_entities.id').onDelete('cascade'),
      )
      .addColumn('relation_type', 'text', (c) => c.notNull())
      .addColumn('type_folded', 'text', (c) => c.notNull())
      .addColumn('properties', 'text', (c) => c.notNull())
      .addColumn('source_kind', 'text', (c) => c.notNull())
      .addColumn('message_id', 'text')
      .addColumn('conversation_id', 'text')
      .addColumn('valid_from', t.int, (c) => c.notNull())
      .addColumn('valid_to', t.int)
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('updated_at', t.int, (c) => c.notNull())
      .execute();
    await sql`create unique index memory_relations_once
      on memory_relations (owner, from_entity_id, to_entity_id, type_folded) where valid_to is null`.execute(
      db,
    );
    await db.schema
      .createIndex('memory_relations_age')
      .on('memory_relations')
      .columns(['tenant_id', 'owner', 'created_at', 'id'])
      .execute();
    await db.schema
      .createIndex('memory_relations_from')
      .on('memory_relations')
      .column('from_entity_id')
      .execute();
    await db.schema
      .createIndex('memory_relations_to')
      .on('memory_relations')
      .column('to_entity_id')
      .execute();
  },
};
