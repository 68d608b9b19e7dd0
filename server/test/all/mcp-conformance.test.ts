import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { req } from '../requirements.ts';
import { startConformanceProxy } from '../support/mcp-conformance.ts';
import { startServer, type TestServer } from '../support/server.ts';

/**
 * The official conformance suite of MCP (npm, MIT) with what its revision 2026-07-28 requires of a server and of a client, against
 * a started server and the platform's own client. What is left, and why: server/test/conformance/mcp-left.yaml. MCP_CONFORMANCE
 * names the folder of the package; without it it is installed for the run.
 */

const PACKAGE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const REVISION = '2026-07-28';
const LEFT = path.join(import.meta.dirname, '..', 'conformance', 'mcp-left.yaml');
const FIXTURES = path.join(import.meta.dirname, '..', 'mcp');
const LIMIT_MS = 600_000;
const run = promisify(execFile);

const made = mkdtempSync(path.join(tmpdir(), 'pentarch-mcp-conformance-'));
// Below node_modules, so that what is bundled finds the packages that are not.
const bundled = mkdtempSync(path.join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache-mcp-'));
let folder = process.env.MCP_CONFORMANCE ?? '';
let server: TestServer;
let proxy: Awaited<ReturnType<typeof startConformanceProxy>>;

beforeAll(async () => {
  if (folder === '') {
    folder = made;
    await run('npm', ['install', '--prefix', made, '--no-save', '--ignore-scripts', PACKAGE]).catch(
      (error: unknown) => {
        throw new Error(`the suite is needed: npm install --prefix DIR --no-save ${PACKAGE}`, {
          cause: error,
        });
      },
    );
  }
  server = await startServer({ env: { MCP_ALLOW_STDIO: `*: ${process.execPath} **` } });
}, LIMIT_MS);
afterAll(async () => {
  proxy?.close();
  await server?.close();
  for (const one of [made, bundled]) rmSync(one, { recursive: true, force: true });
});

/** Throws with the end of what it said when it does not hold. */
const conform = async (args: readonly string[]): Promise<string> => {
  const program = path.join(
    folder,
    'node_modules',
    '@modelcontextprotocol',
    'conformance',
    'dist',
    'index.js',
  );
  const common = ['--requirements', REVISION, '--expected-failures', LEFT, '-o', path.join(made, 'results')];
  try {
    const { stdout } = await run(process.execPath, [program, ...args, ...common], {
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout;
  } catch (error) {
    const said = error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
    throw new Error(said.slice(said.indexOf('=== SUMMARY')).slice(-8_000), { cause: error });
  }
};

it(
  req('MCP-16', 'as a server'),
  async () => {
    const admin = await server.signIn();
    const registered = await admin.post('/v2/mcp/servers', {
      name: 'conformance',
      transport: 'stdio',
      command: process.execPath,
      args: [path.join(FIXTURES, 'conformance-server.ts')],
      accept_tools: true,
    });
    expect(registered.status, registered.text).toBe(201);
    await vi.waitFor(
      async () => expect((await admin.get('/api/v1/mcp/conformance/tools')).status).toBe(200),
      { timeout: 300_000, interval: 200 },
    );
    proxy = await startConformanceProxy(`${server.url}/mcp`, admin.token ?? '', 'conformance__');
    const said = await conform(['server', '--url', proxy.url, '--timeout', '120000']);
    for (const scenario of ['tools-list', 'tools-call-with-progress', 'caching', 'dns-rebinding-protection'])
      expect(said).toContain(`✓ ${scenario}:`);
  },
  LIMIT_MS,
);

/** Each scenario starts the client anew: in one file it starts in a third of the time. */
const bundleClient = async (): Promise<string> => {
  const build = await rolldown({
    input: path.join(FIXTURES, 'conformance-client.ts'),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !path.isAbsolute(id),
    treeshake: false,
    logLevel: 'silent',
    plugins: [
      {
        name: 'at-home',
        transform: (code, id) => ({
          code: code
            .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
            .replaceAll('import.meta.dirname', JSON.stringify(path.dirname(id))),
        }),
      },
    ],
  });
  await build.write({ dir: bundled, format: 'esm', entryFileNames: 'client.js' });
  await build.close();
  return path.join(bundled, 'client.js');
};

it(
  req('MCP-16', 'as a client'),
  async () => {
    const command = `${process.execPath} ${await bundleClient()}`;
    const said = await conform(['client', '--command', command, '--timeout', '300000']);
    for (const scenario of [
      'tools_call',
      'http-custom-headers',
      'auth/scope-step-up',
      'auth/iss-wrong-issuer',
    ])
      expect(said).toContain(`✓ ${scenario}:`);
  },
  LIMIT_MS,
);
