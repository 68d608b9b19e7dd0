import { setTimeout as delay } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate, type SchemaStep } from '../../src/db/migrate.ts';
import { openPostgres } from '../../src/db/open.ts';
import { StartRefused } from '../../src/db/refusal.ts';
import { req } from '../requirements.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/** The schema under several hands, and under the hands of one that dies. */

describe('migrations on PostgreSQL', () => {
  let database: { url: string; drop(): Promise<void> };
  const opened: Kysely<unknown>[] = [];
  beforeEach(async () => {
    database = await newDatabase(postgresServer ?? '');
  });
  afterEach(async () => {
    for (const db of opened.splice(0)) await db.destroy();
    await database.drop();
  });
  const connect = (): Kysely<unknown> => {
    const pool = new pg.Pool({ connectionString: database.url, max: 2 });
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    opened.push(db);
    return db;
  };
  const steps = (pauseS: number): SchemaStep[] => [
    {
      name: '001-first',
      up: async (db) => {
        await sql`create table ran (step text not null)`.execute(db);
        await sql`insert into ran values ('first')`.execute(db);
      },
    },
    {
      name: '002-slow',
      up: async (db) => {
        await sql`insert into ran values ('slow')`.execute(db);
        await sql`select pg_sleep(${pauseS}) /* slow step */`.execute(db);
      },
    },
  ];
  const ran = async (db: Kysely<unknown>): Promise<string[]> =>
    (await sql<{ step: string }>`select step from ran order by step`.execute(db)).rows.map((row) => row.step);
  const sleeping = async (db: Kysely<unknown>): Promise<number[]> =>
    (
      await sql<{ pid: number }>`
        select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and query like '%slow step%' and state = 'active'`.execute(db)
    ).rows.map((row) => row.pid);

  it(req('CLU-15', 'of nodes that start together one migrates and the others wait for it'), async () => {
    const nodes = [connect(), connect(), connect()];
    await Promise.all(nodes.map((db) => migrate(db, 'postgres', steps(0.5))));
    expect(await ran(connect())).toEqual(['first', 'slow']);
  });

  it(
    req('CLU-15', 'a node that dies in mid-step leaves nothing half done, and the next one goes on'),
    async () => {
      const watcher = connect();
      const dying = migrate(connect(), 'postgres', steps(60)).then(
        () => 'done',
        () => 'died',
      );
      let pids: number[] = [];
      while (pids.length === 0) {
        pids = await sleeping(watcher);
        await delay(20);
      }
      const waiting = migrate(connect(), 'postgres', steps(0));
      for (const pid of pids) await sql`select pg_terminate_backend(${pid})`.execute(watcher);
      expect(await dying).toBe('died');
      await waiting;
      expect(await ran(watcher)).toEqual(['first', 'slow']);
    },
  );

  it(req('CLU-15', 'an older release refuses a newer schema, and changes nothing'), async () => {
    await (await openPostgres({ url: database.url, maxConnections: 2 })).close();
    const db = connect();
    await sql`insert into kysely_migration (name, timestamp) values ('999-of-tomorrow', '2030-01-01')`.execute(
      db,
    );
    const refused = openPostgres({ url: database.url, maxConnections: 2 });
    await expect(refused).rejects.toBeInstanceOf(StartRefused);
    await expect(refused).rejects.toThrow(/of a newer release.*999-of-tomorrow/);
  });
});
