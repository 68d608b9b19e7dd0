/**
 * Suites of `test:all` that wait for the product's own clocks most of the time and need little of the processor. They run
 * beside the suites that do need it, in a run of vitest of their own.
 */
export const WAITING: Readonly<Record<string, string>> = {
  'server/test/all/cluster-kills.test.ts':
    'a node that has been silent for two minutes, and leases of tasks and webhooks',
  'server/test/all/cluster-faults.test.ts': 'four outages that are longer than a node may be silent',
  'server/test/all/slow-and-deep.test.ts': 'the two minutes that a request may take to arrive',
  'server/test/all/cluster.test.ts': 'nodes that are taken for gone',
  'server/test/all/heartbeat.test.ts': 'a provider that thinks for 70 seconds',
  'server/test/all/node-start-postgres.test.ts': 'the next look at the clock',
  'server/src/features/chat/queued-messages.server.test.ts': 'a run whose server was stopped',
  'server/src/features/chat/lost-runs.server.test.ts': 'runs that nobody works on',
};

/** Suites that work for long begin first, so that none is left alone at the end; the longest is the first. */
export const LONGEST: readonly string[] = [
  'server/test/all/api-conformance.test.ts',
  'server/test/all/docs-cli.test.ts',
  'server/test/all/dockerfile.test.ts',
  'server/test/all/console-session.test.ts',
  'server/test/all/knowledge-postgres.test.ts',
  'server/test/all/console-network.test.ts',
  'server/test/all/docs-site.test.ts',
  'server/src/features/conversations/import-attacks.server.test.ts',
  'cli/test/commands.test.ts',
  'server/test/all/kill-rounds.test.ts',
  'server/test/acceptance/lost-keys.test.ts',
  'server/test/all/console-chat.test.ts',
  'server/test/all/mixed-kill-rounds.test.ts',
  'server/test/all/console-memory.test.ts',
  'server/test/all/console-partial.test.ts',
  'server/src/features/governance/handed-on-approvals.server.test.ts',
  'server/test/all/console-agents.test.ts',
  'server/test/acceptance/lifecycle.test.ts',
  'server/test/all/docs.test.ts',
  'server/test/all/operations-postgres.test.ts',
  'server/test/acceptance/isolation.test.ts',
  'server/test/acceptance/erased-bytes.test.ts',
];

/** The place of each of the files, longest first; the order of those that are not listed stays as it is. */
export const longestFirst = <T>(files: readonly T[], nameOf: (file: T) => string): T[] => {
  const rank = (file: T): number => {
    const at = LONGEST.findIndex((suite) => nameOf(file).endsWith(`/${suite}`));
    return at === -1 ? LONGEST.length : at;
  };
  return files.toSorted((a, b) => rank(a) - rank(b));
};
