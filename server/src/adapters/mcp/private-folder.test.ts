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
  JSON.stringify([`${data}/keys`]),
  JSON.stringify({ roots: [{ path: data }] }),
  JSON.stringify({ root: data }).replaceAll('/', '\\/'),
  JSON.stringify({ root: data }).replaceAll('a', '\\u0061'),
  `"${data}"`,
  `'${data}/keys'`,
  `\`${data}\``,
  `${root}/da"t"a`,
  `${root}/da\\ta`,
  `${root}//./data/`,
  `/proc/1/root${data}`,
  `/proc/self/root${data}/keys`,
  `/proc/self/cwd/..`,
  `/proc/thread-self/root`,
  `/proc/1/task/1/cwd`,
  `/proc/${process.pid}/environ`,
  `/dev/fd/3`,
  `x,/proc/1/fd/5`,
  `-d${data}`,
  `-d${data}/keys`,
  `-C../data`,
  `--root${data}`,
  `first ${data}`,
  `first\n${data}/keys\nlast`,
  `first\t${data}`,
  `a|${data}|b`,
  `(${data})`,
  `<${data}>`,
  `{${root}/shared,${data}}`,
  `${data}&x`,
  `@${data}`,
  `root:${data}`,
  `~/..${data}`,
  '~/../../../../../../../..',
  `$HOME/../../../../../../../..${data}`,
  `\${HOME}/../../../../../../../..${data}`,
  `https://example.org/?root=${encodeURIComponent(data)}`,
  encodeURIComponent(`${data}/keys`),
  `file://localhost${data}/keys`,
  `FILE:${data}`,
  `sqlite://${data}/pentarch.sqlite`,
  `sqlite:///${data}/pentarch.sqlite?mode=ro`,
  `x ../data y`,
  `["../data"]`,
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
  'https://example.org/',
  'a text and/or more',
  'postgres://user:pw@host:5432/db?sslmode=require',
  JSON.stringify({ a: [1, 'two'], url: 'https://example.org/x' }),
  'Bearer abc/def+ghi==',
  '~',
  '100%',
  'text/plain, */*',
  `-d${path.join(root, 'shared')}`,
  '-I/usr/include',
  '--format=%H/%s',
  '',
])('lets %s pass', (text) => {
  expect(check(text)).toBeNull();
});
