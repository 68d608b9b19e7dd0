import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../../test/support/client.ts';
import { runCommand } from '../../../test/support/command.ts';
import { startObjectStore, type TestObjectStore } from '../../../test/support/object-store.ts';
import { StartFailure, startServer, type TestServer } from '../../../test/support/server.ts';

/** Documents whose bytes stand in an S3-compatible store; one process on SQLite, since the store is the same for any. */

const DOCUMENTS = '/api/v1/knowledge/documents';

describe('documents in a store of objects', () => {
  let store: TestObjectStore;
  let server: TestServer;
  let admin: Client;
  let early: string;
  let folder: string;

  const upload = async (title: string, content: string): Promise<string> => {
    const answer = await admin.post(DOCUMENTS, { title, content });
    expect(answer.status).toBe(201);
    return answer.json<{ id: string }>().id;
  };
  const contentOf = async (id: string): Promise<string> =>
    (await admin.get(`${DOCUMENTS}/${id}/content`)).text;
  const objectsOf = (id: string): string[] => [...store.objects.keys()].filter((name) => name.endsWith(id));

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'pentarch-objects-'));
    store = await startObjectStore();
    server = await startServer({ env: { DATABASE_URL: '' } });
    admin = await server.signIn();
    early = await upload('Early', 'The early ferry leaves at six.');
    await server.end('SIGTERM');
    await server.start(store.env);
    admin = await server.signIn();
  });
  afterAll(async () => {
    await server.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('go into the bucket and come back byte for byte; deleting takes them out', async () => {
    const id = await upload('Tide', 'High water is at noon. ☕\r\n');
    const names = objectsOf(id);
    expect(names).toHaveLength(1);
    expect(names[0]).toMatch(/^house\/[0-9a-f]{64}\./);
    expect(store.objects.get(names[0] ?? '')?.toString()).toBe('High water is at noon. ☕\r\n');
    expect(await contentOf(id)).toBe('High water is at noon. ☕\r\n');
    expect((await admin.delete(`${DOCUMENTS}/${id}`)).status).toBe(204);
    expect(objectsOf(id)).toEqual([]);
  });

  it('that were there before are still read, and deleted for good', async () => {
    expect(await contentOf(early)).toBe('The early ferry leaves at six.');
    expect(objectsOf(early)).toEqual([]);
    const other = await upload('Late', 'The late ferry leaves at ten.');
    expect((await admin.delete(`${DOCUMENTS}/${early}`)).status).toBe(204);
    expect((await admin.get(`${DOCUMENTS}/${early}/content`)).status).toBe(404);
    const kept = readdirSync(server.dataDir, { recursive: true }).map(String);
    expect(kept.filter((name) => name.includes(early))).toEqual([]);
    expect(await contentOf(other)).toBe('The late ferry leaves at ten.');
  });

  it('are 503 while the store is away, and nothing is half there; search goes on', async () => {
    const id = await upload('Pier', 'The pier is closed on Mondays.');
    store.away(true);
    const answer = await admin.post(DOCUMENTS, { title: 'Crane', content: 'The crane lifts nine tons.' });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(answer.json<{ error: { code: string } }>().error.code).toBe('SERVICE_UNAVAILABLE');
    expect((await admin.get(`${DOCUMENTS}/${id}/content`)).status).toBe(503);
    const found = await admin.post('/api/v1/knowledge/search', { query: 'When is the pier closed?' });
    expect(found.text).toContain('Mondays');
    store.away(false);
    const listed = await admin.get(`${DOCUMENTS}?limit=100`);
    expect(listed.text).not.toContain('Crane');
    await upload('Crane', 'The crane lifts nine tons.');
  });

  it('that a crash has left on the way in are settled or removed at the next start', async () => {
    const id = await upload('Buoy', 'The buoy is green.');
    const [name = ''] = objectsOf(id);
    const key = name.slice('house/'.length);
    await server.end('SIGKILL');
    const lost = `${'ab'.repeat(32)}.0197-lost`;
    store.objects.set(`house/${lost}`, Buffer.from('nobody knows me'));
    for (const one of [lost, key]) store.stage(`house/staged/${one}`);
    await server.start(store.env);
    admin = await server.signIn();
    await expect
      .poll(() => [...store.objects.keys()].filter((one) => one.includes('/staged/')), { timeout: 30_000 })
      .toEqual([]);
    expect(store.objects.has(`house/${lost}`)).toBe(false);
    expect(await contentOf(id)).toBe('The buoy is green.');
  });

  it('are in a backup, and a restore puts them into the store', async () => {
    const id = await upload('Mast', 'The mast is of larch.');
    const file = path.join(folder, 'all.ptar');
    const env = { DATA_DIR: server.dataDir, ...store.env };
    expect(await runCommand(['backup', file], env)).toMatchObject({ code: 0, err: '' });
    await server.end('SIGTERM');
    store.objects.clear();
    const restored = await runCommand(['restore', file, '--force'], env);
    expect(restored).toMatchObject({ code: 0, err: '' });
    await server.start(store.env);
    admin = await server.signIn();
    expect(await contentOf(id)).toBe('The mast is of larch.');
    expect(objectsOf(id).length).toBeGreaterThan(0);
  }, 120_000);

  it('need a bucket that is there: else the server says so and does not start', async () => {
    const started = startServer({ env: { DATABASE_URL: '', ...store.env, S3_BUCKET: 'elsewhere' } });
    const failure: unknown = await started.then(
      async (running) => {
        await running.close();
        return null;
      },
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(StartFailure);
    expect(failure).toMatchObject({
      stderr: expect.stringMatching(/S3_BUCKET elsewhere cannot be used.*S3_ENDPOINT/s),
    });
  });
});
