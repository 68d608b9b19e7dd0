import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { pgvectorBinaries } from '../support/pgvector.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { startServer } from '../support/server.ts';

/** What the compose file has its PostgreSQL run, and what the server can do with the role that comes of it. */

const SCRIPT = path.join(import.meta.dirname, '../../../deploy/postgres-init.sql');
// Other suites' PostgreSQL has the role pentarch as its superuser.
const ROLE = 'keeper';

let postgres: TestPostgres;
let admin: string;
beforeAll(async () => {
  const bin = pgvectorBinaries();
  if (bin === null) throw new Error('no PostgreSQL with pgvector here: see server/test/support/pgvector.ts');
  postgres = await startPostgres(bin);
  admin = await postgres.freshUrl();
  await query(admin, `alter role current_user password 'of the first start'`);
  execFileSync(path.join(bin, 'psql'), ['--no-psqlrc', '--quiet', admin], {
    input: readFileSync(SCRIPT, 'utf8').replaceAll(/\bpentarch\b/g, ROLE),
    env: { ...process.env, PENTARCH_PASSWORD: "it's a secret" },
  });
});
afterAll(() => postgres?.stop());

const query = async (url: string, text: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
};

describe(req('OPS-18', 'the database of the compose file'), () => {
  it('belongs to a role without any power beyond it', async () => {
    const [role] = await query(
      admin,
      `select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls, rolcanlogin from pg_roles where rolname = '${ROLE}'`,
    );
    expect(role).toEqual({
      rolsuper: false,
      rolcreatedb: false,
      rolcreaterole: false,
      rolreplication: false,
      rolbypassrls: false,
      rolcanlogin: true,
    });
    const [stored] = await query(admin, `select rolpassword from pg_authid where rolname = '${ROLE}'`);
    expect(stored?.rolpassword).toMatch(/^SCRAM-SHA-256\$/);
    expect(await query(admin, 'select rolpassword from pg_authid where rolname = current_user')).toEqual([
      { rolpassword: null },
    ]);
  });

  it('is enough for the server: it starts, answers, and searches', async () => {
    const url = new URL(admin);
    url.username = ROLE;
    url.pathname = `/${ROLE}`;
    const server = await startServer({ env: { DATABASE_URL: url.href } });
    try {
      const client = await server.signIn();
      const note = { title: 'Note', content: 'The horn sounds every 40 seconds.' };
      expect((await client.post('/api/v1/knowledge/documents', note)).status).toBe(201);
      const found = await client.post('/api/v1/knowledge/search', { query: 'horn' });
      expect([found.status, found.text]).toEqual([200, expect.stringContaining('40 seconds')]);
      expect(server.stderr()).not.toContain('row-level security does not stand');
    } finally {
      await server.close();
    }
  });
});
