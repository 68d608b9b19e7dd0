import type { SchemaStep } from '../migrate.ts';
import { ofTenant, raiseWalls } from './row-security.ts';

/** Words that were recognised on pages of a tenant's files, so that no page is recognised twice. */
export const recognizedPages: SchemaStep = {
  name: '116-recognized-pages',
  async up(db, t) {
    await db.schema
      .createTable('recognized_pages')
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('sha256', 'text', (c) => c.notNull())
      .addColumn('settings', 'text', (c) => c.notNull())
      .addColumn('page', t.int, (c) => c.notNull())
      .addColumn('text', 'text', (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addPrimaryKeyConstraint('recognized_pages_pk', ['tenant_id', 'sha256', 'settings', 'page'])
      .execute();
    if (t.dialect === 'postgres') await raiseWalls(db, [ofTenant('recognized_pages')]);
  },
};
