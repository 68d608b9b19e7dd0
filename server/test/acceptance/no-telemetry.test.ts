import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startServer, type TestServer } from '../support/server.ts';

/** A package that tells its maker about this machine keeps an id of it, and what it could not send yet, in the home folder. */

let home: string;
let server: TestServer;

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'pentarch-home-'));
  server = await startServer({ env: { HOME: home } });
});
afterAll(async () => {
  await server?.close();
  rmSync(home, { recursive: true, force: true });
});

it('leaves nothing in the home folder of its user after documents, searches and answers of the built-in model', async () => {
  const admin = await server.signIn();
  const form = new FormData();
  form.append('file', new File(['The lamp burns oil of rape.'], 'lamp.txt', { type: 'text/plain' }));
  const uploaded = await fetch(`${server.url}/api/v1/knowledge/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin.token}` },
    body: form,
  });
  expect(uploaded.status).toBe(201);
  const found = await admin.post('/api/v1/knowledge/search', { query: 'What does the lamp burn?' });
  expect(found.status).toBe(200);
  expect(found.text).toContain('oil of rape');
  expect((await admin.post('/api/v1/chat', { message: 'What does the lamp burn?' })).status).toBe(200);
  await server.end('SIGTERM');
  expect(readdirSync(home)).toEqual([]);
});
