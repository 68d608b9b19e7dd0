import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { startReceiver } from '../support/receiver.ts';
import { StartFailure, startServer, type TestServer } from '../support/server.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/** What an operator lives through who has lost the keys, or replaces PLATFORM_KEY; on either engine. */
let folder = '';
const opened: { close(): Promise<void> }[] = [];
const inFolder = (name: string): string => path.join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pentarch-keys-'));
});
afterAll(async () => {
  for (const each of opened.reverse()) await each.close();
  rmSync(folder, { recursive: true, force: true });
});

const storeOf = async (): Promise<Record<string, string>> => {
  if (postgresServer === undefined) return { DATABASE_URL: '' };
  const { url, drop } = await newDatabase(postgresServer);
  opened.push({ close: drop });
  return { DATABASE_URL: url };
};
const serve = async (env: Record<string, string>): Promise<TestServer> => {
  const server = await startServer({ env: { WEBHOOK_ALLOW_PRIVATE: 'on', ...env } });
  opened.push(server);
  return server;
};
const accept = (response: ServerResponse): void => void response.writeHead(200).end();
const QUESTION = { message: 'When is the lens polished?' };

const furnish = async (client: Client, url: string): Promise<{ conversation: string; key: string }> => {
  const hook = await client.post('/v2/webhooks', { url, events: ['conversation.completed'] });
  expect(hook.status).toBe(201);
  const server = {
    name: 'remote',
    transport: 'http',
    url: `${url}/mcp`,
    headers: { authorization: 'Bearer x' },
  };
  expect((await client.post('/api/v1/mcp/servers', server)).status).toBe(201);
  const key = await client.post('/v2/auth/api-keys', { name: 'robot' });
  const answer = await client.post('/api/v1/chat', QUESTION);
  expect(answer.status).toBe(200);
  return {
    conversation: answer.json<{ conversation_id: string }>().conversation_id,
    key: key.json<{ key: string }>().key,
  };
};

const refusal = async (server: TestServer): Promise<string> => {
  try {
    await server.start();
  } catch (error) {
    if (error instanceof StartFailure) return error.stderr;
    throw error;
  }
  throw new Error('it started');
};

const keysIn = (dataDir: string): string[] =>
  existsSync(path.join(dataDir, 'keys')) ? readdirSync(path.join(dataDir, 'keys')) : [];

describe('lost keys', () => {
  it(req(
    ['KEYS-01', 'KEYS-02'],
    'the start says what to do and writes none; keys recover; everybody signs in anew and finds their records',
  ), async () => {
    const target = await startReceiver(accept);
    opened.push(target);
    const store = await storeOf();
    const server = await serve(store);
    const env = { ...store, DATA_DIR: server.dataDir };
    const before = await server.signIn();
    const { conversation, key } = await furnish(before, target.url);
    await server.end('SIGTERM');
    const nothing = await runCommand(['keys', 'recover', '--yes'], env);
    expect(nothing).toMatchObject({ code: 0, out: expect.stringContaining('nothing is lost') });

    rmSync(path.join(server.dataDir, 'keys'), { recursive: true });
    expect(await refusal(server)).toMatch(/keys recover/);
    expect(keysIn(server.dataDir)).toEqual([]);
    const backup = await runCommand(
      ['backup', inFolder(`lost-${store.DATABASE_URL === '' ? 's' : 'p'}.ptar`)],
      env,
    );
    expect(backup).toMatchObject({
      code: 1,
      out: expect.stringMatching(/LOOK: the keys in this backup do not open/),
    });
    expect(keysIn(server.dataDir)).toEqual([]);
    for (const command of [
      ['keys', 'rotate'],
      ['audit', 'verify'],
    ]) {
      const told = await runCommand(command, env);
      expect(told).toMatchObject({ code: 1, err: expect.stringContaining('keys recover') });
    }
    const doctor = await runCommand(['doctor', '--offline'], { ...env, PORT: '0' });
    expect(doctor.out).toMatch(/^fail +signing keys .*keys recover/m);

    const asked = await runCommand(['keys', 'recover'], env);
    expect(asked).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    expect(asked.out).toContain('everybody is signed out');
    expect(keysIn(server.dataDir)).toEqual([]);
    const recovered = await runCommand(['keys', 'recover', '--yes'], env);
    expect(recovered).toMatchObject({ code: 0, err: '' });

    await server.start();
    // The old token and what it could be refreshed to are void, the password and API keys are not.
    expect((await before.get('/v2/users/me')).status).toBe(401);
    const after = await server.signIn();
    const robot = await fetch(`${server.url}/v2/users/me`, { headers: { authorization: `Bearer ${key}` } });
    expect(robot.status).toBe(200);
    expect((await after.get(`/api/v1/conversations/${conversation}`)).status).toBe(200);
    expect((await after.get('/v2/webhooks')).json<{ items: unknown[] }>().items).toMatchObject([
      { status: 'disabled' },
    ]);
    expect((await after.get('/api/v1/mcp/servers')).json<{ items: unknown[] }>().items).toContainEqual(
      expect.objectContaining({ name: 'remote', enabled: false }),
    );
    const audit = await after.get('/v2/audit?action=keys.recovered');
    expect(audit.json<{ items: unknown[] }>().items).toMatchObject([
      { actor_type: 'system', details: { webhooks: 1, mcp_servers: 1 } },
    ]);
    // Secrets are given anew over the API, and work.
    const [hook] = (await after.get('/v2/webhooks')).json<{ items: { id: string }[] }>().items;
    expect((await after.post(`/v2/webhooks/${hook?.id}/rotate-secret`, {})).status).toBe(200);
    expect((await after.patch(`/v2/webhooks/${hook?.id}`, { status: 'active' })).status).toBe(200);
    const count = target.received.length;
    expect((await after.post('/api/v1/chat', QUESTION)).status).toBe(200);
    await expect.poll(() => target.received.length, { timeout: 20_000 }).toBeGreaterThan(count);
    await server.end('SIGTERM');
    expect(await runCommand(['audit', 'verify'], env)).toMatchObject({ code: 0 });
  }, 240_000);

  it(req('KEYS-01', 'one lost file alone costs only what it sealed'), async () => {
    const target = await startReceiver(accept);
    opened.push(target);
    const store = await storeOf();
    const server = await serve(store);
    const env = { ...store, DATA_DIR: server.dataDir };
    const before = await server.signIn();
    await furnish(before, target.url);
    await server.end('SIGTERM');
    rmSync(path.join(server.dataDir, 'keys', 'mcp.key'));
    expect(await refusal(server)).toMatch(/keys|KEY/);
    expect(keysIn(server.dataDir)).not.toContain('mcp.key');
    const recovered = await runCommand(['keys', 'recover', '--yes'], env);
    expect(recovered.code).toBe(0);
    expect(recovered.out).not.toContain('everybody is signed out');
    await server.start();
    expect((await before.get('/v2/users/me')).status).toBe(200);
    expect((await before.get('/v2/webhooks')).json<{ items: unknown[] }>().items).toMatchObject([
      { status: 'active' },
    ]);
  }, 240_000);

  it.each(['', 'short', 'A'.repeat(200)])(
    req('KEYS-01', 'a damaged file (%j) is told of in one sentence, and recover takes it as lost'),
    async (text) => {
      const store = await storeOf();
      const server = await serve(store);
      const env = { ...store, DATA_DIR: server.dataDir };
      await server.signIn();
      await server.end('SIGTERM');
      const file = path.join(server.dataDir, 'keys', 'identity.key');
      writeFileSync(file, text);
      const said = await refusal(server);
      expect(said).toMatch(/keys\/identity\.key .*damaged.*keys recover/);
      expect(said).not.toMatch(/^\s+at /m);
      const doctor = await runCommand(['doctor', '--offline'], { ...env, PORT: '0' });
      expect(doctor.out).toMatch(/^fail +signing keys .*keys recover/m);
      expect((await runCommand(['keys', 'recover'], env)).code).toBe(2);
      expect(readFileSync(file, 'utf8')).toBe(text);
      const recovered = await runCommand(['keys', 'recover', '--yes'], env);
      expect(recovered).toMatchObject({
        code: 0,
        err: '',
        out: expect.stringContaining('identity.key.damaged'),
      });
      expect(readFileSync(`${file}.damaged`, 'utf8')).toBe(text);
      await server.start();
      await server.signIn();
      await server.end('SIGTERM');
      expect(await runCommand(['audit', 'verify'], env)).toMatchObject({ code: 0 });
    },
    240_000,
  );
});

describe('PLATFORM_KEY', () => {
  it(req(
    'KEYS-03',
    'is replaced: the old one beside it opens all, keys rotate seals anew, and the old one can go',
  ), async () => {
    const target = await startReceiver(accept);
    opened.push(target);
    const store = await storeOf();
    const OLD = 'the first text that all nodes of this platform share';
    const NEW = 'the second text that all nodes of this platform share';
    const server = await serve({ ...store, PLATFORM_KEY: OLD });
    const base = { ...store, DATA_DIR: server.dataDir };
    const client = await server.signIn();
    await furnish(client, target.url);
    await server.end('SIGTERM');

    expect(
      await runCommand(['doctor', '--offline'], { ...base, PLATFORM_KEY: NEW, PORT: '0' }),
    ).toMatchObject({
      code: 1,
    });
    const both = { PLATFORM_KEY: NEW, PLATFORM_KEY_PREVIOUS: OLD };
    await server.start(both);
    expect((await client.get('/v2/users/me')).status).toBe(200);
    const rotated = await runCommand(['keys', 'rotate'], { ...base, ...both });
    expect(rotated).toMatchObject({ code: 0, err: '' });
    expect(rotated.out).toMatch(/take it out of the settings/);
    expect(rotated.out).toMatch(/^[1-9]\d* secrets sealed anew/m);
    await server.end('SIGTERM');

    await server.start({ PLATFORM_KEY: NEW, PLATFORM_KEY_PREVIOUS: '' });
    expect((await client.get('/v2/users/me')).status).toBe(200);
    const count = target.received.length;
    expect((await client.post('/api/v1/chat', QUESTION)).status).toBe(200);
    await expect.poll(() => target.received.length, { timeout: 20_000 }).toBeGreaterThan(count);
    await server.end('SIGTERM');
    // Rows of the old key are proved by the row that says that the key was changed.
    const proof = await runCommand(['audit', 'verify'], { ...base, PLATFORM_KEY: NEW });
    expect(proof).toMatchObject({ code: 0, out: expect.stringContaining('0 broken') });
    expect(
      (await runCommand(['doctor', '--offline'], { ...base, PLATFORM_KEY: NEW, PORT: '0' })).out,
    ).toMatch(/^ok +signing keys/m);
  }, 240_000);
});
