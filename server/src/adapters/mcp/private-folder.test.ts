import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createPrivateFolderCheck } from './private-folder.ts';

const root = realpathSync(mkdtempSync(path.join(tmpdir(), 'pentarch-private-')));
const data = path.join(root, 'data');
const cwd = path.join(root, 'empty');
mkdirSync(path.join(data, 'keys'), { recursive: true });
mkdirSync(cwd);
mkdirSync(path.join(root, 'shared'));
symlinkSync(data, path.join(root, 'link'));
symlinkSync(path.join(data, 'keys'), path.join(root, 'shared', 'inner'));
afterAll(() => rmSync(root, { recursive: true }));

const check = createPrivateFolderCheck(data, cwd);

it.each([
  data,
  `${data}/`,
  path.join(data, 'keys', 'signing.json'),
  path.join(data, 'not-there-yet'),
  path.join(root, 'shared', '..', 'data'),
  path.join(root, 'link', 'keys'),
  path.join(root, 'shared', 'inner'),
  '../data',
  '..',
  '/',
  `--root=${data}`,
  `-v=${root}/shared,${data}`,
  `${data}:/mnt`,
  `file://${data}/keys`,
])('refuses %s', (text) => {
  expect(check(text)).not.toBeNull();
});

it.each([
  '-y',
  '@scope/server',
  'stdio',
  '.',
  path.join(root, 'shared'),
  `${data}-other`,
  'https://example.org/a?b=c',
  '',
])('lets %s pass', (text) => {
  expect(check(text)).toBeNull();
});
