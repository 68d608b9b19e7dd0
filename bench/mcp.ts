import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Agent, request } from 'undici';
import { caller, startPlatform } from '../server/test/mcp/harness.ts';

/**
 * What the gateway adds to a call: the public server `everything` over stdio, called by the SDK alone, through the
 * gateway inside the process, and through the gateway over HTTP. Rounds alternate, so that all see the same machine.
 * Prints p50 and p99 in milliseconds and their ratio to the SDK alone.
 */
const CALLS_PER_ROUND = Number(process.argv[2] ?? 500);
const ROUNDS = Number(process.argv[3] ?? 6);

const entry = fileURLToPath(
  new URL('../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
);
const args = { message: 'x'.repeat(100) };

const direct = new Client({ name: 'bench', version: '1' });
await direct.connect(
  new StdioClientTransport({ command: process.execPath, args: [entry, 'stdio'], stderr: 'ignore' }),
);
await direct.listTools();

const platform = await startPlatform();
const created = await platform.request('POST', '/mcp/servers', {
  body: { name: 'everything', transport: 'stdio', command: process.execPath, args: [entry, 'stdio'] },
});
if (created.body.status !== 'connected') throw new Error('the server did not start');

const context = {
  caller: caller('user'),
  agentId: null,
  conversationId: null,
  runId: null,
  requestId: 'bench',
  tainted: false,
};
const dispatcher = new Agent({ connections: 64, pipelining: 1 });

const ways: Record<string, () => Promise<unknown>> = {
  'SDK alone': () => direct.callTool({ name: 'echo', arguments: args }),
  gateway: () =>
    platform.mcp.calls.call(
      'everything',
      { tool: 'echo', arguments: args, timeoutMs: null },
      { ...context, signal: new AbortController().signal },
    ),
  'gateway over HTTP': async () => {
    const { statusCode, body } = await request(`${platform.url}/api/v1/mcp/everything/call`, {
      method: 'POST',
      dispatcher,
      headers: { authorization: 'Bearer user', 'content-type': 'application/json' },
      body: JSON.stringify({ tool: 'echo', arguments: args }),
    });
    await body.json();
    if (statusCode !== 200) throw new Error(`status ${statusCode}`);
  },
};

const round = async (way: () => Promise<unknown>, parallel: number, times: number[]): Promise<void> => {
  let left = CALLS_PER_ROUND;
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const started = performance.now();
      await way();
      times.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
};

const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? 0;

for (const parallel of [1, 50]) {
  const times = new Map(Object.keys(ways).map((name) => [name, [] as number[]]));
  for (const way of Object.values(ways)) await round(way, parallel, []);
  for (let i = 0; i < ROUNDS; i++) {
    for (const [name, way] of Object.entries(ways)) await round(way, parallel, times.get(name) ?? []);
  }
  const base = { p50: 0, p99: 0 };
  console.log(`\n${parallel} in parallel, ${CALLS_PER_ROUND * ROUNDS} calls each`);
  for (const [name, list] of times) {
    const sorted = list.toSorted((a, b) => a - b);
    const p50 = quantile(sorted, 0.5);
    const p99 = quantile(sorted, 0.99);
    if (name === 'SDK alone') Object.assign(base, { p50, p99 });
    const ratio = (value: number, of: number): string =>
      `${value.toFixed(2)} ms (× ${(value / of).toFixed(2)})`;
    console.log(`  ${name.padEnd(18)} p50 ${ratio(p50, base.p50)}   p99 ${ratio(p99, base.p99)}`);
  }
}

await dispatcher.close();
await direct.close();
await platform.close();
