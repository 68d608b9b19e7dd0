import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { type Fault, lockFaults, textFaults } from './lib/texts.ts';

/** Reads every file that git tracks or would add, and prints `file:line reason` for each fault. */

const MAX_BYTES = 4 * 1024 * 1024;

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && existsSync(file));

let count = 0;
const say = (file: string, faults: readonly Fault[]): void => {
  count += faults.length;
  for (const { line, reason } of faults) process.stdout.write(`${file}:${line} ${reason}\n`);
};

for (const file of files) {
  const bytes = readFileSync(file);
  if (bytes.length > MAX_BYTES || bytes.subarray(0, 8_000).includes(0)) continue;
  const text = bytes.toString('utf8');
  say(file, textFaults(file, text));
  if (/(^|\/)package-lock\.json$/.test(file)) say(file, lockFaults(text));
}
if (files.length < 100) {
  process.stdout.write(`only ${files.length} files were read: is this the repository?\n`);
  process.exit(1);
}
process.stdout.write(`${files.length} files\n`);
process.exit(count === 0 ? 0 : 1);
