import { symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';

/** Which programs the API starts, for whom, and that none is given the platform's own data. */

const FIXTURE = fileURLToPath(new URL('../../../test/mcp/fixture-server.ts', import.meta.url));
const PASSWORD = 'a long enough password';
const SERVERS = '/api/v1/mcp/servers';

let server: TestServer;
let shared: string;
let root: Client;
let acme: Client;
let other: Client;

beforeAll(async () => {
  shared = await mkdtemp(path.join(tmpdir(), 'pentarch-shared-'));
  const node = process.execPath;
  server = await startServer({
    env: {
      MCP_ALLOW_STDIO: `acme: ${node} ${FIXTURE} {} ${shared}/*,acme: ${node} ${FIXTURE} **,${node} ${FIXTURE}`,
    },
  });
  root = await server.signIn();
  const tenant = async (slug: string): Promise<Client> => {
    const admin = { email: `boss@${slug}.test`, password: PASSWORD };
    const made = await root.post('/v2/tenants', { name: slug, slug, tier: 'enterprise', admin });
    expect(made.status).toBe(201);
    return server.signIn(admin.email, admin.password);
  };
  acme = await tenant('acme');
  other = await tenant('other');
});
afterAll(async () => {
  await server?.close();
  await rm(shared, { recursive: true });
});

let count = 0;
const register = (who: Client, args: string[], env: Record<string, string> = {}) =>
  who.post(SERVERS, {
    name: `s-${++count}`,
    transport: 'stdio',
    command: process.execPath,
    args: [FIXTURE, ...args],
    env,
  });

describe('stdio servers over the API', () => {
  it(
    req('MCP-07', 'are for the tenant that an entry names, and without one for platform administrators'),
    async () => {
      expect((await register(acme, ['{}', path.join(shared, 'a')])).status).toBe(201);
      expect((await register(root, [])).status).toBe(201);
      for (const [who, args] of [
        [other, ['{}', path.join(shared, 'a')]],
        [other, []],
        [root, ['{}']],
      ] as const) {
        const answer = await register(who, [...args]);
        expect(answer.status).toBe(403);
        expect(answer.json<{ error: { code: string } }>().error.code).toBe('FORBIDDEN');
      }
    },
  );

  it(req('MCP-07', 'are given no way into the data folder, as argument or variable'), async () => {
    const data = server.dataDir;
    symlinkSync(data, path.join(shared, 'link'));
    const ways = [
      data,
      path.join(data, 'keys'),
      path.join(shared, '..', path.basename(path.dirname(data)), path.basename(data)),
      path.join(shared, 'link'),
      path.dirname(data),
      '/',
      `--root=${data}`,
      `file://${data}`,
    ];
    for (const way of ways) {
      const answer = await register(acme, ['{}', way]);
      expect(answer.status, way).toBe(422);
      expect(answer.text).not.toContain(data);
      expect((await register(acme, [], { MEMORY_FILE_PATH: way })).status, way).toBe(422);
    }
    const tried = await acme.post(`${SERVERS}/test`, {
      transport: 'stdio',
      command: process.execPath,
      args: [FIXTURE, data],
    });
    expect(tried.status).toBe(422);
    const mine = await register(acme, ['{}']);
    const { name } = mine.json<{ name: string }>();
    expect((await acme.patch(`${SERVERS}/${name}`, { args: [FIXTURE, data], env: {} })).status).toBe(422);
  });
});
