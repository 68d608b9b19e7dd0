import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { directFaults, type Manifest } from './lib/direct.ts';
import { type LockPackage, licenceFaults } from './lib/licences.ts';

/**
 * Reads the lock file and prints each production dependency, direct or not, whose licence is none of those that are taken; and
 * of every package.json each direct one that docs/dependencies.md does not explain or that nothing uses.
 */

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

const workspaces = parse('package.json').workspaces;
const folders = ['', ...(Array.isArray(workspaces) ? workspaces.map(String) : [])];
const manifests: Manifest[] = folders.map((folder) => {
  const manifest = parse(path.join(folder, 'package.json'));
  // Our own packages need no reason.
  const names = (kind: string): string[] => {
    const listed = manifest[kind];
    return isRecord(listed) ? Object.keys(listed).filter((name) => !name.startsWith('pentarch')) : [];
  };
  return {
    folder,
    dependencies: [...names('dependencies'), ...names('peerDependencies')],
    development: names('devDependencies'),
  };
});
const sources = globSync(
  [
    '{server,packages,cli,console,sdk,bench,scripts}/**/*.{ts,tsx,js,css,json}',
    'docs/.vitepress/*.ts',
    '*.{ts,json}',
    '.ci/run',
  ],
  { exclude: (name) => /(^|\/)(node_modules|dist|package(-lock)?\.json)$|^server\/models$/.test(name) },
).map((file) => ({ file, text: readFileSync(file, 'utf8') }));
faults.push(...directFaults(manifests, sources, readFileSync(path.join('docs', 'dependencies.md'), 'utf8')));
for (const fault of faults) process.stdout.write(`${fault}\n`);
if (packages.length < 200) {
  process.stdout.write(`only ${packages.length} packages were read: is this the lock file?\n`);
  process.exit(1);
}
const direct = manifests.reduce(
  (sum, { dependencies, development = [] }) => sum + dependencies.length + development.length,
  0,
);
if (sources.length < 500 || direct < 50) {
  process.stdout.write(`only ${sources.length} sources and ${direct} direct dependencies were read\n`);
  process.exit(1);
}
process.stdout.write(`${packages.length} packages in production, ${direct} direct dependencies\n`);
process.exit(faults.length === 0 ? 0 : 1);
