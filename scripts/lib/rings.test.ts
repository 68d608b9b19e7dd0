import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import nodesConfig from '../../vitest.nodes.config.ts';
import { allSuites, createRings, ON_SQLITE_ALONE, suitesOf, suitesOnBothEngines } from './rings.ts';

describe('rings of tests', () => {
  it('hold every suite of the repository, each once', () => {
    const { ringOf } = createRings();
    expect(allSuites().filter((suite) => ringOf(suite) === null)).toEqual([]);
    const rings = [suitesOf('unit'), suitesOf('server'), suitesOf('services')];
    for (const ring of rings) expect(ring.length).toBeGreaterThan(10);
    expect(rings.flat().sort()).toEqual(allSuites());
  });

  it('run suites again on PostgreSQL and on three nodes only where they run on SQLite too', () => {
    const both = suitesOnBothEngines();
    const first = [...suitesOf('unit'), ...suitesOf('server')];
    expect(both.filter((suite) => !first.includes(suite))).toEqual([]);
    expect((nodesConfig.test?.include ?? []).filter((suite) => !both.includes(suite))).toEqual([]);
  });

  it('leave out on PostgreSQL what never meets it, by a list with reasons, and that alone', () => {
    const withServers = allSuites().filter(
      (suite) =>
        suite.startsWith('server/') &&
        !suite.startsWith('server/test/all/') &&
        /support\/(stores|server|suite)\.ts'/.test(readFileSync(suite, 'utf8')),
    );
    const listed = Object.keys(ON_SQLITE_ALONE);
    expect([...suitesOnBothEngines(), ...listed].sort()).toEqual(withServers);
    expect(suitesOf('server')).toEqual(expect.arrayContaining(listed));
    for (const [suite, { engine }] of Object.entries(ON_SQLITE_ALONE)) {
      const text = readFileSync(suite, 'utf8');
      expect(text, suite).not.toMatch(/TEST_DATABASE_URL|support\/stores\.ts/);
      if (engine === 'never') {
        expect(text, suite).toContain("DATABASE_URL: ''");
        expect(text, suite).not.toMatch(/start(Server|Process)\(\)/);
      }
      if (engine === 'above') {
        // What a restart finds again, and what a suite does to the store itself, is the engine's matter.
        expect(text, suite).not.toMatch(/SIGKILL|\.start\(|src\/db\/|adapters\/|node:sqlite|from 'pg'/);
        expect(text, suite).not.toMatch(/runCommand/);
      }
    }
  });

  it('have a command each, which .ci/run calls', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts.test).toContain('--project unit');
    expect(scripts['test:server']).toContain('--project server');
    expect(scripts['test:all']).toBe('node scripts/test-all.ts');
    const ci = readFileSync('.ci/run', 'utf8');
    for (const command of ['npm ci && npm test', 'npm run test:all -- --servers'])
      expect(ci).toContain(command);
  });

  const ringOf = (files: Record<string, string>, suite: string) =>
    createRings({ exists: (file) => file in files, read: (file) => files[file] ?? '' }).ringOf(suite);

  it('take a suite by what it loads, however far away', () => {
    const files = {
      'server/src/a.test.ts': "import { b } from './b.ts';",
      'server/src/b.ts': "import {\n  c,\n} from './c.ts';\nexport { d } from './d.ts';",
      'server/src/c.ts': "const later = () => import('./e.ts');",
      'server/src/d.ts': "import path from 'node:path';",
      'server/src/e.ts': "import { spawn } from 'node:child_process';",
    };
    expect(ringOf(files, 'server/src/a.test.ts')).toBe('server');
    expect(ringOf({ ...files, 'server/src/e.ts': '' }, 'server/src/a.test.ts')).toBe('unit');
  });

  it('take no notice of imports of types', () => {
    const files = {
      'cli/a.test.ts':
        "import { it } from 'vitest';\nimport type { ChildProcess } from 'node:child_process';\nimport {\n  b,\n} from './b.ts';",
      'cli/b.ts': "import type { D } from './d.ts';\nexport type {\n  E,\n} from './d.ts';",
      'cli/d.ts': "import { spawn } from 'node:child_process';",
    };
    expect(ringOf(files, 'cli/a.test.ts')).toBe('unit');
  });

  it('find a suite that lies where no run looks', () => {
    expect(ringOf({ 'bench/a.test.ts': '' }, 'bench/a.test.ts')).toBeNull();
    expect(ringOf({ 'server/src/a.spec.ts': '' }, 'server/src/a.spec.ts')).toBeNull();
  });
});
