import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Which run of the tests a suite belongs to. A suite is found by what it loads, not by where it lies, so that it may stand
 * beside its feature:
 *
 *   unit      `npm test`: stays within its own process
 *   server    `npm run test:server`: starts processes (a server, an MCP server, a parser), or measures time
 *   services  `npm run test:all`: needs PostgreSQL, Redis, a browser or another language
 */
export type Ring = 'unit' | 'server' | 'services';

const ROOTS = ['server/src/', 'server/test/', 'packages/', 'scripts/', 'sdk/', 'cli/', 'console/src/'];
const SERVICES = 'server/test/all/';
/** Suites that compare durations: they cannot share a process with others. */
const MEASURES = 'server/test/support/growth.ts';

const above = (reason: string, suites: readonly string[]) =>
  Object.fromEntries(suites.map((suite) => [suite, { engine: 'above' as const, reason }]));

/**
 * Suites of whole servers that are not run again on PostgreSQL, with the reason. `never`: each of their servers has SQLite in any
 * run, so that the second one would be the first once more. `before`: what they hold is over before a store is asked. `above`: what
 * they hold is decided above the store, and other suites send the same statements to PostgreSQL (docs/decisions/0230-one-engine.md).
 */
export const ON_SQLITE_ALONE: Readonly<
  Record<string, { engine: 'never' | 'before' | 'above'; reason: string }>
> = {
  'server/src/features/chat/unreadable-runs.server.test.ts': {
    engine: 'never',
    reason: 'it writes rows of no release into the file of SQLite',
  },
  'server/src/features/knowledge/object-store.server.test.ts': {
    engine: 'never',
    reason: 'it is about the bytes of documents in an object store beside the engine',
  },
  'server/test/acceptance/full-disk.test.ts': {
    engine: 'never',
    reason: 'the disk under the file of SQLite; full-disk-postgres.test.ts has the other',
  },
  'server/test/acceptance/operations.test.ts': {
    engine: 'never',
    reason: 'commands on the file of SQLite; operations-postgres.test.ts has the other',
  },
  'server/test/acceptance/start-faults.test.ts': {
    engine: 'never',
    reason: 'no start succeeds but on SQLite; a PostgreSQL that refuses is played by the test',
  },
  'server/src/features/knowledge/office-kinds.server.test.ts': {
    engine: 'before',
    reason: 'what the readers of files give; knowledge-postgres.test.ts holds how it is stored',
  },
  'server/src/features/knowledge/pdf-kinds.server.test.ts': {
    engine: 'before',
    reason: 'what the readers of files give; knowledge-postgres.test.ts holds how it is stored',
  },
  'server/test/acceptance/no-telemetry.test.ts': {
    engine: 'before',
    reason: 'what packages write into the home folder',
  },
  ...above('the shapes of a foreign API; the chat behind it runs on both', [
    'server/src/features/anthropic/anthropic-door.server.test.ts',
    'server/src/features/openai/door-pictures.server.test.ts',
    'server/src/features/openai/openai-door.server.test.ts',
    'server/src/features/openai/text-completion.server.test.ts',
    'server/src/features/responses/responses-door.server.test.ts',
  ]),
  ...above('what is asked of a model, and what is made of its answers', [
    'server/src/features/agents/tools-on-demand.server.test.ts',
    'server/src/features/chat/long-messages.server.test.ts',
    'server/src/features/chat/structured-answers.server.test.ts',
    'server/src/features/mcp/mcp-tool-names.server.test.ts',
    'server/src/features/models/models.server.test.ts',
    'server/src/features/models/strict-provider.server.test.ts',
  ]),
  ...above('log lines, figures, traces and what deploy/ and the runbooks say of them', [
    'server/src/features/chat/run-ends.server.test.ts',
    'server/test/acceptance/deploy.test.ts',
    'server/test/acceptance/log-lines.test.ts',
    'server/test/acceptance/metrics.test.ts',
    'server/test/acceptance/runbooks.test.ts',
    'server/test/acceptance/traces.test.ts',
  ]),
  ...above('headers, limits and streams of HTTP', [
    'server/test/acceptance/hostile-text.test.ts',
    'server/test/acceptance/http-base.test.ts',
    'server/test/acceptance/stream-limits.test.ts',
  ]),
  ...above('the steps of a sign-in as its client sees them', [
    'server/src/features/identity/provider-document.server.test.ts',
    'server/src/features/mcp/mcp-sign-in.server.test.ts',
  ]),
};

export interface Sources {
  exists(file: string): boolean;
  read(file: string): string;
}

const onDisk: Sources = { exists: existsSync, read: (file) => readFileSync(file, 'utf8') };

/** Every suite of the repository, whatever folder it is in. */
export const allSuites = (): string[] =>
  globSync('**/*.{test,spec}.{ts,tsx,mts,js,mjs}', {
    exclude: (name) => name === 'node_modules' || name === 'dist' || name === '.git',
  })
    .map((file) => file.split(path.sep).join('/'))
    .sort();

const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g;

/** What a module loads when it runs: imports of types are gone by then. */
const loadedBy = (text: string): string[] => {
  const loaded: string[] = [];
  for (const match of text.matchAll(IMPORT)) {
    const start = Math.max(
      text.lastIndexOf('\nimport', match.index),
      text.lastIndexOf('\nexport', match.index),
    );
    const isType = /^\n?(?:import|export) type /.test(text.slice(Math.max(start, 0), match.index + 1));
    if (!isType && match[1] !== undefined) loaded.push(match[1]);
  }
  return loaded;
};

export const createRings = (sources: Sources = onDisk) => {
  const known = new Map<string, readonly string[]>();
  const imports = (file: string): readonly string[] => {
    const before = known.get(file);
    if (before !== undefined) return before;
    const found = loadedBy(sources.read(file)).map((name) =>
      name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name,
    );
    known.set(file, found);
    return found;
  };

  /** Whether the suite, or a module that it loads, loads one of these. */
  const loads = (suite: string, wanted: readonly string[]): boolean => {
    const seen = new Set([suite]);
    for (const file of seen) {
      for (const name of imports(file)) {
        if (wanted.includes(name)) return true;
        if (name.includes('/') && /\.[cm]?[jt]sx?$/.test(name) && sources.exists(name)) seen.add(name);
      }
    }
    return false;
  };

  /** Null for a suite that no run finds. */
  const ringOf = (suite: string): Ring | null => {
    if (suite.startsWith(SERVICES)) return 'services';
    if (!ROOTS.some((root) => suite.startsWith(root)) || !/\.test\.tsx?$/.test(suite)) return null;
    return loads(suite, ['node:child_process', MEASURES]) ? 'server' : 'unit';
  };

  /** Suites that hold for either engine: those of a store, and those of the whole server but `ON_SQLITE_ALONE`. */
  const onBothEngines = (suite: string): boolean =>
    suite.startsWith('server/') &&
    !suite.startsWith(SERVICES) &&
    !(suite in ON_SQLITE_ALONE) &&
    /support\/(stores|server|suite)\.ts'/.test(sources.read(suite));

  return { ringOf, onBothEngines, loads, imports };
};

export const suitesOf = (ring: Ring): string[] => {
  const { ringOf } = createRings();
  return allSuites().filter((suite) => ringOf(suite) === ring);
};

export const suitesOnBothEngines = (): string[] => allSuites().filter(createRings().onBothEngines);
