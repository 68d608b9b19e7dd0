import { existsSync } from 'node:fs';
import './lib/typescript6.ts';
import { DEPENDENCY_RULES } from './lib/dependency-rules.ts';

/** Checks the layer rules. Exit 1 with one line for each breach, or when too few modules were read to mean anything. */

const FOLDERS = [
  'server/src',
  'packages',
  'cli/src',
  'console/src',
  'sdk/typescript',
  'sdk/codegen',
  'scripts',
  'bench',
  'server/test',
].filter((folder) => existsSync(folder));
/** The server alone has more; fewer means that the parser read nothing. */
const MIN_MODULES = 150;
const MIN_DEPENDENCIES = 500;

// Loaded after the hook above, so that its parser is TypeScript 6.
const { cruise } = await import('dependency-cruiser');
const result = await cruise(FOLDERS, {
  ruleSet: { forbidden: DEPENDENCY_RULES },
  validate: true,
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
  exclude: { path: '^(server|cli|console|sdk/typescript|packages/[^/]+)/dist/' },
  enhancedResolveOptions: {
    exportsFields: ['exports'],
    conditionNames: ['import', 'require', 'node', 'default', 'types'],
    extensions: ['.ts', '.tsx', '.mjs', '.js', '.cjs', '.json', '.d.ts'],
  },
});
if (typeof result.output === 'string')
  throw new Error('dependency-cruiser gave a report in place of a result');

const { summary, modules } = result.output;
const own = modules.filter((module) => FOLDERS.some((folder) => module.source.startsWith(`${folder}/`)));
const dependencies = own.reduce((sum, module) => sum + module.dependencies.length, 0);
for (const { rule, from, to, cycle } of summary.violations) {
  const path = cycle === undefined ? to : cycle.map((step) => step.name).join(' → ');
  const about = DEPENDENCY_RULES.find((known) => known.name === rule.name)?.comment ?? '';
  process.stdout.write(`${rule.name}: ${from} → ${path}  (${about})\n`);
}
if (own.length < MIN_MODULES || dependencies < MIN_DEPENDENCIES) {
  process.stdout.write(
    `read only ${own.length} modules with ${dependencies} imports (at least ${MIN_MODULES} and ${MIN_DEPENDENCIES} expected): the parser does not work\n`,
  );
  process.exit(1);
}
process.stdout.write(`${own.length} modules, ${dependencies} imports\n`);
process.exit(summary.violations.length === 0 ? 0 : 1);
