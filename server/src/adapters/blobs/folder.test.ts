import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFolderBlobs } from './folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pentarch-blobs-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const bytes = new Uint8Array([0, 1, 255]);

it('keeps bytes while they are staged, settled and on their way out', async () => {
  const blobs = createFolderBlobs(folder);
  expect(await blobs.read('ab.1')).toBeNull();
  await blobs.stage('ab.1', bytes);
  expect(await blobs.staged()).toEqual(['ab.1']);
  expect(new Uint8Array((await blobs.read('ab.1')) ?? [])).toEqual(bytes);
  await blobs.settle('ab.1');
  expect(await blobs.staged()).toEqual([]);
  expect(new Uint8Array((await blobs.read('ab.1')) ?? [])).toEqual(bytes);
  await blobs.unsettle('ab.1');
  expect(await blobs.staged()).toEqual(['ab.1']);
  expect(new Uint8Array((await blobs.read('ab.1')) ?? [])).toEqual(bytes);
  await blobs.remove('ab.1');
  expect(await blobs.read('ab.1')).toBeNull();
});

it('does nothing for what is not there', async () => {
  const blobs = createFolderBlobs(folder);
  await blobs.settle('no');
  await blobs.unsettle('no');
  await blobs.remove('no');
  expect(await blobs.staged()).toEqual([]);
});

it('takes no key that leaves its folder', async () => {
  const blobs = createFolderBlobs(path.join(folder, 'root'));
  for (const key of ['../x', 'a/b', '', '.x', 'a\u0000', 'a\\b']) {
    await expect(blobs.stage(key, bytes)).rejects.toThrow('not a blob key');
    await expect(blobs.read(key)).rejects.toThrow('not a blob key');
  }
  expect(
    readdirSync(folder, { recursive: true }).filter(
      (f) => String(f) !== 'root' && !String(f).startsWith(`root${path.sep}`),
    ),
  ).toEqual([]);
});
