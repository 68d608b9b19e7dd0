import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { compose, type Platform } from '../../compose.ts';
import { loadConfig } from '../../config.ts';

/** A store that takes no row of the audit chain: what cannot be recorded does not happen. On SQLite, where a test can say so. */

const ADMIN = { email: 'admin@localhost', password: 'a long admin password' };

interface Case {
  name: string;
  /** Makes what is to be changed; its path. */
  make(): Promise<string>;
  method: 'DELETE' | 'POST' | 'PATCH';
  /** Behind the path that `make` gave. */
  tail?: string;
  body?: unknown;
  success: number;
  action: string;
  /** What reading it says before and after. */
  state(target: string): Promise<unknown>;
}

describe('a change and its row of the audit chain', () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'pentarch-together-'));
  let platform: Platform;
  let store: DatabaseSync;
  let url = '';
  let token = '';

  const call = async (method: string, target: string, body?: unknown) => {
    const answer = await fetch(url + target, {
      method,
      headers: {
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : {};
    const fields = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : [];
    return { status: answer.status, text, body: new Map<string, unknown>(fields) };
  };
  const made = async (target: string, body: unknown): Promise<string> => {
    const answer = await call('POST', target, body);
    expect(answer.status, answer.text).toBe(201);
    return `${target}/${answer.body.get('id')}`;
  };
  const status = async (target: string): Promise<unknown> => (await call('GET', target)).status;
  const field =
    (name: string) =>
    async (target: string): Promise<unknown> =>
      (await call('GET', target)).body.get(name);
  const rowsOf = async (action: string): Promise<unknown> =>
    (await call('GET', `/v2/audit?action=${action}`)).body.get('total');

  beforeAll(async () => {
    const config = loadConfig(
      {
        DATA_DIR: dataDir,
        MODEL: 'builtin',
        RATE_LIMITS: 'off',
        ADMIN_PASSWORD: ADMIN.password,
        SQLITE_SYNCHRONOUS: 'normal',
        WEBHOOK_ALLOW_PRIVATE: 'on',
      },
      dataDir,
    );
    platform = await compose(config, pino({ level: 'silent' }), () => url);
    await platform.app.listen({ host: '127.0.0.1', port: 0 });
    url = `http://127.0.0.1:${(platform.app.server.address() as AddressInfo).port}`;
    token = String((await call('POST', '/v2/auth/login', ADMIN)).body.get('access_token'));
    store = new DatabaseSync(path.join(dataDir, 'pentarch.sqlite'), { timeout: 10_000 });
    store.exec('create table test_refused_action (action text primary key)');
    store.exec(`create trigger test_refuse before insert on audit_events
      when exists (select 1 from test_refused_action r where r.action = new.action)
      begin select raise(abort, 'the test takes no such row'); end`);
  });
  afterAll(async () => {
    store.close();
    await platform.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  let count = 0;
  const entity = (): Promise<string> => {
    count += 1;
    const body = { name: `Ada ${count}`, entity_type: 'person', observations: ['likes tea'] };
    return made('/v2/memory/entities', body);
  };
  const later = { description: 'later', scheduled_at: '2099-01-01T00:00:00.000Z' };
  const cases: Case[] = [
    {
      name: 'a document deleted',
      make: () => made('/v2/knowledge/documents', { title: 'd', content: `The lighthouse ${++count}.` }),
      method: 'DELETE',
      success: 204,
      action: 'document.deleted',
      state: status,
    },
    {
      name: 'a conversation archived',
      make: () => made('/v2/conversations', { title: 'c' }),
      method: 'DELETE',
      success: 204,
      action: 'conversation.archived',
      state: field('status'),
    },
    {
      name: 'a conversation restored',
      make: async () => {
        const target = await made('/v2/conversations', { title: 'c' });
        expect((await call('DELETE', target)).status).toBe(204);
        return target;
      },
      method: 'POST',
      tail: '/restore',
      success: 200,
      action: 'conversation.restored',
      state: field('status'),
    },
    {
      name: 'a task deleted',
      make: () => made('/v2/tasks', later),
      method: 'DELETE',
      success: 204,
      action: 'task.deleted',
      state: status,
    },
    {
      name: 'an entity deleted',
      make: entity,
      method: 'DELETE',
      success: 204,
      action: 'memory.entity_deleted',
      state: status,
    },
    {
      name: 'a relation deleted',
      make: async () => {
        const [from, to] = [await entity(), await entity()];
        return made('/v2/memory/relations', {
          from_entity_id: from.split('/').at(-1),
          to_entity_id: to.split('/').at(-1),
          relation_type: 'knows',
        });
      },
      method: 'DELETE',
      success: 204,
      action: 'memory.relation_deleted',
      state: status,
    },
    {
      name: 'an agent changed',
      make: () => Promise.resolve('/v2/agents/morpheus'),
      method: 'PATCH',
      body: { enabled: false },
      success: 200,
      action: 'agent.updated',
      state: field('state'),
    },
    {
      name: 'a user’s roles changed',
      make: () => made('/v2/users', { email: `u${++count}@example.test`, password: 'a long password' }),
      method: 'PATCH',
      body: { roles: ['analyst'] },
      success: 200,
      action: 'user.updated',
      state: async (target) => JSON.stringify((await call('GET', target)).body.get('roles')),
    },
    {
      name: 'an MCP server deleted',
      make: async () => {
        count += 1;
        const body = { name: `s-${count}`, transport: 'http', url: 'http://127.0.0.1:9/mcp', enabled: false };
        const answer = await call('POST', '/v2/mcp/servers', body);
        expect(answer.status, answer.text).toBe(201);
        return `/v2/mcp/servers/s-${count}`;
      },
      method: 'DELETE',
      success: 204,
      action: 'mcp.server.deleted',
      state: async (target) =>
        (await call('GET', '/v2/mcp/servers')).text.includes(`"${target.split('/').at(-1)}"`),
    },
  ];

  it.each(cases)(`${req('AUDIT-03', '$name: both or neither')}`, async (each) => {
    const target = await each.make();
    const before = await each.state(target);
    const rows = await rowsOf(each.action);
    const change = () => call(each.method, target + (each.tail ?? ''), each.body);

    store.prepare('insert into test_refused_action values (?)').run(each.action);
    try {
      expect((await change()).status).toBe(500);
      expect(await each.state(target)).toEqual(before);
      expect(await rowsOf(each.action)).toBe(rows);
    } finally {
      store.exec('delete from test_refused_action');
    }
    expect((await change()).status).toBe(each.success);
    expect(await each.state(target)).not.toEqual(before);
    expect(await rowsOf(each.action)).toBe(Number(rows) + 1);
    expect((await call('GET', '/v2/audit/verify')).body.get('ok')).toBe(true);
  });

  it(req('AUDIT-03', 'an erasure, which has many steps, is told of before the first'), async () => {
    const person = await made('/v2/users', {
      email: `u${++count}@example.test`,
      password: 'a long password',
    });
    store.prepare('insert into test_refused_action values (?)').run('user.erasure_started');
    expect((await call('DELETE', `${person}/data`)).status).toBe(500);
    store.exec('delete from test_refused_action');
    expect((await call('DELETE', `${person}/data`)).status).toBe(200);
    const id = person.split('/').at(-1);
    const rows = (await call('GET', `/v2/audit?target=${id}&action=user`)).text;
    expect(rows).toContain('user.erasure_started');
    expect(rows).toContain('user.data_erased');
  });
});
