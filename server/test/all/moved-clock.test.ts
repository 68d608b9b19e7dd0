import { existsSync, globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { startReceiver } from '../support/receiver.ts';
import { startServer, type TestServer } from '../support/server.ts';

/**
 * The machine's clock is set an hour ahead under a running server, and back again, as an operator or a time service does it.
 * libfaketime (Debian's package faketime) moves the clock of the server's process alone.
 */
const [LIBRARY] = globSync('/usr/lib/*/faketime/libfaketime.so.1');

describe('a server whose clock is moved', () => {
  let folder: string;
  let server: TestServer;
  let admin: Client;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let conversation: string;
  const asked: string[] = [];

  const move = async (offsetS: number): Promise<void> => {
    writeFileSync(path.join(folder, 'offset'), `${offsetS < 0 ? '' : '+'}${offsetS}\n`);
    // The token of before may have expired, or be of a time that has not come yet.
    admin = await server.signIn();
  };
  const ask = async (message: string): Promise<void> => {
    const answer = await admin.post('/v2/chat', {
      message,
      context: { agent_id: 'zeus' },
      ...(conversation === undefined ? {} : { conversation_id: conversation }),
    });
    expect(answer.status, answer.text).toBe(200);
    conversation = answer.json<{ conversation_id: string }>().conversation_id;
    asked.push(message);
  };
  const questions = async (): Promise<string[]> => {
    const { items } = (await admin.get(`/v2/conversations/${conversation}/messages?limit=100`)).json<{
      items: { role: string; content: string }[];
    }>();
    expect(items.map((one) => one.role)).toEqual(items.map((_, i) => (i % 2 === 0 ? 'user' : 'assistant')));
    return items.filter((one) => one.role === 'user').map((one) => one.content);
  };
  const told = (): string[] =>
    receiver.received.map(({ body }) => {
      const { event, data } = JSON.parse(body) as { event: string; data: Record<string, string> };
      return `${event} ${data.conversation_id ?? data.document_id}`;
    });
  const upload = async (title: string): Promise<string> => {
    const made = await admin.post('/v2/knowledge/documents', {
      title,
      content: `The ${title} is at the pier.`,
    });
    expect(made.status, made.text).toBe(201);
    return made.json<{ id: string }>().id;
  };

  beforeAll(async () => {
    if (LIBRARY === undefined || !existsSync(LIBRARY))
      throw new Error('libfaketime is missing: apt-get install faketime');
    folder = mkdtempSync(path.join(tmpdir(), 'pentarch-clock-'));
    const file = path.join(folder, 'offset');
    writeFileSync(file, '+0\n');
    receiver = await startReceiver((response) => response.end());
    server = await startServer({
      env: {
        DATABASE_URL: '',
        LD_PRELOAD: LIBRARY,
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        WEBHOOK_ALLOW_PRIVATE: 'on',
        RATE_LIMITS: 'on',
        RATE_FREE: '600:200',
        RATE_PRO: '600:200',
        RATE_ENTERPRISE: '600:200',
      },
    });
    admin = await server.signIn();
    const hook = await admin.post('/api/v1/webhooks', {
      url: receiver.url,
      events: ['document.indexed', 'conversation.completed'],
    });
    expect(hook.status, hook.text).toBe(201);
  });
  afterAll(async () => {
    await server?.close();
    await receiver?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const everything = async (name: string): Promise<void> => {
    await ask(`First ${name}`);
    await ask(`Second ${name}`);
    expect(await questions()).toEqual(asked);
    const document = await upload(`crane of ${name}`);
    const found = await admin.post('/v2/knowledge/search', { query: `Where is the crane of ${name}?` });
    expect(found.text).toContain(document);
    await expect.poll(told, { timeout: 60_000 }).toContain(`document.indexed ${document}`);
    const task = (await admin.post('/v2/tasks', { description: `Say ${name}`, agent_id: 'zeus' })).json<{
      id: string;
    }>();
    const status = async () => (await admin.get(`/v2/tasks/${task.id}`)).json<{ status: string }>().status;
    await expect.poll(status, { timeout: 60_000 }).toBe('completed');
    const { limits } = (await admin.get('/v2/costs/limits')).json<{ limits: { reserved_usd: number }[] }>();
    expect(limits.every((limit) => limit.reserved_usd === 0)).toBe(true);
    expect((await admin.get('/v2/audit/verify')).json()).toMatchObject({ ok: true });
    await expect.poll(async () => (await admin.get('/ready')).status, { timeout: 60_000 }).toBe(200);
  };

  it(req('SYS-06', 'goes on an hour ahead, and back at the time of before'), {
    timeout: 300_000,
  }, async () => {
    await everything('today');
    const later = await admin.post('/v2/tasks', {
      description: 'Say later',
      agent_id: 'zeus',
      scheduled_at: new Date(Date.now() + 1_800_000).toISOString(),
    });
    const { id } = later.json<{ id: string }>();
    const token = admin;
    // A little more than the hour that a token lives, and the tolerance of its check.
    await move(3_800);
    expect((await token.get('/v2/auth/me')).status).toBe(401);
    await everything('an hour ahead');
    const task = async () =>
      (await admin.get(`/v2/tasks/${id}`)).json<{ status: string; run_ids: string[] }>();
    await expect.poll(async () => (await task()).status, { timeout: 60_000 }).toBe('completed');
    expect((await task()).run_ids).toHaveLength(1);
    await move(0);
    await everything('back again');
    await server.end('SIGTERM');
    await server.start();
    await move(-3_600);
    await everything('an hour behind');
    expect((await task()).run_ids).toHaveLength(1);
  });
});
