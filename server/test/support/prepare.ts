import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

/** Vitest's global set-up of the suites that start servers (vitest.config.ts, vitest.all.config.ts, vitest.nodes.config.ts). */
// Below node_modules, so that what is bundled finds the packages that are not.
const CACHE = path.join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache');

const run = promisify(execFile);

export default async (project: TestProject): Promise<() => void> => {
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(path.join(CACHE, 'pentarch-tests-'));
  const prepare = async (): Promise<void> => {
    const place = mkdtempSync(path.join(folder, 'run-'));
    const script = path.join(import.meta.dirname, 'prepare-main.ts');
    const { stdout } = await run(process.execPath, [script, place]);
    process.env.TEST_PREPARED = stdout;
  };
  // Of the command line and of fixtures, which start from their sources: what one has compiled, the next ones read.
  process.env.NODE_COMPILE_CACHE ??= path.join(folder, 'compiled');
  await prepare();
  project.onTestsRerun(prepare);
  return () => rmSync(folder, { recursive: true, force: true });
};
