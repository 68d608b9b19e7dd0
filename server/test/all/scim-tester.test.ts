import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { startServer, type TestServer } from '../support/server.ts';

/**
 * scim2-tester (PyPI, Apache-2.0) against a started server: discovery, creation, reading, PATCH of every attribute, replacement and
 * removal as RFC 7643 and 7644 say. SCIM_TESTER_PATH names the folder of its packages; without it they are installed for the run.
 */

const PACKAGES = ['scim2-tester==0.5.2', 'scim2-client[httpx2]==0.13.2', 'scim2-models==0.12.3'];
const CHECK = path.join(import.meta.dirname, '..', 'conformance', 'scim_check.py');
const run = promisify(execFile);

interface Result {
  status: string;
  title: string;
  reason: string;
}

const made = mkdtempSync(path.join(tmpdir(), 'pentarch-scim-'));
let packages = process.env.SCIM_TESTER_PATH ?? '';
let server: TestServer;

beforeAll(async () => {
  if (packages === '') {
    packages = made;
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--target', made];
    await run('python3', [...pip, ...PACKAGES]).catch((error: unknown) => {
      throw new Error(`scim2-tester is needed: pip install --target DIR ${PACKAGES.join(' ')}`, {
        cause: error,
      });
    });
  }
  server = await startServer();
}, 600_000);
afterAll(async () => {
  await server?.close();
  rmSync(made, { recursive: true, force: true });
});

/** A person is active as long as the directory says nothing else, and is shown so. */
const isKnown = ({ title, reason }: Result): boolean =>
  title === 'check_remove_attribute' && reason.includes("'active'");

it(req('SCIM-01', 'scim2-tester finds nothing that the RFCs do not have'), async () => {
  const admin = await server.signIn();
  const key = await admin.post('/v2/auth/api-keys', { name: 'scim', permissions: ['scim:manage'] });
  const { stdout } = await run('python3', [CHECK, `${server.url}/scim/v2`, key.json<{ key: string }>().key], {
    env: { ...process.env, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' },
  });
  const results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Result);
  expect(results.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThanOrEqual(100);
  expect(
    results.filter((result) => !['SUCCESS', 'SKIPPED'].includes(result.status) && !isKnown(result)),
  ).toEqual([]);
}, 600_000);
