import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect } from 'vitest';
import type { TestServer } from '../../../server/test/support/server.ts';
import { withServer } from '../../../server/test/support/suite.ts';
import { readmeExamples } from '../../readme-examples.ts';

/** The README's examples, run as they stand there. */

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

let server: TestServer;
let key: string;
let folder: string;
const it = withServer();
it.beforeAll(async ({ world }) => {
  ({ server } = world);
  const { admin } = world;
  key = (await admin.post('/v2/auth/api-keys', { name: 'readme' })).json<{ key: string }>().key;
  folder = mkdtempSync(path.join(tmpdir(), 'pentarch-readme-'));
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

it('runs every example of the README', () => {
  const examples = readmeExamples('typescript', { url: server.url, key });
  expect(examples).toHaveLength(2);
  const outputs = examples.map((code, n) => {
    const file = path.join(folder, `example-${n}.ts`);
    writeFileSync(file, code);
    const { status, stdout, stderr } = spawnSync(process.execPath, [file], {
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect(status, stderr).toBe(0);
    return stdout;
  });
  expect(outputs[0]).not.toBe('');
  expect(outputs[1]).toMatch(/^lamp(\.txt)? The lamp burns paraffin\.\ntrue\n$/);
}, 120_000);
