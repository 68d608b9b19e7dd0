import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { startReceiver } from '../support/receiver.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/** What moves between the engines: whole platforms by backup and restore, a tenant by export and import. */
let folder = '';
const opened: { close(): Promise<void> }[] = [];
const inFolder = (name: string): string => path.join(folder, name);
const database = async (): Promise<string> => {
  if (postgresServer === undefined) throw new Error('PostgreSQL has not been started');
  const { url, drop } = await newDatabase(postgresServer);
  opened.push({ close: drop });
  return url;
};
const serve = async (env: Record<string, string>, dataDir?: string): Promise<TestServer> => {
  const server = await startServer({ env, ...(dataDir === undefined ? {} : { dataDir }) });
  opened.push(server);
  return server;
};

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pentarch-move-'));
});
afterAll(async () => {
  for (const each of opened.reverse()) await each.close();
  rmSync(folder, { recursive: true, force: true });
});

const accept = (response: ServerResponse): void => void response.writeHead(200).end();

const QUESTION = { message: 'When is the lens polished?' };

/** Something in every room that a person can fill by the API. */
const furnish = async (client: Client, hookUrl: string): Promise<void> => {
  const made = async (what: string, body: unknown): Promise<string> => {
    const answer = await client.post(what, body);
    if (answer.status !== 201) throw new Error(`${what}: ${answer.status} ${answer.text}`);
    return answer.json<{ id: string }>().id;
  };
  await made('/api/v1/knowledge/documents', {
    title: 'Keeper’s book',
    content: 'The keeper polishes the brass lens of the lighthouse every Tuesday. 灯台の番人。',
    metadata: { tags: ['light'] },
    visibility: 'tenant',
  });
  await made('/api/v1/memory/entities', {
    name: 'Ada',
    entity_type: 'person',
    observations: ['Ada keeps bees'],
  });
  await made('/v2/webhooks', { url: hookUrl, events: ['conversation.completed'] });
  await made('/v2/tasks', { description: 'Say hello', cron: '0 9 * * *' });
  const server = await client.post('/api/v1/mcp/servers', {
    name: 'remote',
    transport: 'http',
    url: `${hookUrl}/mcp`,
    headers: { authorization: 'Bearer of-the-server' },
  });
  if (server.status !== 201) throw new Error(`mcp: ${server.status} ${server.text}`);
  const answer = await client.post('/api/v1/chat', QUESTION);
  if (answer.status !== 200) throw new Error(`chat: ${answer.status} ${answer.text}`);
};

const LISTS = [
  '/api/v1/conversations',
  '/api/v1/knowledge/documents',
  '/api/v1/memory/entities',
  '/v2/webhooks',
  '/v2/tasks',
  '/v2/users',
];

/** What the lists say; times of last use move. */
const seen = async (client: Client): Promise<unknown[]> => {
  const all: unknown[] = [];
  for (const list of LISTS) {
    const answer = await client.get(list);
    expect(answer.status).toBe(200);
    const { items } = answer.json<{ items: Record<string, unknown>[] }>();
    for (const { last_seen_at: _seen, last_used_at: _used, ...item } of items) all.push(item);
  }
  const [conversation] = (await client.get(LISTS[0] ?? '')).json<{ items: { id: string }[] }>().items;
  all.push((await client.get(`/api/v1/conversations/${conversation?.id}/messages`)).body);
  return all;
};

const searchFinds = async (client: Client): Promise<void> => {
  for (const query of ['polishing the brass lens', '番人']) {
    const found = await client.post('/api/v1/knowledge/search', { query });
    expect(found.text).toContain('every Tuesday');
  }
};

const hashesOf = (out: string): string[] =>
  [...out.matchAll(/^ {2}(\S+) +(\d+) rows +sha256 (\w+)/gm)].map((m) => `${m[1]} ${m[2]} ${m[3]}`).sort();

describe('moves between engines', () => {
  it(req(
    ['OPS-05', 'OPS-04'],
    'a backup of SQLite restores into PostgreSQL, and that one’s back into SQLite',
  ), async () => {
    const target = await startReceiver(accept);
    opened.push(target);
    const env = { DATABASE_URL: '', WEBHOOK_ALLOW_PRIVATE: 'on' };
    const first = await serve(env);
    const before = await first.signIn();
    await furnish(before, target.url);
    mkdirSync(path.join(first.dataDir, 'files', 'a'), { recursive: true });
    writeFileSync(path.join(first.dataDir, 'files', 'a', 'note.txt'), 'by an agent');
    await before.get('/v2/users/me');
    await expect.poll(() => target.received.length, { timeout: 20_000 }).toBeGreaterThan(0);
    const was = await seen(before);
    await first.end('SIGTERM');
    const one = await runCommand(['backup', inFolder('one.ptar')], { DATA_DIR: first.dataDir });
    expect(one).toMatchObject({ code: 0, err: '' });

    const url = await database();
    const dataDir = inFolder('on-postgres');
    const there = { DATA_DIR: dataDir, DATABASE_URL: url };
    const moved = await runCommand(['restore', inFolder('one.ptar')], there);
    expect(moved).toMatchObject({ code: 0, err: '' });
    const two = await runCommand(['backup', inFolder('two.ptar')], there);
    expect(two).toMatchObject({ code: 0, err: '' });
    // Again onto what is there now: refused, and in one transaction when it is forced.
    expect((await runCommand(['restore', inFolder('one.ptar')], there)).code).toBe(2);
    const forced = await runCommand(['restore', inFolder('two.ptar'), '--force'], there);
    expect(forced).toMatchObject({ code: 0, err: '' });
    // The chain of the second one has one row more: that it was made.
    const besideAudit = (out: string) => hashesOf(out).filter((line) => !line.startsWith('audit_'));
    expect(besideAudit(forced.out)).toEqual(besideAudit(moved.out));
    const rows = (out: string) => Number(/^ {2}audit_events +(\d+) rows/m.exec(out)?.[1]);
    expect(rows(forced.out)).toBe(rows(moved.out) + 1);

    const second = await serve({ ...env, ...there }, dataDir);
    const during = await second.signIn();
    expect(await seen(during)).toEqual(was);
    await searchFinds(during);
    expect((await during.post('/api/v1/chat', QUESTION)).status).toBe(200);
    const now = await seen(during);
    // The sums of the costs are no part of a backup: the server has made them from the ledger.
    const checked = () => runCommand(['costs', 'check'], there).then(({ out }) => out);
    await expect.poll(checked, { timeout: 60_000 }).toContain('ok      tenant');
    const spent = (await during.get('/api/v1/costs/usage?scope=tenant')).json<{ requests: number }>();
    expect(spent.requests).toBeGreaterThan(1);
    // While it runs: from a snapshot.
    const three = await runCommand(['backup', inFolder('three.ptar')], there);
    expect(three).toMatchObject({ code: 0, err: '' });
    await second.end('SIGTERM');
    expect(await runCommand(['audit', 'verify'], there)).toMatchObject({
      code: 0,
      out: expect.stringContaining('0 broken'),
    });

    const back = inFolder('back-on-sqlite');
    const returned = await runCommand(['restore', inFolder('three.ptar')], { DATA_DIR: back });
    expect(returned).toMatchObject({ code: 0, err: '' });
    const third = await serve(env, back);
    const after = await third.signIn();
    expect(await seen(after)).toEqual(now);
    await searchFinds(after);
    expect(await runCommand(['costs', 'check'], { DATA_DIR: back })).toMatchObject({
      code: 0,
      out: expect.stringMatching(/ok {6}tenant/),
    });
    expect((await after.get('/api/v1/costs/usage?scope=tenant')).json()).toMatchObject({
      requests: spent.requests,
    });
  }, 240_000);

  it(req(
    'OPS-02',
    'refuses a database that somebody is connected to, or that holds another program’s tables',
  ), async () => {
    const url = await database();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('create table invoices (id int); insert into invoices values (1)');
    const there = { DATA_DIR: inFolder('foreign'), DATABASE_URL: url };
    const attempt = () => runCommand(['restore', inFolder('one.ptar'), '--force'], there);
    // Somebody is connected: it may be a server.
    expect(await attempt()).toMatchObject({ code: 2, err: expect.stringContaining('1 other connections') });
    await client.end();
    expect(await attempt()).toMatchObject({ code: 2, err: expect.stringContaining('invoices') });
    const again = new pg.Client({ connectionString: url });
    await again.connect();
    expect((await again.query('select id from invoices')).rows).toEqual([{ id: 1 }]);
    await again.end();
  }, 60_000);

  it(req(
    'OPS-06',
    'a tenant moves from SQLite to a PostgreSQL platform, and what it had sealed opens there',
  ), async () => {
    const target = await startReceiver(accept);
    opened.push(target);
    const env = { DATABASE_URL: '', WEBHOOK_ALLOW_PRIVATE: 'on' };
    const source = await serve(env);
    const root = await source.signIn();
    const person = { email: 'ann@example.com', password: 'a quiet harbour at night' };
    expect((await root.post('/v2/tenants', { name: 'North', slug: 'north', admin: person })).status).toBe(
      201,
    );
    const ann = await source.signIn(person.email, person.password);
    await furnish(ann, target.url);
    const key = (await ann.post('/v2/auth/api-keys', { name: 'robot' })).json<{ key: string }>().key;
    const was = await seen(ann);
    await source.end('SIGTERM');
    const file = inFolder('north.ptar');
    const from = { DATA_DIR: source.dataDir };
    expect((await runCommand(['export', '--tenant', 'north', file], from)).code).toBe(2);
    expect((await runCommand(['export', '--tenant', 'south', file, '--without-passphrase'], from)).code).toBe(
      2,
    );
    const out = await runCommand(['export', '--tenant', 'north', file, '--without-passphrase'], from);
    expect(out).toMatchObject({ code: 0, err: '' });

    const url = await database();
    const dataDir = inFolder('north-on-postgres');
    const host = await serve({ ...env, DATABASE_URL: url }, dataDir);
    const there = { DATA_DIR: dataDir, DATABASE_URL: url, WEBHOOK_ALLOW_PRIVATE: 'on' };
    // Beside the running server.
    const brought = await runCommand(['import', file, '--foreign'], there);
    expect(brought).toMatchObject({ code: 0, err: '' });
    expect(hashesOf(brought.out)).toEqual(hashesOf(out.out));
    expect(await runCommand(['import', file, '--foreign'], there)).toMatchObject({
      code: 2,
      err: expect.stringContaining('here already'),
    });
    await host.end('SIGTERM');
    await host.start();

    const moved = await host.signIn(person.email, person.password);
    expect(await seen(moved)).toEqual(was);
    await searchFinds(moved);
    const robot = await fetch(`${host.url}/v2/users/me`, { headers: { authorization: `Bearer ${key}` } });
    expect(robot.status).toBe(200);
    // The webhook signs with its secret, which the other installation's key had sealed.
    const count = target.received.length;
    expect((await moved.post('/api/v1/chat', QUESTION)).status).toBe(200);
    await expect.poll(() => target.received.length, { timeout: 20_000 }).toBeGreaterThan(count);
    expect(await runCommand(['audit', 'verify'], there)).toMatchObject({
      code: 0,
      out: expect.stringContaining('0 broken'),
    });
    // The other tenant sees nothing of it.
    const stranger = await host.signIn();
    const search = await stranger.post('/api/v1/knowledge/search', { query: 'polishing the brass lens' });
    expect(search.json<{ results: unknown[] }>().results).toEqual([]);
  }, 240_000);

  it(req('OPS-05', 'jobs that wait in one engine’s queue are done in the other'), async () => {
    const target = await startReceiver((response) => void response.writeHead(500).end());
    opened.push(target);
    const env = { DATABASE_URL: '', WEBHOOK_ALLOW_PRIVATE: 'on' };
    const first = await serve(env);
    const client = await first.signIn();
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect(
      (
        await client.post('/v2/webhooks', {
          url: target.url,
          events: ['conversation.completed'],
        })
      ).status,
    ).toBe(201);
    expect((await client.post('/v2/tasks', { description: 'Later', scheduled_at: later })).status).toBe(201);
    expect((await client.post('/api/v1/chat', QUESTION)).status).toBe(200);
    await expect.poll(() => target.received.length, { timeout: 20_000 }).toBeGreaterThan(0);
    await first.end('SIGKILL');
    expect((await runCommand(['backup', inFolder('jobs.ptar')], { DATA_DIR: first.dataDir })).code).toBe(0);
    const url = await database();
    const dataDir = inFolder('jobs-on-postgres');
    const there = { DATA_DIR: dataDir, DATABASE_URL: url };
    const moved = await runCommand(['restore', inFolder('jobs.ptar')], there);
    // Beside the attempt that was cut off may stand the next one, written just before.
    expect(moved.out).toMatch(/^ {2}jobs +[1-9]\d* rows/m);
    const count = target.received.length;
    await serve({ ...env, ...there }, dataDir);
    await expect.poll(() => target.received.length, { timeout: 30_000 }).toBeGreaterThan(count);
  }, 120_000);
});
