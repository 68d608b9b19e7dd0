import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { compose } from '../server/src/compose.ts';
import { loadConfig } from '../server/src/config.ts';
import { withAccessTable } from '../server/src/http/access-table.ts';

/** Writes the table of routes and roles into docs/security.md; with `--check` it fails when that is stale. */

const file = new URL('../docs/security.md', import.meta.url);
const dataDir = mkdtempSync(path.join(tmpdir(), 'pentarch-table-'));
const platform = await compose(
  loadConfig({ DATA_DIR: dataDir, MODEL: 'builtin' }, dataDir),
  pino({ level: 'silent' }),
  () => 'http://127.0.0.1',
);
const before = readFileSync(file, 'utf8');
const after = withAccessTable(before, platform.routes);
// Its threads keep no process alive, so something must until they have ended.
const alive = setInterval(() => {}, 1000);
await platform.close();
clearInterval(alive);
rmSync(dataDir, { recursive: true, force: true });

if (!process.argv.includes('--check')) writeFileSync(file, after);
else if (before !== after) {
  console.error('docs/security.md is stale: run node scripts/access-table.ts');
  process.exitCode = 1;
}
