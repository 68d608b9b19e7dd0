import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { runCommand } from '../support/command.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { postgresServer } from '../support/stores.ts';

/** What was deleted is gone from the bytes of the files as well, while the server runs. PostgreSQL keeps its own files. */
describe.skipIf(postgresServer !== undefined)('the bytes of the store', () => {
  let server: TestServer;
  let provider: TestProvider;
  let admin: Client;
  beforeAll(async () => {
    provider = await startTestProvider();
    server = await startServer({
      env: { MODEL: 'compatible/test-model', COMPATIBLE_BASE_URL: provider.url },
    });
    admin = await server.signIn();
  });
  afterAll(async () => {
    await server?.close();
    await provider?.close();
  });

  const filesOf = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name));
  /** Files of the data folder that hold one of the words. */
  const holding = (...words: string[]): string[] =>
    filesOf(server.dataDir).filter((file) => {
      const bytes = readFileSync(file).toString('latin1').toLowerCase();
      return words.some((word) => bytes.includes(word));
    });
  const gone = (...words: string[]) =>
    expect.poll(() => holding(...words), { timeout: 60_000, interval: 500 }).toEqual([]);

  it(req('SEC-30', 'are for their owner alone'), () => {
    const open = filesOf(server.dataDir).filter(
      (file) => path.basename(file).includes('.sqlite') && (statSync(file).mode & 0o077) !== 0,
    );
    expect(open).toEqual([]);
  });

  it(req('SEC-30', 'hold nothing of a deleted document, neither text nor words'), async () => {
    const content = Array.from(
      { length: 40 },
      (_, i) => `Part ${i} tells of the zyxolithic quarblefen.`,
    ).join('\n\n');
    const made = await admin.post('/v2/knowledge/documents', { title: 'Vromblax papers', content });
    const kept = await admin.post('/v2/knowledge/documents', {
      title: 'Kept',
      content: 'The kestrelwort stays.',
    });
    expect([made.status, kept.status]).toEqual([201, 201]);
    expect(holding('quarblefen')).not.toEqual([]);
    const { id } = made.json<{ id: string }>();
    expect((await admin.send('DELETE', `/v2/knowledge/documents/${id}`)).status).toBe(204);
    await gone('zyxolith', 'quarblefen', 'vromblax');
    expect(holding('kestrelwort')).not.toEqual([]);
    const found = await admin.post('/v2/knowledge/search', { query: 'kestrelwort' });
    expect(found.json<{ results: unknown[] }>().results.length).toBeGreaterThan(0);
  }, 120_000);

  it(req('SEC-30', 'hold nothing of a deleted memory'), async () => {
    const made = await admin.post('/v2/memory/entities', {
      name: 'Gribnaxter',
      entity_type: 'person',
      observations: ['collects the oldest plumverdions'],
    });
    expect(made.status).toBe(201);
    expect(holding('plumverdion')).not.toEqual([]);
    const { id } = made.json<{ id: string }>();
    expect((await admin.send('DELETE', `/v2/memory/entities/${id}`)).status).toBe(204);
    await gone('plumverdion', 'gribnaxter');
  }, 120_000);

  it(req('SEC-30', 'hold nothing of the messages of an erased person'), async () => {
    const person = {
      email: 'wexlorp@example.com',
      name: 'Wexlorp',
      password: 'a long enough password',
      roles: ['user'],
    };
    const user = (await admin.post('/v2/users', person)).json<{ id: string }>();
    const theirs = await server.signIn(person.email, person.password);
    provider.always({ text: 'Of glimmerfathoms I know nothing.' });
    const asked = await theirs.post('/v2/chat', {
      message: 'I live in the skyblumfer tower; what of it?',
      context: { agent_id: 'zeus' },
    });
    expect(asked.status, asked.text).toBe(200);
    expect(holding('skyblumfer')).not.toEqual([]);
    expect((await admin.patch(`/v2/users/${user.id}`, { status: 'deactivated' })).status).toBe(200);
    const erased = await admin.send('DELETE', `/v2/users/${user.id}/data`);
    expect(erased.status, erased.text).toBeLessThan(300);
    await gone('skyblumfer', 'glimmerfathom', 'wexlorp');
  }, 120_000);

  it(req('SEC-30', 'are written anew by purge --vacuum, with no server at work on them'), async () => {
    const env = { DATA_DIR: server.dataDir };
    const refused = await runCommand(['purge', '--vacuum'], env);
    expect(refused.code).not.toBe(0);
    expect(refused.err).toContain('in use by another Pentarch process');
    await server.end('SIGTERM');
    const done = await runCommand(['purge', '--vacuum'], env);
    expect(done.code, done.err).toBe(0);
    expect(done.out).toMatch(/^vacuum +-?\d+ bytes freed$/m);
    await server.start();
    admin = await server.signIn();
    const found = await admin.post('/v2/knowledge/search', { query: 'kestrelwort' });
    expect(found.json<{ results: unknown[] }>().results.length).toBeGreaterThan(0);
  }, 120_000);
});
