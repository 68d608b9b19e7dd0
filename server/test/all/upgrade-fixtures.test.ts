import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { redisServer, startProcess, type TestServer } from '../support/server.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/**
 * What earlier releases have left, opened by this one; and a server of the newest of them at work beside it, from its own
 * sources out of the repository's history. scripts/make-upgrade-fixture.ts makes a fixture for each release.
 */
const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const FIXTURES = path.join(ROOT, 'server', 'test', 'fixtures', 'upgrade');
const names = readdirSync(FIXTURES).sort();

interface Facts {
  year: number;
  conversations: string[];
  documents: number;
  entities: number;
  webhooks: number;
  tasks: number;
  users: number;
  spent: { total_usd: number; requests: number; input_tokens: number };
}
interface About {
  commit: string;
  platform_key: string;
  sqlite: Facts;
  postgres: Facts;
}

const aboutOf = (name: string): About =>
  JSON.parse(readFileSync(path.join(FIXTURES, name, 'about.json'), 'utf8')) as About;

const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-upgrade-'));
const opened: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const each of opened.reverse()) await each.close();
  rmSync(folder, { recursive: true, force: true });
});
const serve = async (options: Parameters<typeof startProcess>[0]): Promise<TestServer> => {
  const server = await startProcess(options);
  opened.push(server);
  return server;
};

const spentIn = async (client: Client, year: number): Promise<Facts['spent']> =>
  (await client.get(`/api/v1/costs/usage?from=${year}-01-01&to=${year}-12-31&scope=tenant`)).json();

const holdsAll = async (client: Client, facts: Facts): Promise<void> => {
  const listed = async (list: string) => {
    const answer = await client.get(list);
    expect([list, answer.status]).toEqual([list, 200]);
    return answer.json<{ total: number; items: { id: string; title: string }[] }>();
  };
  const conversations = await listed('/api/v1/conversations');
  expect(conversations.items.map((one) => one.title).sort()).toEqual(facts.conversations);
  const [first] = conversations.items;
  const messages = await listed(`/api/v1/conversations/${first?.id}/messages`);
  expect(messages.items.length).toBeGreaterThan(1);
  expect((await listed('/api/v1/knowledge/documents')).total).toBe(facts.documents);
  expect((await listed('/api/v1/memory/entities')).total).toBe(facts.entities);
  expect((await listed('/v2/webhooks')).total).toBe(facts.webhooks);
  expect((await listed('/v2/tasks')).total).toBe(facts.tasks);
  expect((await listed('/v2/users')).total).toBe(facts.users);
  expect(await spentIn(client, facts.year)).toMatchObject(facts.spent);
  for (const query of ['polishing the brass lens', '番人']) {
    const found = await client.post('/api/v1/knowledge/search', { query });
    expect(found.text).toContain('every Tuesday');
  }
};

const chats = async (client: Client): Promise<void> => {
  const answer = await client.post('/api/v1/chat', { message: 'When is the lens polished?' });
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('Tuesday')]);
};

const proves = async (env: Record<string, string>): Promise<void> => {
  expect(await runCommand(['audit', 'verify'], env)).toMatchObject({
    code: 0,
    out: expect.stringContaining('0 broken'),
  });
  await expect
    .poll(() => runCommand(['costs', 'check'], env), { timeout: 120_000 })
    .toMatchObject({ code: 0, out: expect.stringMatching(/^ok {6}tenant/m) });
};

const databaseOf = async (name: string): Promise<string> => {
  if (postgresServer === undefined) throw new Error('PostgreSQL has not been started');
  const { url, drop } = await newDatabase(postgresServer);
  opened.push({ close: drop });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const dump = readFileSync(path.join(FIXTURES, name, 'postgres.sql.gz'));
  await client.query(gunzipSync(dump).toString('utf8'));
  await client.end();
  return url;
};

describe.each(names)(`what the release %s has left`, (name) => {
  const { platform_key: PLATFORM_KEY, sqlite, postgres } = aboutOf(name);

  it(req('OPS-23', 'its data folder is opened, and holds what it held'), async () => {
    const dataDir = path.join(folder, `${name}-sqlite`);
    mkdirSync(dataDir, { mode: 0o700 });
    execFileSync('tar', ['-xzf', path.join(FIXTURES, name, 'data.tar.gz'), '-C', dataDir]);
    const server = await serve({ dataDir, env: { DATABASE_URL: '', PLATFORM_KEY } });
    const client = await server.signIn();
    await holdsAll(client, sqlite);
    await chats(client);
    await proves({ DATA_DIR: dataDir, PLATFORM_KEY });
    const ada = await server.signIn('ada@example.com');
    expect((await ada.get('/v2/users/me')).status).toBe(200);
  }, 600_000);

  it(req('OPS-23', 'its database is opened, and holds what it held'), async () => {
    const DATABASE_URL = await databaseOf(name);
    const env = { DATABASE_URL, PLATFORM_KEY };
    const server = await serve({ env });
    const client = await server.signIn();
    await holdsAll(client, postgres);
    await chats(client);
    await proves({ ...env, DATA_DIR: server.dataDir });
    // What a step leaves out where a table has rows is made while the server runs.
    const store = new pg.Client({ connectionString: DATABASE_URL });
    await store.connect();
    const valid = async () =>
      (await store.query(`select indisvalid from pg_index where indexrelid = to_regclass('ledger_by_user')`))
        .rows;
    await expect.poll(valid, { timeout: 120_000 }).toEqual([{ indisvalid: true }]);
    await store.end();
  }, 600_000);
});

describe('a roll from the release before', () => {
  const name = names.at(-1) ?? '';
  const { commit, platform_key, postgres } = aboutOf(name);
  /** A shallow clone has no earlier sources. */
  const inHistory = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).status === 0;

  /** Its sources, with the modules of this one. */
  const checkout = (): string => {
    const place = path.join(folder, 'before');
    mkdirSync(path.join(place, 'server'), { recursive: true });
    const files = execFileSync('git', ['archive', commit, 'package.json', 'api', 'server'], {
      cwd: ROOT,
      maxBuffer: 1 << 29,
    });
    execFileSync('tar', ['-x', '-C', place], { input: files });
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(place, 'node_modules'));
    return path.join(place, 'server', 'src', 'main.ts');
  };

  it.runIf(inHistory)(
    req(['OPS-23', 'CLU-19'], 'its server works beside this one, and what both write is whole'),
    async () => {
      const env = {
        DATABASE_URL: await databaseOf(name),
        REDIS_URL: redisServer ?? '',
        PLATFORM_KEY: platform_key,
        PUBLIC_URL: 'http://pentarch.test',
      };
      const before = await serve({ program: checkout(), env });
      const old = await before.signIn();
      await holdsAll(old, postgres);
      const after = await serve({ env });
      const fresh = await after.signIn();
      // The one that came first has not noticed; what one of them writes, the other reads.
      for (let n = 0; n < 3; n++) {
        await chats(old);
        await chats(fresh);
      }
      const titles = async (client: Client) =>
        (await client.get('/api/v1/conversations?limit=100'))
          .json<{ items: { id: string }[] }>()
          .items.map((one) => one.id);
      expect(await titles(old)).toEqual(await titles(fresh));
      const seen = await spentIn(fresh, postgres.year);
      expect(seen.requests).toBeGreaterThan(postgres.spent.requests + 5);
      expect(await spentIn(old, postgres.year)).toMatchObject({
        total_usd: seen.total_usd,
        requests: seen.requests,
      });
      // Rows of the older one are in the sums that the database keeps.
      await proves({ ...env, DATA_DIR: after.dataDir });
      expect(await spentIn(fresh, postgres.year)).toMatchObject({ requests: seen.requests });
      await before.end('SIGTERM');
      await chats(fresh);
    },
    600_000,
  );
});
