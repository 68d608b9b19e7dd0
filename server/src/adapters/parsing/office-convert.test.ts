import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDocx } from '../../../test/support/documents.ts';
import { oldOffice } from '../../../test/support/office-files.ts';
import { createOfficeConverter } from './office-convert.ts';
import { createDocumentParser } from './parser.ts';

/** A stand-in for LibreOffice: does in its place what a test says. */
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'soffice-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const standIn = (name: string, code: string): string => {
  const file = path.join(folder, name);
  writeFileSync(file, `#!${process.execPath}\n${code}`);
  chmodSync(file, 0o755);
  return file;
};
const hints = { filename: 'letter.doc', declaredType: null, tenantId: 't' };
const leftBehind = () => readdirSync(tmpdir()).filter((name) => name.startsWith('pentarch-office-'));

test('what it makes of a file is read as the file that was uploaded, without the settings of the platform', async () => {
  const made = path.join(folder, 'made.docx');
  const said = path.join(folder, 'said.json');
  writeFileSync(made, makeDocx('<w:p><w:r><w:t>Oil for three nights.</w:t></w:r></w:p>'));
  const program = standIn(
    'good',
    `const fs = require('node:fs');
     const args = process.argv.slice(2);
     const out = args[args.indexOf('--outdir') + 1];
     const type = args[args.indexOf('--convert-to') + 1];
     const home = args[0].replace('-env:UserInstallation=file://', '');
     fs.writeFileSync(${JSON.stringify(said)}, JSON.stringify({ type, env: Object.keys(process.env), profile: fs.readFileSync(home + '/user/registrymodifications.xcu', 'utf8') }));
     fs.copyFileSync(${JSON.stringify(made)}, out + '/in.' + type);`,
  );
  process.env.SECRET_OF_THE_PLATFORM = 'x';
  const parser = createDocumentParser({ processes: 1, office: createOfficeConverter({ program }) });
  try {
    const document = await parser.parse(oldOffice('WordDocument'), hints);
    expect(document).toMatchObject({
      contentType: 'application/msword',
      blocks: [{ text: 'Oil for three nights.' }],
    });
    const { env, type, profile } = JSON.parse(readFileSync(said, 'utf8')) as {
      env: string[];
      type: string;
      profile: string;
    };
    expect(type).toBe('docx');
    expect(env).not.toContain('SECRET_OF_THE_PLATFORM');
    expect(profile).toContain('DisableMacrosExecution');
    // Only old files take this way.
    expect((await parser.parse(Buffer.from('plain'), hints)).contentType).toBe('text/plain');
  } finally {
    delete process.env.SECRET_OF_THE_PLATFORM;
    await parser.close();
  }
  expect(leftBehind()).toEqual([]);
});

test('one that makes nothing, does not end or is not there leaves nothing behind', async () => {
  const convert = (program: string, timeoutMs = 20_000) =>
    createOfficeConverter({ program, timeoutMs }).convert(oldOffice('Workbook'), 'xls');
  await expect(convert(standIn('idle', ''))).rejects.toMatchObject({ fault: 'broken' });
  const endless = standIn('endless', 'setInterval(() => {}, 1000)');
  await expect(convert(endless, 500)).rejects.toMatchObject({ fault: 'timeout' });
  const greedy = standIn(
    'greedy',
    'const all = []; for (;;) all.push(new Uint8Array(64 * 1024 * 1024).fill(1));',
  );
  await expect(convert(greedy)).rejects.toMatchObject({ fault: 'broken' });
  expect(leftBehind()).toEqual([]);
});
