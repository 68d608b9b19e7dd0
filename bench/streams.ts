/**
 * Live streams at 20 tokens a second on one process: how many begin within a second (p95 of the first token) and end on time, what a
 * token costs in CPU, what a stream costs in memory, and whether memory stays flat when they go on for long.
 * `node bench/streams.ts [--counts 100,300,500,1000] [--tokens 200] [--soak-minutes 0] [--soak-streams 100]`; see docs/performance.md.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cpuSeconds, residentBytes } from './lib/cpu.ts';
import { stop, stopAll } from './lib/processes.ts';
import { type Server, startProvider, startServer } from './lib/servers.ts';
import type { StreamTimes } from './lib/stream-clients.ts';

const { values } = parseArgs({
  options: {
    counts: { type: 'string', default: '100,300,500,1000' },
    tokens: { type: 'string', default: '200' },
    'soak-minutes': { type: 'string', default: '0' },
    'soak-streams': { type: 'string', default: '100' },
  },
});
const whole = (name: keyof typeof values, min: number, max: number): number => {
  const value = Number(values[name]);
  if (!(value >= min && value <= max)) throw new Error(`--${name} needs a number from ${min} to ${max}`);
  return value;
};
const tokens = whole('tokens', 2, 2_000);
const soakMinutes = whole('soak-minutes', 0, 600);
const soakStreams = whole('soak-streams', 1, 2_000);
const counts = values.counts.split(',').map(Number);
if (counts.some((n) => !Number.isInteger(n) || n < 1 || n > 10_000))
  throw new Error('--counts needs whole numbers');

const PACE_MS = 50;
/** The streams of a round begin over this time: a thousand at once is an attack and no load. */
const RAMP_MS = 4_000;
const answerMs = tokens * PACE_MS;
/** An answer is on time when it ends no later than its own pace, a second for its start, and a twentieth more. */
const onTimeMs = answerMs * 1.05 + 1_000;
const GIVE_UP_MS = answerMs * 3 + 10_000;

interface Round {
  server: string;
  streams: number;
  firstP50Ms: number;
  firstP95Ms: number;
  ended: number;
  onTime: number;
  tokensPerCpuSecond: number;
  kibPerStream: number;
}

const percentile = (all: readonly number[], p: number): number =>
  [...all].sort((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * p))] ?? Number.NaN;

interface FromClients {
  type: 'begun' | 'times';
  times?: StreamTimes[];
}

const next = (child: ChildProcess, type: FromClients['type']): Promise<FromClients> =>
  new Promise((resolve, reject) => {
    child.on('message', (message: FromClients) => {
      if (message.type === type) resolve(message);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`the readers ended before they said ${type}`)));
  });

const message = 'Say the fixed answer.';

const round = async (server: Server, name: string, streams: number): Promise<Round> => {
  const [where, body] =
    name === 't'
      ? ['/chat/stream', { message }]
      : ['/api/v1/chat/stream', { message, context: { agent_id: 'zeus' } }];
  const rssBefore = residentBytes(server.pid);
  const cpuBefore = cpuSeconds(server.pid);
  const child = fork(fileURLToPath(new URL('./lib/stream-clients.ts', import.meta.url)), [
    server.url + where,
    JSON.stringify(server.headers),
    JSON.stringify(body),
    String(streams),
    String(RAMP_MS),
    'Token',
    ` t${tokens - 1}`,
    String(GIVE_UP_MS),
  ]);
  const times = next(child, 'times');
  await next(child, 'begun');
  const rssLive = residentBytes(server.pid);
  const seen = (await times).times ?? [];
  const cpu = cpuSeconds(server.pid) - cpuBefore;
  const firsts = seen.flatMap((one) => (one.firstMs === null ? [] : [one.firstMs]));
  const ends = seen.flatMap((one) => (one.lastMs === null ? [] : [one.lastMs]));
  return {
    server: name,
    streams,
    firstP50Ms: percentile(firsts, 0.5),
    // A stream without a token counts as one that began too late.
    firstP95Ms: firsts.length < streams * 0.95 ? Number.POSITIVE_INFINITY : percentile(firsts, 0.95),
    ended: ends.length,
    onTime: ends.filter((ms) => ms <= onTimeMs).length,
    tokensPerCpuSecond: (ends.length * tokens) / cpu,
    kibPerStream: (rssLive - rssBefore) / 1024 / streams,
  };
};

const say = (text: string): void => void process.stderr.write(`${text}\n`);
const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-streams-'));
const rounds: Round[] = [];
const soak: { minute: number; mib: number; onTime: number; streams: number }[] = [];
try {
  const provider = await startProvider(folder, tokens, PACE_MS);
  for (const name of ['t', 'pentarch'] as const) {
    const server = await startServer(name, folder, provider.url);
    say(`${name}: warming`);
    await round(server, name, 20);
    for (const streams of name === 't' ? counts.slice(0, 1) : counts) {
      say(`${name}: ${streams} streams`);
      rounds.push(await round(server, name, streams));
    }
    if (name === 'pentarch' && soakMinutes > 0) {
      const until = performance.now() + soakMinutes * 60_000;
      const startedAt = performance.now();
      while (performance.now() < until) {
        const { onTime } = await round(server, name, soakStreams);
        const minute = (performance.now() - startedAt) / 60_000;
        const mib = residentBytes(server.pid) / 1024 / 1024;
        soak.push({ minute, mib, onTime, streams: soakStreams });
        say(`soak: ${minute.toFixed(1)} min, ${mib.toFixed(0)} MiB, ${onTime} of ${soakStreams} on time`);
      }
    }
    await stop(server);
  }
} finally {
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
}

const figure = (value: number, digits = 0): string => (Number.isFinite(value) ? value.toFixed(digits) : '–');
const base = rounds.find((one) => one.server === 't');
const lines = rounds.map((one) => {
  const ratio = base === undefined ? Number.NaN : one.tokensPerCpuSecond / base.tokensPerCpuSecond;
  const holds = one.firstP95Ms < 1_000 && one.onTime === one.streams;
  return `| ${[one.server, one.streams, figure(one.firstP50Ms), figure(one.firstP95Ms), one.ended, one.onTime, holds ? 'yes' : 'no', figure(one.tokensPerCpuSecond), figure(ratio, 2), figure(one.kibPerStream)].join(' | ')} |`;
});
process.stdout.write(
  [
    `Node ${process.versions.node}, ${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}; ${tokens}-token answers at 20 a second; load of the machine ${loadavg()
      .map((n) => n.toFixed(1))
      .join(', ')}`,
    '',
    '| server | streams | first token p50 ms | p95 ms | ended | on time | holds | tokens per CPU second | of T | KiB a stream |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...lines,
    '',
    ...soak.map(
      (one) =>
        `soak ${one.minute.toFixed(1)} min: ${one.mib.toFixed(0)} MiB, ${one.onTime} of ${one.streams} on time`,
    ),
    '',
  ].join('\n'),
);
