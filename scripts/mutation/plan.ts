import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import path from 'node:path';
import { createRings, suitesOf } from '../lib/rings.ts';
import type { NumberedMutant } from './tree.ts';

/** Which sources are changed, which suites are asked, and which faults are drawn. */

export const FEATURES = ['chat', 'costs', 'governance', 'identity'] as const;
export type Feature = (typeof FEATURES)[number];

/**
 * rules: decisions without input or output (`*.rules.ts`, and what loads nothing but such files and the kernel and never waits).
 * rest: all other sources of the feature but wire types.
 */
export const PARTS = ['rules', 'rest'] as const;
export type Part = (typeof PARTS)[number];

/** Suites over HTTP of other features that hold this one as well. */
const ALSO: Readonly<Record<Feature, readonly string[]>> = {
  chat: ['agents/tools-on-demand', 'conversations/message-versions', 'governance/handed-on-approvals'],
  costs: [],
  governance: ['chat/tool-runs', 'mcp/mcp-governance'],
  identity: ['mcp/mcp-server-sign-in'],
};

/** Suites over HTTP that hold the feature most: which of them gets to a line is found by running them. */
export const blackBoxSuites = (feature: Feature): string[] => [
  ...globSync(`server/src/features/${feature}/*.server.test.ts`).map((file) =>
    file.split(path.sep).join('/'),
  ),
  ...ALSO[feature].map((name) => `server/src/features/${name}.server.test.ts`),
];

export const featureOf = (file: string): Feature | undefined =>
  FEATURES.find((name) => file.startsWith(`server/src/features/${name}/`));

/** Wire types, and the part of the OpenAPI document that is written by hand: `npm run check` compares what comes of them. */
const isWire = (file: string): boolean =>
  /\/(schema|types)\.ts$/.test(file) || file.endsWith('/identity/provider/document.ts');

export const sourcesOf = (features: readonly Feature[]): string[] =>
  features
    .flatMap((name) => globSync(`server/src/features/${name}/**/*.ts`))
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/') && !isWire(file))
    .sort();

/** Files of rules: by their name, or since they load no other and wait for nothing. */
export const rulesAmong = (
  files: readonly string[],
  imports: (file: string) => readonly string[],
  read: (file: string) => string,
): Set<string> => {
  const rules = new Set(files.filter((file) => /(^|[/.])rules\.ts$/.test(file)));
  for (let grown = true; grown; ) {
    grown = false;
    for (const file of files) {
      if (rules.has(file) || /\b(async|await|Promise|Tx|Db)\b/.test(read(file))) continue;
      const pure = imports(file).every((name) => name.startsWith('server/src/kernel/') || rules.has(name));
      if (pure) {
        rules.add(file);
        grown = true;
      }
    }
  }
  return rules;
};

/** Suites of `npm test` that load a source of the feature. */
export const unitSuites = (files: readonly string[]): string[] => {
  const { loads } = createRings();
  return suitesOf('unit').filter((suite) => suite.startsWith('server/') && loads(suite, files));
};

/** As many of them as are wanted, drawn by the seed: the same for the same seed, and spread over all files. */
export const drawn = <T extends Pick<NumberedMutant, 'file' | 'line' | 'kind' | 'replacement'>>(
  mutants: readonly T[],
  count: number,
  seed: string,
): T[] => {
  const lot = ({ file, line, kind, replacement }: T, index: number): string =>
    createHash('sha256')
      .update(JSON.stringify([seed, file, line, kind, replacement, index]))
      .digest('hex');
  return mutants
    .map((mutant, index) => ({ mutant, lot: lot(mutant, index) }))
    .sort((a, b) => (a.lot < b.lot ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
};
