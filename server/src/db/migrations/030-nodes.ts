import type { SchemaStep } from '../migrate.ts';

/**
 * Who is alive, and whose work is whose: a run and a claimed idempotency key belong to a node, and are taken over once it
 * has no row in `nodes`. Document bytes stand in the store where several nodes share it.
 */
export const nodes: SchemaStep = {
  name: '030-nodes',
  async up(db, t) {
    await db.schema
      .createTable('nodes')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('version', 'text', (c) => c.notNull())
      .addColumn('started_at', t.int, (c) => c.notNull())
      .addColumn('seen_at', t.int, (c) => c.notNull())
      .execute();
    await db.schema.alterTable('runs').addColumn('node_id', 'text').execute();
    await db.schema.alterTable('idempotency_keys').addColumn('node_id', 'text').execute();
    await db.schema
      .createTable('blobs')
      .addColumn('key', 'text', (c) => c.primaryKey())
      .addColumn('staged_at', t.int)
      .addColumn('bytes', t.blob, (c) => c.notNull())
      .execute();
    await db.schema
      .createTable('platform')
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('value', 'text', (c) => c.notNull())
      .execute();
  },
};
