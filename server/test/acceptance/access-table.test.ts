import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose, type Platform } from '../../src/compose.ts';
import { loadConfig } from '../../src/config.ts';
import { type AccessRow, accessRows, withAccessTable } from '../../src/http/access-table.ts';
import { ROLES, type Role } from '../../src/kernel/caller.ts';

/** Every route × role of two tenants, called: the table of docs/security.md is what the platform does. */

const ID = '00000000-0000-7000-8000-000000000000';
const PLATFORM_ONLY = ['GET /v2/tenants', 'POST /v2/tenants'];

describe('routes and roles', () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'pentarch-table-'));
  const admin = { email: 'admin@localhost', password: 'a long admin password' };
  let platform: Platform;
  let url = '';
  /** API keys by tenant and role: unlike a session, a key outlives the calls that this test makes. */
  const keys: Record<'home' | 'other', Partial<Record<Role, string>>> = { home: {}, other: {} };

  const call = (method: string, target: string, token: string | null, body?: unknown): Promise<Response> =>
    fetch(url + target, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const json = async (method: string, target: string, token: string | null, body?: unknown) => {
    const answer = await call(method, target, token, body);
    const parsed: unknown = await answer.json();
    if (!answer.ok || typeof parsed !== 'object' || parsed === null) throw new Error(JSON.stringify(parsed));
    return new Map<string, unknown>(Object.entries(parsed));
  };
  const login = async (person: { email: string; password: string }) =>
    String((await json('POST', '/v2/auth/login', null, person)).get('access_token'));

  beforeAll(async () => {
    const config = loadConfig(
      {
        DATA_DIR: dataDir,
        MODEL: 'builtin',
        RATE_LIMITS: 'off',
        ADMIN_PASSWORD: admin.password,
        SQLITE_SYNCHRONOUS: 'normal',
      },
      dataDir,
    );
    platform = await compose(config, pino({ level: 'silent' }), () => url);
    await platform.app.listen({ host: '127.0.0.1', port: 0 });
    url = `http://127.0.0.1:${(platform.app.server.address() as AddressInfo).port}`;
    const root = await login(admin);
    const boss = { email: 'boss@other.test', password: 'a long boss password' };
    await json('POST', '/v2/tenants', root, { name: 'Other', slug: 'other', admin: boss });
    const makers = { home: root, other: await login(boss) };
    for (const tenant of ['home', 'other'] as const) {
      for (const role of ROLES) {
        const person = { email: `${role}@${tenant}.test`, password: 'a long test password' };
        await json('POST', '/v2/users', makers[tenant], { ...person, roles: [role] });
        const token = await login(person);
        // Without keys:write there is no API key: the session itself then, which these roles' calls do not end.
        const made = await call('POST', '/v2/auth/api-keys', token, { name: 'test' });
        const body: unknown = await made.json();
        keys[tenant][role] =
          typeof body === 'object' && body !== null && 'key' in body ? String(body.key) : await login(person);
      }
    }
  });
  afterAll(async () => {
    await platform.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const targetOf = (row: AccessRow): string => row.path.replaceAll(/:\w+/g, ID).replaceAll('*', 'x');

  const statusOf = async (row: AccessRow, token: string | null): Promise<number> => {
    const answer = await call(row.method, targetOf(row), token, row.method === 'GET' ? undefined : {});
    await answer.body?.cancel();
    return answer.status;
  };

  it('no route answers without a token unless it is public', async () => {
    for (const row of accessRows(platform.routes)) {
      if (row.nobody === 'yes') continue;
      expect([row.path, await statusOf(row, null)]).toEqual([row.path, 401]);
    }
  });

  it.each(ROLES)('%s reaches what the table says, in both tenants', async (role) => {
    // Ends the caller's own session: last, for roles that have no key.
    const rows = accessRows(platform.routes).filter((row) => row.path !== '/v2/auth/logout');
    for (const tenant of ['home', 'other'] as const) {
      for (const row of rows) {
        const name = `${row.method} ${row.path}`;
        if (row.access === 'public') continue;
        const status = await statusOf(row, keys[tenant][role] ?? '');
        const platformOnly = tenant === 'other' && role === 'admin' && PLATFORM_ONLY.includes(name);
        // 422 for the empty body comes before the service's own check; it is no success.
        const wanted = row.roles[role] === '403' || (platformOnly && status !== 422);
        expect([tenant, role, name, status === 403]).toEqual([tenant, role, name, wanted]);
        // What SCIM knows and this server does not serve is 501 (RFC 7644, section 3.12).
        const unserved = status === 501 && row.path.startsWith('/scim/v2/');
        expect([name, status < 500 || status === 503 || unserved]).toEqual([name, true]);
        expect(status).not.toBe(401);
      }
    }
  });

  it('stands in docs/security.md as it is (else: node scripts/access-table.ts)', () => {
    const document = readFileSync(new URL('../../../docs/security.md', import.meta.url), 'utf8');
    expect(withAccessTable(document, platform.routes)).toBe(document);
  });
});
