import { readFileSync } from 'node:fs';
import { createBuiltinEmbedder } from '../server/src/adapters/embeddings/builtin.ts';
import { AGENT_IDS, AGENTS, createRouter } from '../server/src/features/agents/index.ts';
import { unmetered } from '../server/test/support/unmetered.ts';

/**
 * How often the built-in router sends a request to the right agent, over requests written for this purpose: 30 for each
 * agent (10 of them hard or indirect) and 30 that need two agents, where either counts. They are kept in two halves: what
 * the router knows may be tuned on the first; the second is only for this report.
 *
 *   node bench/routing.ts             both halves, with the confusion table of the reporting half
 *   node bench/routing.ts --misses    also lists what went wrong in the tuning half (never in the other)
 */

interface Labelled {
  text: string;
  /** Any of these is right. */
  agents: string[];
  kind: 'plain' | 'hard' | 'pair';
}

const AIM = 0.85;
const halves = ['tuning', 'reporting'] as const;

const read = (half: (typeof halves)[number]): Labelled[] => {
  const parsed: unknown = JSON.parse(
    readFileSync(new URL(`./data/routing-${half}.json`, import.meta.url), 'utf8'),
  );
  if (!Array.isArray(parsed)) throw new Error(`routing-${half}.json is no list`);
  return parsed as Labelled[];
};

const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
/** Shared words of all words (Jaccard). */
const overlap = (a: Set<string>, b: Set<string>): number => {
  const shared = [...a].filter((word) => b.has(word)).length;
  return shared / (a.size + b.size - shared);
};
const MAX_OVERLAP = 0.6;

// An example that nearly is a request of the reporting half would flatter the figure: the router goes without it.
const reported = read('reporting').map((request) => words(request.text));
const agents = AGENTS.map((agent) => ({
  ...agent,
  examples: agent.examples.filter((example) =>
    reported.every((request) => overlap(words(example), request) < MAX_OVERLAP),
  ),
}));
const count = (of: typeof agents | typeof AGENTS): number =>
  of.reduce((sum, agent) => sum + agent.examples.length, 0);

const embedder = createBuiltinEmbedder();
const router = createRouter({ agents, embedder: unmetered(embedder) });
const payer = { tenantId: 'bench', userId: 'bench' };
await router.warm(payer);

const chosen = async (text: string): Promise<{ agentId: string; ms: number }> => {
  const startedAt = performance.now();
  const { agentId } = await router.choose({
    payer,
    text,
    enabled: new Set(AGENT_IDS),
    previousAgentId: null,
    // No documents: what the router decides by the words and their meaning alone.
    documentsFit: () => Promise.resolve(0),
  });
  return { agentId, ms: performance.now() - startedAt };
};

const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`;
const out = (line: string): boolean => process.stdout.write(`${line}\n`);

out(`examples: ${count(agents)}; ${count(AGENTS) - count(agents)} left out, too near to the reporting half`);
let passed = true;
for (const half of halves) {
  const requests = read(half);
  const results: { request: Labelled; agentId: string; ms: number }[] = [];
  for (const request of requests) results.push({ request, ...(await chosen(request.text)) });
  const right = results.filter(({ request, agentId }) => request.agents.includes(agentId));
  out(`${half}: ${right.length} of ${results.length} right, ${percent(right.length, results.length)}`);
  for (const kind of ['plain', 'hard', 'pair'] as const) {
    const of = results.filter(({ request }) => request.kind === kind);
    const ok = of.filter(({ request, agentId }) => request.agents.includes(agentId));
    out(`  ${kind.padEnd(6)} ${ok.length} of ${of.length}, ${percent(ok.length, of.length)}`);
  }
  const times = results.map(({ ms }) => ms).sort((a, b) => a - b);
  out(
    `  time: p50 ${times[Math.floor(times.length / 2)]?.toFixed(2)} ms, p95 ${times[Math.floor(times.length * 0.95)]?.toFixed(2)} ms`,
  );
  if (half === 'tuning' && process.argv.includes('--misses')) {
    for (const { request, agentId } of results) {
      if (!request.agents.includes(agentId))
        out(`  ${request.agents.join('+')} → ${agentId} (${request.kind}): ${request.text}`);
    }
  }
  if (half === 'reporting') {
    passed = right.length / results.length >= AIM;
    const width = 5;
    out('\nconfusion table of the reporting half, requests for one agent (rows: right, columns: chosen)\n');
    out(`${''.padEnd(11)}${AGENT_IDS.map((id) => id.slice(0, 4).padStart(width)).join('')}`);
    for (const expected of AGENT_IDS) {
      const row = AGENT_IDS.map((id) => {
        const n = results.filter(
          ({ request, agentId }) =>
            request.kind !== 'pair' && request.agents[0] === expected && agentId === id,
        ).length;
        return (n === 0 ? '·' : String(n)).padStart(width);
      });
      out(`${expected.padEnd(11)}${row.join('')}`);
    }
  }
}
await embedder.close();
out(`\nat least ${AIM * 100} % on the reporting half: ${passed ? 'reached' : 'not reached'}`);
process.exitCode = passed ? 0 : 1;
