import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chainMessages } from '../src/db/message-chain.ts';
import { migrate } from '../src/db/migrate.ts';
import { migrations } from '../src/db/migrations/index.ts';
import { openSqliteFile } from '../src/db/open.ts';
import { SqliteConnection, sqliteDialect } from '../src/db/sqlite/driver.ts';
import { QUEUED_FROM } from '../src/features/conversations/index.ts';
import { req } from './requirements.ts';
import { newDatabase, postgresServer } from './support/stores.ts';

/** What the step that makes messages a tree does to conversations that stand already, and to rows of nodes of the release before. */

type Database = Kysely<unknown>;
interface Opened {
  db: Database;
  close(): Promise<void>;
}

const openSqlite = async (): Promise<Opened> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-tree-'));
  const file = openSqliteFile(path.join(folder, 'p.sqlite'), { readOnly: false, synchronous: 'normal' });
  return {
    db: new Kysely<unknown>({ dialect: sqliteDialect(new SqliteConnection(file)) }),
    async close() {
      file.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

const openPostgres = (server: string) => async (): Promise<Opened> => {
  const database = await newDatabase(server);
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    client
      .query("create extension if not exists vector; select set_config('app.tenant', '*', false)")
      .catch(() => {});
  });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  return {
    db,
    async close() {
      await db.destroy();
      await database.drop();
    },
  };
};

const engines = [
  { name: 'sqlite' as const, open: openSqlite },
  ...(postgresServer === undefined
    ? []
    : [{ name: 'postgres' as const, open: openPostgres(postgresServer) }]),
];

const STEP = migrations.findIndex((step) => step.name === '091-message-tree');

interface Row {
  id: string;
  parent_id: string | null;
  active: number;
}

describe.each(engines)('the step to a tree on $name', ({ name, open }) => {
  let opened: Opened;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened.close());

  /** As a release of before writes them: without the columns of the tree. */
  const conversation = (id: string) =>
    sql`insert into conversations (id, tenant_id, user_id, status, metadata, agent_ids, message_count, cost_nano, created_at, updated_at)
      values (${id}, 't', 'u', 'active', '{}', '[]', 0, 0, 1, 1)`.execute(opened.db);
  const message = (id: string, of: string, createdAt: number) =>
    sql`insert into messages (id, tenant_id, user_id, conversation_id, role, content, cost_nano, created_at)
      values (${id}, 't', 'u', ${of}, 'user', 'x', 0, ${createdAt})`.execute(opened.db);
  const rows = async (): Promise<Row[]> => {
    const found = await sql<Row>`select id, parent_id, active from messages order by id`.execute(opened.db);
    return found.rows.map((row) => ({ ...row, active: Number(row.active) }));
  };

  it(
    req('TREE-08', 'makes a chain of each conversation; what waits for its turn is linked then'),
    async () => {
      await migrate(opened.db, name, migrations.slice(0, STEP));
      await conversation('c1');
      await conversation('c2');
      await message('a', 'c1', 10);
      await message('b', 'c2', 11);
      await message('d', 'c1', 12);
      await message('c', 'c1', 12);
      await message('e', 'c1', QUEUED_FROM + 5);
      await migrate(opened.db, name, migrations);
      expect(await rows()).toEqual([
        { id: 'a', parent_id: null, active: 1 },
        { id: 'b', parent_id: null, active: 1 },
        { id: 'c', parent_id: 'a', active: 1 },
        { id: 'd', parent_id: 'c', active: 1 },
        { id: 'e', parent_id: null, active: 2 },
      ]);
    },
  );

  it(
    req('TREE-08', 'chains what an archive of the release before brings into a store of this one'),
    async () => {
      await migrate(opened.db, name, migrations);
      await conversation('c1');
      // Not in their order, and without what PostgreSQL links by itself.
      if (name === 'postgres')
        await sql`alter table messages disable trigger messages_link_new`.execute(opened.db);
      await message('b', 'c1', 11);
      await message('a', 'c1', 10);
      await message('c', 'c1', QUEUED_FROM + 5);
      await sql.raw(chainMessages("tenant_id = 'other'")).execute(opened.db);
      expect((await rows()).map((row) => row.active)).toEqual([2, 2, 2]);
      await sql.raw(chainMessages("tenant_id = 't'")).execute(opened.db);
      expect(await rows()).toEqual([
        { id: 'a', parent_id: null, active: 1 },
        { id: 'b', parent_id: 'a', active: 1 },
        { id: 'c', parent_id: null, active: 2 },
      ]);
    },
  );

  // Nodes of two releases share a store on PostgreSQL alone.
  it.runIf(name === 'postgres')(
    req('TREE-08', 'a row of a node of the release before follows the last one of the active branch'),
    async () => {
      await migrate(opened.db, name, migrations);
      await conversation('c1');
      await message('a', 'c1', 10);
      await message('b', 'c1', 11);
      await message('d', 'c1', QUEUED_FROM + 5);
      await sql`insert into messages (id, tenant_id, user_id, conversation_id, role, content, cost_nano, created_at, parent_id, active)
        values ('bb', 't', 'u', 'c1', 'user', 'x', 0, 12, 'a', 0)`.execute(opened.db);
      await message('c', 'c1', 13);
      await sql`update messages set created_at = 14 where id = 'd'`.execute(opened.db);
      expect(await rows()).toEqual([
        { id: 'a', parent_id: null, active: 1 },
        { id: 'b', parent_id: 'a', active: 1 },
        { id: 'bb', parent_id: 'a', active: 0 },
        { id: 'c', parent_id: 'b', active: 1 },
        { id: 'd', parent_id: 'c', active: 1 },
      ]);
    },
  );
});
