import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Db } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/open.ts';
import { acrossTenants, withinTenant } from '../../src/db/scope.ts';
import { createPostgresIndex } from '../../src/features/knowledge/index-postgres.store.ts';
import { req } from '../requirements.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/** The second wall on PostgreSQL: what is left of the tenants' separation where a statement has lost its filter. */

const AT = 1_700_000_000_000;

const addTenant = (db: Db, id: string): Promise<void> =>
  acrossTenants(() =>
    db.write(async (tx) => {
      const base = { created_at: AT, updated_at: AT };
      await tx
        .insertInto('tenants')
        .values({
          ...base,
          id,
          slug: id,
          name: id,
          tier: 'free',
          status: 'active',
          settings: '{}',
          external_id: null,
        })
        .execute();
      await tx
        .insertInto('conversations')
        .values({
          ...base,
          id: `conversation of ${id}`,
          tenant_id: id,
          user_id: `user of ${id}`,
          title: 'secret',
          status: 'active',
          metadata: '{}',
          agent_ids: '[]',
          message_count: 0,
          cost_nano: 0,
          archived_at: null,
          branched: 0,
        })
        .execute();
      await tx
        .insertInto('conversation_summaries')
        .values({
          conversation_id: `conversation of ${id}`,
          upto_id: 'x',
          upto_created_at: AT,
          message_count: 1,
          model: 'builtin',
          content: 'secret',
          created_at: AT,
        })
        .execute();
    }),
  );

/** A user of the server for one test: `attributes` as CREATE ROLE takes them. */
const newLogin = async (
  database: { url: string },
  attributes: string,
): Promise<{ url: string; drop(): Promise<void> }> => {
  const name = `login_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  const base = new URL(database.url).pathname.slice(1);
  await owner.query('create extension if not exists vector');
  await owner.query(`create role ${name} login ${attributes}`);
  await owner.query(`grant all on database ${base} to ${name}; grant all on schema public to ${name}`);
  const url = new URL(database.url);
  url.username = name;
  return {
    url: url.href,
    async drop() {
      await owner.query(`drop owned by ${name} cascade; drop role ${name}`);
      await owner.end();
    },
  };
};

for (const [who, attributes] of [
  ['a superuser, whose connections become a plain role', 'superuser'],
  ['a plain user, who owns the tables', 'nosuperuser'],
] as const) {
  describe(`row-level security for ${who}`, () => {
    let database: { url: string; drop(): Promise<void> };
    let login: { url: string; drop(): Promise<void> };
    let db: Db;
    const gaps: string[] = [];
    beforeAll(async () => {
      database = await newDatabase(postgresServer ?? '');
      login = await newLogin(database, attributes);
      db = await openPostgres({ url: login.url, maxConnections: 3, onGap: (gap) => gaps.push(gap) });
      for (const id of ['ours', 'theirs']) await addTenant(db, id);
    });
    afterAll(async () => {
      await db?.close();
      await login?.drop();
      await database?.drop();
    });

    /** Without any filter of the application's. */
    const seen = async (): Promise<string[]> => {
      const rows = await db.read
        .selectFrom('conversations')
        .select('tenant_id')
        .orderBy('tenant_id')
        .execute();
      return rows.map((row) => row.tenant_id);
    };

    it(req('CLU-17', 'a query without its filter sees the rows of its own tenant alone'), async () => {
      expect(gaps).toEqual([]);
      expect(await withinTenant('ours', seen)).toEqual(['ours']);
      expect(await withinTenant('theirs', seen)).toEqual(['theirs']);
      expect(await acrossTenants(seen)).toEqual(['ours', 'theirs']);
      const slugs = () => db.read.selectFrom('tenants').select('slug').execute();
      expect(await withinTenant('ours', slugs)).toEqual([{ slug: 'ours' }]);
      const summaries = () =>
        db.read.selectFrom('conversation_summaries').select('conversation_id').execute();
      expect(await withinTenant('theirs', summaries)).toEqual([
        { conversation_id: 'conversation of theirs' },
      ]);
    });

    it(req('CLU-17', 'work in no scope sees nothing and writes nothing'), async () => {
      expect(await seen()).toEqual([]);
      const insert = db.write((tx) =>
        tx
          .insertInto('agent_settings')
          .values({
            tenant_id: 'ours',
            agent_id: 'zeus',
            enabled: 1,
            model: null,
            instructions: null,
            all_tools: 0,
            updated_at: AT,
          })
          .execute(),
      );
      await expect(insert).rejects.toThrow(/row-level security/);
    });

    it(req('CLU-17', 'nothing foreign is changed, deleted or written'), async () => {
      await withinTenant('ours', async () => {
        const renamed = await db.write((tx) =>
          tx.updateTable('conversations').set({ title: 'taken' }).executeTakeFirst(),
        );
        expect(renamed.numUpdatedRows).toBe(1n);
        const moved = db.write((tx) =>
          tx.updateTable('conversations').set({ tenant_id: 'theirs' }).execute(),
        );
        await expect(moved).rejects.toThrow(/row-level security/);
        const removed = await db.write((tx) =>
          tx.deleteFrom('conversations').where('tenant_id', '=', 'theirs').executeTakeFirst(),
        );
        expect(removed.numDeletedRows).toBe(0n);
      });
      expect(await acrossTenants(seen)).toEqual(['ours', 'theirs']);
      const titles = () =>
        db.read.selectFrom('conversations').select('title').where('tenant_id', '=', 'theirs').execute();
      expect(await acrossTenants(titles)).toEqual([{ title: 'secret' }]);
    });

    it(req('CLU-17', 'connections that go from hand to hand take nothing along'), async () => {
      // Far more at once than there are connections, in every order, transactions that fail among them.
      const work = (n: number): Promise<string[]> => {
        const tenant = n % 2 === 0 ? 'ours' : 'theirs';
        if (n % 5 === 0) {
          return withinTenant(tenant, () =>
            db
              .write(async (tx) => {
                await sql`select 1 / 0`.execute(tx);
                return ['never'];
              })
              .catch(() => [tenant]),
          );
        }
        if (n % 7 === 0) {
          return withinTenant(tenant, () =>
            db.write(async (tx) => {
              const rows = await tx.selectFrom('conversations').select('tenant_id').execute();
              return rows.map((row) => row.tenant_id);
            }),
          );
        }
        return withinTenant(tenant, seen);
      };
      const results = await Promise.all(Array.from({ length: 300 }, (_, n) => work(n)));
      for (const [n, result] of results.entries()) {
        expect(result).toEqual([n % 2 === 0 ? 'ours' : 'theirs']);
      }
    });

    it(
      req('CLU-17', 'every table with a tenant’s id has a policy that its owner cannot go round'),
      async () => {
        // A table that a model of embeddings brings along is among them.
        const index = await createPostgresIndex(db);
        await acrossTenants(() => db.write((tx) => index.prepare(tx, { n: 7, id: 'test', dimensions: 8 })));
        const { rows } = await acrossTenants(() =>
          sql<{ name: string; walled: boolean }>`
          select c.relname as name, c.relrowsecurity and c.relforcerowsecurity
            and exists (select 1 from pg_policy p where p.polrelid = c.oid) as walled
          from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
            and (c.relname = 'tenants' or exists (select 1 from pg_attribute a
              where a.attrelid = c.oid and a.attname = 'tenant_id' and not a.attisdropped))`.execute(db.read),
        );
        expect(rows.map((row) => row.name)).toContain('vectors_7');
        expect(rows.length).toBeGreaterThan(30);
        expect(rows.filter((row) => !row.walled).map((row) => row.name)).toEqual([]);
      },
    );
  });
}

describe('a user that goes round row-level security', () => {
  it(req('CLU-17', 'is told so, with what to do'), async () => {
    const database = await newDatabase(postgresServer ?? '');
    const login = await newLogin(database, 'bypassrls');
    const gaps: string[] = [];
    const db = await openPostgres({ url: login.url, maxConnections: 2, onGap: (gap) => gaps.push(gap) });
    await db.close();
    expect(gaps.join()).toMatch(
      /goes round row-level security \(BYPASSRLS\): alter role login_\S+ nobypassrls/,
    );
    await login.drop();
    await database.drop();
  });
});
