import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type LockPackage, licenceFaults } from './lib/licences.ts';

/** Reads the lock file and prints each production dependency, direct or not, whose licence is none of those that are taken. */

const { values } = parseArgs({ options: { list: { type: 'boolean', default: false } } });

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const parse = (file: string): Record<string, unknown> => {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return isRecord(value) ? value : {};
};

/** Packages of the lock file that goes out with the product; the licence is the lock's or the package's own. */
const packages: LockPackage[] = [];
const locked = parse('package-lock.json').packages;
for (const [folder, entry] of Object.entries(isRecord(locked) ? locked : {})) {
  if (!isRecord(entry) || !folder.includes('node_modules/') || entry.dev === true || entry.link === true)
    continue;
  const manifest = path.join(folder, 'package.json');
  const own = entry.license ?? (existsSync(manifest) ? parse(manifest).license : undefined);
  packages.push({
    name: folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version: String(entry.version),
    licence: typeof own === 'string' ? own : '',
  });
}

if (values.list) {
  for (const { name, version, licence } of packages) process.stdout.write(`${licence}\t${name}@${version}\n`);
}
const faults = licenceFaults(packages);
for (const fault of faults) process.stdout.write(`${fault}\n`);
if (packages.length < 200) {
  process.stdout.write(`only ${packages.length} packages were read: is this the lock file?\n`);
  process.exit(1);
}
process.stdout.write(`${packages.length} packages\n`);
process.exit(faults.length === 0 ? 0 : 1);
