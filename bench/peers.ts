/**
 * The platform beside peers that install from the registries: the same test provider, the same machine, one run.
 * `node bench/peers.ts [--seconds 3] [--only portkey,mastra,litellm] [--keep FOLDER]`; see docs/performance.md. Peers are
 * installed into a temporary folder, or into one that is kept for the next run; one that does not install or start is said and left out.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startLoad } from './lib/load.ts';
import { percentile } from './lib/measure.ts';
import { TOKENS } from './lib/parts.ts';
import { completion, MESSAGE, PEERS, type Request } from './lib/peers.ts';
import { stopAll } from './lib/processes.ts';
import { startProvider, startServer } from './lib/servers.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    keep: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
if (!(seconds >= 1 && seconds <= 60)) throw new Error('--seconds needs a number from 1 to 60');
const wanted = values.only === '' ? Object.keys(PEERS) : values.only.split(',');
const unknown = wanted.filter((name) => PEERS[name] === undefined);
if (unknown.length > 0)
  throw new Error(`--only knows ${Object.keys(PEERS).join(', ')}; not ${unknown.join(', ')}`);

interface Subject {
  name: string;
  features: string;
  url: string;
  pid: number;
  headers: Record<string, string>;
  json: Request;
  stream: Request;
}

interface Figures {
  latenciesMs: number[];
  requests: number;
  cpuSeconds: number;
}

const ROUNDS = 3;
const WARM_MS = 3_000;
const SETTLE_MS = 250;
const LOADS = [
  { key: 'latency', kind: 'json', connections: 1 },
  { key: 'json', kind: 'json', connections: 16 },
  { key: 'stream', kind: 'stream', connections: 16 },
] as const;
type LoadKey = (typeof LOADS)[number]['key'];

const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
const faults: string[] = [];
const fault = (what: string, error: unknown): void => {
  const text = `${what}: ${(error instanceof Error ? error.message : String(error)).split('\n').join(' ')}`;
  faults.push(text);
  say(`FAILED ${text}`);
};

const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-peers-'));
const home = values.keep ?? path.join(folder, 'installed');
mkdirSync(home, { recursive: true });
const load = startLoad();
const interrupt = (): void => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(130);
};
process.once('SIGINT', interrupt);
process.once('SIGTERM', interrupt);

const results = new Map<Subject, Map<LoadKey, Figures>>();
try {
  const json = { 'content-type': 'application/json' };
  const provider = await startProvider(folder, TOKENS, 0);
  const subjects: Subject[] = [
    {
      ...provider,
      name: 'the test provider itself',
      features: 'a fixed answer',
      headers: json,
      ...completion('/chat/completions', 'test'),
    },
  ];
  const t = await startServer('t', folder, provider.url);
  const plain = { message: MESSAGE };
  subjects.push({
    ...t,
    name: 'T, a proxy of 100 lines',
    features: 'nothing but the call',
    json: { path: '/chat', body: plain },
    stream: { path: '/chat/stream', body: plain },
  });
  const pentarch = await startServer('pentarch', folder, provider.url);
  const asked = { message: MESSAGE, context: { agent_id: 'zeus' } };
  subjects.push({
    ...pentarch,
    name: 'Pentarch',
    features:
      'all on but rate limits: sign-in, budget, ledger, journal, memory, audit, SQLite with full synchronisation',
    json: { path: '/api/v1/chat', body: asked },
    stream: { path: '/api/v1/chat/stream', body: asked },
  });
  for (const name of wanted) {
    const peer = PEERS[name];
    if (peer === undefined) continue;
    const place = path.join(home, name);
    try {
      const done = path.join(place, 'installed');
      if (!existsSync(done)) {
        say(`installing ${peer.name}`);
        await peer.install(place);
        writeFileSync(done, '');
      }
      say(`starting ${peer.name}`);
      subjects.push({ ...(await peer.start(place, provider.url)), ...peer, name: peer.name });
    } catch (error) {
      fault(peer.name, error);
    }
  }

  for (const { key, kind, connections } of LOADS) {
    say(`measuring ${key}`);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const subject of subjects) {
        const request = subject[kind];
        try {
          const result = await load.run({
            url: subject.url + request.path,
            method: 'POST',
            headers: subject.headers,
            body: JSON.stringify(request.body),
            connections,
            spreadMs: 0,
            warmMs: round === 0 ? WARM_MS : SETTLE_MS,
            windowMs: (seconds * 1000) / ROUNDS,
            maxRequests: 500_000,
            pid: subject.pid,
            expect: ` t${TOKENS - 1}`,
          });
          if (result.failures > 0.01 * result.requests) {
            throw new Error(`${result.failures} bad answers, first: ${result.firstFailure ?? 'unknown'}`);
          }
          if (result.requests === 0) continue;
          const own = results.get(subject) ?? new Map<LoadKey, Figures>();
          const before = own.get(key) ?? { latenciesMs: [], requests: 0, cpuSeconds: 0 };
          own.set(key, {
            latenciesMs: [...before.latenciesMs, ...result.latenciesMs],
            requests: before.requests + result.requests,
            cpuSeconds: before.cpuSeconds + result.cpuSeconds,
          });
          results.set(subject, own);
        } catch (error) {
          if (round === 0) fault(`${key} of ${subject.name}`, error);
        }
      }
    }
    for (const subject of subjects) {
      const told = faults.some((text) => text.startsWith(`${key} of ${subject.name}`));
      if (!told && results.get(subject)?.get(key) === undefined)
        fault(`${key} of ${subject.name}`, 'no answer came');
    }
  }
} finally {
  await load.close();
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
}

const [bare] = [...results.values()];
const directMs = percentile(bare?.get('latency')?.latenciesMs ?? [], 0.5) ?? Number.NaN;
const ofT = [...results].find(([{ name }]) => name.startsWith('T,'))?.[1];
const rate = (figures: Figures | undefined): number =>
  figures === undefined ? Number.NaN : figures.requests / figures.cpuSeconds;
const shown = (value: number, digits = 0): string =>
  Number.isFinite(value)
    ? value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })
    : '–';
const cell = (own: Map<LoadKey, Figures>, key: LoadKey): string => {
  const perSecond = rate(own.get(key));
  return Number.isFinite(perSecond)
    ? `${shown(perSecond)} (${shown(perSecond / rate(ofT?.get(key)), 2)})`
    : '–';
};
const rows = [...results].map(([{ name, features }, own]) => {
  const median = percentile(own.get('latency')?.latenciesMs ?? [], 0.5) ?? Number.NaN;
  return `| ${name} | ${features} | ${shown(median - directMs, 2)} | ${cell(own, 'json')} | ${cell(own, 'stream')} |`;
});
const [one = 0, five = 0] = loadavg();
process.stdout.write(
  `Node ${process.versions.node}, ${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}; load average at the end ${one.toFixed(1)} (1 min), ${five.toFixed(1)} (5 min); ${TOKENS}-token answers, ${seconds} s a figure\n\n`,
);
process.stdout.write(
  `| server | on | added at 1 connection, p50 ms | answers per CPU second (× T) | streamed answers per CPU second (× T) |\n|---|---|---|---|---|\n${rows.join('\n')}\n`,
);
for (const text of faults) process.stdout.write(`FAILED ${text}\n`);
