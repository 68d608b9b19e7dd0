import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Client } from '../server/test/support/client.ts';
import { startProcess, type TestServer } from '../server/test/support/server.ts';
import { cpuSeconds } from './lib/cpu.ts';

/**
 * What traces add to the CPU time of a chat turn (JSON, 50 tokens, a new conversation each): two servers of each kind, without traces, with
 * a tenth of them and with all, started in mirrored order and asked in alternating windows, so that each kind sees the same machine. Two
 * servers of one kind differ by up to 10 %: that is the noise, and it is printed beside each kind.
 *
 *   node bench/traces.ts [--windows 20] [--turns 100]
 *
 * Prints means in ms of CPU for a turn, and their ratio to the servers without traces. A collector that takes
 * everything and looks at nothing runs in this process, the provider in one of its own.
 */
const { values } = parseArgs({
  options: { windows: { type: 'string', default: '20' }, turns: { type: 'string', default: '100' } },
});
const WINDOWS = Number(values.windows);
const TURNS = Number(values.turns);
const AT_ONCE = 4;

const main = path.join(import.meta.dirname, '..', 'server', 'test', 'support', 'provider-main.ts');
const provider = spawn(process.execPath, [main, '--tokens', '50', '--interval-ms', '0'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const providerUrl = await new Promise<string>((resolve) =>
  provider.stdout.once('data', (line: Buffer) => resolve(JSON.parse(line.toString()).url)),
);

let spans = 0;
const collector = createServer((request, response) => {
  request.on('data', (chunk: Buffer) => (spans += chunk.length)).on('end', () => response.end());
});
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
const address = collector.address();
const collectorUrl = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;

const traced = (share: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collectorUrl,
  OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
  OTEL_TRACES_SAMPLER_ARG: share,
});
const WAYS: Record<string, Record<string, string>> = {
  off: {},
  '10 %': traced('0.1'),
  '100 %': traced('1'),
};

interface Subject {
  name: string;
  server: TestServer;
  client: Client;
  perTurnMs: number[];
}

const ask = async (client: Client): Promise<void> => {
  const answer = await client.post('/v2/chat', { message: 'Hello', context: { agent_id: 'zeus' } });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
};

const turns = async ({ client }: Subject, count: number): Promise<void> => {
  let left = count;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (left-- > 0) await ask(client);
    }),
  );
};

const subjects: Subject[] = [];
const kinds = Object.entries(WAYS);
try {
  for (const [name, env] of [...kinds, ...kinds.toReversed()]) {
    const server = await startProcess({
      env: {
        MODEL: 'compatible/test-model',
        COMPATIBLE_BASE_URL: providerUrl,
        RATE_LIMITS: 'off',
        LOG_LEVEL: 'info',
        ...env,
      },
    });
    subjects.push({ name, server, client: await server.signIn(), perTurnMs: [] });
  }
  for (const subject of subjects) await turns(subject, 5 * TURNS);
  for (let n = 0; n < WINDOWS; n++) {
    // Another order each time: what comes first in a window has another machine.
    for (let i = 0; i < subjects.length; i++) {
      const subject = subjects[(i + n) % subjects.length];
      if (subject === undefined) continue;
      const before = cpuSeconds(subject.server.pid);
      await turns(subject, TURNS);
      subject.perTurnMs.push(((cpuSeconds(subject.server.pid) - before) / TURNS) * 1_000);
    }
  }
  const mean = (list: readonly number[]): number => list.reduce((total, ms) => total + ms, 0) / list.length;
  const means = kinds.map(([name]) =>
    subjects.filter((subject) => subject.name === name).map(({ perTurnMs }) => mean(perTurnMs)),
  );
  const off = mean(means[0] ?? []);
  for (const [n, [name]] of kinds.entries()) {
    const both = means[n] ?? [];
    const each = both.map((ms) => ms.toFixed(2)).join(' and ');
    console.log(
      `${name.padEnd(8)}${mean(both).toFixed(2)} ms (${each})   × ${(mean(both) / off).toFixed(3)}`,
    );
  }
  console.log(`${WINDOWS} windows of ${TURNS} turns each; the collector got ${(spans / 1e6).toFixed(1)} MB`);
} finally {
  for (const { server } of subjects) await server.close();
  provider.kill();
  collector.close();
}
