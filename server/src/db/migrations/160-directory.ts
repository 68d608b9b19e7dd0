import type { SchemaStep } from '../migrate.ts';
import { ofTenant, raiseWalls } from './row-security.ts';

/**
 * People and groups as a company's directory (SCIM) names them. A person of the directory has an id of its own: the account
 * behind it may become another one, when somebody signs in whom the identity provider had brought here before.
 */
export const directory: SchemaStep = {
  name: '160-directory',
  async up(db, t) {
    await db.schema
      .createTable('directory_people')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('user_id', 'text', (c) => c.notNull().unique().references('users.id').onDelete('cascade'))
      .addColumn('user_name', 'text', (c) => c.notNull())
      .addColumn('user_name_folded', 'text', (c) => c.notNull())
      .addColumn('external_id', 'text')
      .addColumn('active', 'integer', (c) => c.notNull())
      .addColumn('attributes', 'text', (c) => c.notNull())
      .addColumn('version', t.int, (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('updated_at', t.int, (c) => c.notNull())
      .addUniqueConstraint('directory_people_name', ['tenant_id', 'user_name_folded'])
      .execute();
    await db.schema
      .createIndex('directory_people_by_external_id')
      .on('directory_people')
      .columns(['tenant_id', 'external_id'])
      .execute();
    await db.schema
      .createTable('directory_groups')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('display_name', 'text', (c) => c.notNull())
      .addColumn('name_folded', 'text', (c) => c.notNull())
      .addColumn('external_id', 'text')
      .addColumn('roles', 'text', (c) => c.notNull())
      .addColumn('version', t.int, (c) => c.notNull())
      .addColumn('created_at', t.int, (c) => c.notNull())
      .addColumn('updated_at', t.int, (c) => c.notNull())
      .addUniqueConstraint('directory_groups_name', ['tenant_id', 'name_folded'])
      .execute();
    await db.schema
      .createTable('directory_members')
      .addColumn('tenant_id', 'text', (c) => c.notNull())
      .addColumn('group_id', 'text', (c) => c.notNull().references('directory_groups.id').onDelete('cascade'))
      .addColumn('person_id', 'text', (c) =>
        c.notNull().references('directory_people.id').onDelete('cascade'),
      )
      .addPrimaryKeyConstraint('directory_members_key', ['group_id', 'person_id'])
      .execute();
    await db.schema
      .createIndex('directory_members_by_person')
      .on('directory_members')
      .column('person_id')
      .execute();
    if (t.dialect === 'postgres')
      await raiseWalls(db, [
        ofTenant('directory_people'),
        ofTenant('directory_groups'),
        ofTenant('directory_members'),
      ]);
  },
};
