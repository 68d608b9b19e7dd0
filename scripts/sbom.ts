import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The bill of materials of what is shipped, as CycloneDX JSON, from the lock file: run by `npm run build`. The time and the serial
 * number that npm puts in are left out, so that the same sources give the same file.
 */

const OUT = path.join('server', 'dist', 'sbom.cdx.json');

// npm names the root by its folder where the package is private: the version is what counts.
const text = execFileSync(
  'npm',
  [
    'sbom',
    '--sbom-format',
    'cyclonedx',
    '--sbom-type',
    'application',
    '--omit',
    'dev',
    '--package-lock-only',
  ],
  { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, shell: process.platform === 'win32' },
);
const bom = JSON.parse(text) as {
  components?: { name: string }[];
  serialNumber?: string;
  metadata: { timestamp?: string; component: { name: string } };
};
const { serialNumber: _serial, ...rest } = bom;
const { timestamp: _time, ...metadata } = rest.metadata;
const name = (JSON.parse(readFileSync('package.json', 'utf8')) as { name: string }).name;
const components = rest.components ?? [];
if (components.length < 200) throw new Error(`only ${components.length} components: is this the whole tree?`);
mkdirSync(path.dirname(OUT), { recursive: true });
writeFileSync(
  OUT,
  `${JSON.stringify({ ...rest, metadata: { ...metadata, component: { ...metadata.component, name } }, components }, null, 1)}\n`,
);
process.stdout.write(`${OUT}: ${components.length} components\n`);
