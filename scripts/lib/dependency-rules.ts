import type { IConfiguration } from 'dependency-cruiser';

/** The layer rules of ARCHITECTURE.md, "Where things are". */

const TESTS = '(\\.test\\.ts$|/testing/)';
const DRIVERS = '(^|node_modules/)(kysely|pg|pg-boss|sqlite-vec)(/|$)|^(node:)?sqlite$';

export const DEPENDENCY_RULES: NonNullable<IConfiguration['forbidden']> = [
  {
    name: 'kernel-is-pure',
    comment:
      'kernel/ imports only kernel/ and packages/prose (uuid makes ids, typebox schemas): no node modules, no layers above',
    severity: 'error',
    from: { path: '^server/src/kernel/', pathNot: TESTS },
    to: { pathNot: '^server/src/kernel/|^packages/prose/|(^|node_modules/)(uuid|typebox)(/|$)' },
  },
  {
    name: 'rules-are-pure',
    comment: 'rules.ts imports only kernel/, packages/, other rules and this feature’s types',
    severity: 'error',
    from: { path: '^server/src/.*[/.]rules\\.ts$', pathNot: TESTS },
    to: {
      pathNot: [
        '^server/src/kernel/',
        '^packages/',
        '[./]rules\\.ts$',
        '^server/src/.*/(schema|types|ports)\\.ts$',
      ],
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'rules-without-node',
    comment: 'no node modules in rules.ts, not even their types',
    severity: 'error',
    from: { path: '^server/src/.*[/.]rules\\.ts$', pathNot: TESTS },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'service-knows-no-border',
    comment: 'service.ts imports neither Fastify nor Kysely nor adapters',
    severity: 'error',
    from: { path: '^server/src/features/.*service\\.ts$', pathNot: TESTS },
    to: { path: `(^|node_modules/)(fastify|@fastify)(/|$)|${DRIVERS}|^server/src/adapters/` },
  },
  {
    name: 'sql-lives-in-stores',
    comment: 'only store.ts, db/ and jobs/ import Kysely or drivers',
    severity: 'error',
    from: {
      path: '^server/src/',
      pathNot: ['(^|[/.-])store\\.ts$', '^server/src/(db|jobs)/', TESTS],
    },
    to: { path: DRIVERS },
  },
  {
    name: 'features-meet-at-their-index',
    comment: 'across features only through index.ts',
    severity: 'error',
    from: { path: '^server/src/features/([^/]+)/', pathNot: TESTS },
    to: { path: '^server/src/features/([^/]+)/', pathNot: ['^server/src/features/$1/', '/index\\.ts$'] },
  },
  {
    name: 'features-know-no-root',
    comment:
      'features get what they need as arguments: no import of compose, config, main or a module of modules/',
    severity: 'error',
    from: { path: '^server/src/(features|kernel|http|db|jobs|adapters)/', pathNot: TESTS },
    to: {
      path: '^server/src/((compose|main|config|banner)\\.ts$|modules/(?!module\\.ts$))',
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'features-are-wired-in-their-module',
    comment: 'of a feature only module.ts knows the form of modules',
    severity: 'error',
    from: { path: '^server/src/', pathNot: ['/module\\.ts$', '^server/src/(modules/|compose\\.ts$)', TESTS] },
    to: { path: '^server/src/modules/module\\.ts$' },
  },
  {
    name: 'modules-are-found-in-the-list',
    comment: 'a feature’s module.ts is imported by the list of modules alone',
    severity: 'error',
    from: { path: '^server/src/', pathNot: ['^server/src/modules/index\\.ts$', TESTS] },
    to: { path: '^server/src/features/[^/]+/module\\.ts$' },
  },
  {
    name: 'adapters-know-ports-only',
    comment: 'adapters import the kernel, ports, libraries and their own folder',
    severity: 'error',
    from: { path: '^server/src/adapters/', pathNot: TESTS },
    to: { path: '^server/src/', pathNot: ['^server/src/kernel/', '^server/src/adapters/', '/ports\\.ts$'] },
  },
  {
    name: 'adapters-are-built-in-modules',
    comment: 'only server/src/modules imports adapters',
    severity: 'error',
    from: {
      path: '^server/src/',
      pathNot: ['^server/src/adapters/', '^server/src/modules/', TESTS],
    },
    to: { path: '^server/src/adapters/' },
  },
  {
    name: 'packages-know-no-server',
    comment: 'packages/ are products of their own: they import other packages and libraries',
    severity: 'error',
    from: { path: '^packages/', pathNot: TESTS },
    to: { path: '^(server|cli|console|sdk|bench|scripts)/' },
  },
  {
    name: 'packages-meet-at-their-index',
    comment: 'of a package only its index.ts is imported elsewhere',
    severity: 'error',
    from: { path: '^(server|cli|console|bench|scripts)/', pathNot: TESTS },
    to: { path: '^packages/', pathNot: '^packages/[^/]+/src/index\\.ts$' },
  },
  {
    name: 'product-knows-no-tests',
    comment: 'the product imports no test code',
    severity: 'error',
    from: { path: '^(server/src|cli|console|packages/[^/]+/src)/', pathNot: TESTS },
    to: { path: `^(server|packages/[^/]+)/test/|${TESTS}` },
  },
  {
    name: 'clients-go-through-the-sdk',
    comment: 'CLI and console reach the API only through sdk/typescript',
    severity: 'error',
    from: { path: '^(cli|console)/', pathNot: TESTS },
    to: { path: '^(server|bench)/' },
  },
  {
    name: 'no-cycles',
    comment: 'no cycles, not even of types',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'resolvable',
    comment: 'every import resolves',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
];
