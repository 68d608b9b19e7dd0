import { spawn } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startConformanceProxy } from '../support/mcp-conformance.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let proxy: Awaited<ReturnType<typeof startConformanceProxy>>;
beforeAll(async () => {
  server = await startServer({ env: { MCP_ALLOW_STDIO: `*: ${process.execPath} **` } });
  const admin = await server.signIn();
  const made = await admin.post('/v2/mcp/servers', {
    name: 'conformance',
    transport: 'stdio',
    command: process.execPath,
    args: [path.join(import.meta.dirname, '..', 'mcp', 'conformance-server.ts')],
    accept_tools: true,
  });
  expect(made.status, made.text).toBe(201);
  await vi.waitFor(async () => expect((await admin.get('/api/v1/mcp/conformance/tools')).status).toBe(200), {
    timeout: 60_000,
    interval: 200,
  });
  proxy = await startConformanceProxy(`${server.url}/mcp`, admin.token ?? '', 'conformance__');
}, 300_000);
afterAll(async () => {
  proxy?.close();
  await server?.close();
});

it('runs', async () => {
  const child = spawn(
    process.execPath,
    ['/tmp/mcpconf/node_modules/@modelcontextprotocol/conformance/dist/index.js', 'server', '--url', proxy.url, '--requirements', '2026-07-28', '--timeout', '10000', '-o', '/tmp/mcpconf/results'],
    { stdio: 'inherit' },
  );
  await new Promise((resolve) => child.once('close', resolve));
}, 300_000);
