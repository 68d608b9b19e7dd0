/**
 * Compares the platform with baselines of the same run and prints what it must reach and what it reached.
 * `npm run bench -- [--seconds 3] [--only NAME,...] [--json FILE]`; see docs/performance.md.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { residentBytes } from './lib/cpu.ts';
import { startLoad } from './lib/load.ts';
import { measure, type Row, type Targets } from './lib/measure.ts';
import { choose, PARTS, type Part, TOKENS } from './lib/parts.ts';
import { stop, stopAll } from './lib/processes.ts';
import { goalsTable, reached, rowsTable, type StartFigures } from './lib/report.ts';
import { post, SERVERS, type Server, startPentarch, startProvider, startServer } from './lib/servers.ts';

/** Conversations there are when the list is measured: its page of 20 is full. */
const LISTED_CONVERSATIONS = 100;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
});
const seconds = Number(values.seconds);
if (!(seconds >= 0.5 && seconds <= 120)) throw new Error('--seconds needs a number from 0.5 to 120');
const names = values.only.split(',').filter((name) => name !== '');
const ROWS = [...new Set(PARTS.flatMap((part) => part.entries.map((entry) => entry.row))), 'start'];
const known: string[] = [...SERVERS, ...ROWS];
const unknown = names.filter((name) => !known.includes(name));
if (unknown.length > 0) throw new Error(`--only knows ${known.join(', ')}; not ${unknown.join(', ')}`);

const pick = <T extends string>(all: readonly T[]): T[] => {
  const some = all.filter((name) => names.includes(name));
  return some.length > 0 ? some : [...all];
};
const servers = pick(SERVERS);
const wantedRows = pick(ROWS);

const rows: Row[] = [];
const faults: string[] = [];
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};
const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
  try {
    return await work();
  } catch (error) {
    const fault = `${what}: ${error instanceof Error ? error.message : String(error)}`;
    faults.push(fault);
    say(`FAILED ${fault}`);
    return undefined;
  }
};

/** Second start on one data folder, as a user starts it every day; then two quiet seconds. */
const measureStart = async (folder: string, providerUrl: string): Promise<StartFigures> => {
  const dataFolder = path.join(folder, 'start');
  await stop(await startPentarch(dataFolder, path.join(folder, 'start-1.log'), providerUrl));
  const server = await startPentarch(dataFolder, path.join(folder, 'start-2.log'), providerUrl);
  await sleep(2_000);
  const figures = { startMs: server.startMs, restBytes: residentBytes(server.pid) };
  await stop(server);
  return figures;
};

const fillList = async (server: Server): Promise<void> => {
  for (let n = 0; n < LISTED_CONVERSATIONS; n++)
    await post(`${server.url}/api/v1/conversations`, server.headers, { title: `Conversation ${n}` });
};

/** Starts the servers that the parts of one pace need, runs those parts, stops them. */
const runPace = async (folder: string, paced: readonly Part[]): Promise<void> => {
  const provider = await startProvider(folder, TOKENS, paced[0]!.intervalMs);
  const entries = paced.flatMap((part) => part.entries);
  const targets: Targets = { provider: { ...provider, headers: { 'content-type': 'application/json' } } };
  const needed = SERVERS.filter((name) => entries.some((entry) => entry.server === name));
  for (const name of needed)
    targets[name] = await attempt(`start of ${name}`, () => startServer(name, folder, provider.url));
  const pentarch = targets.pentarch;
  if (pentarch !== undefined && entries.some((entry) => entry.row.startsWith('list')))
    await attempt('conversations for the list', () => fillList(pentarch));
  for (const part of paced) {
    say(`measuring ${[...new Set(part.entries.map((entry) => entry.row))].join(', ')}`);
    const measured = await measure(load, part, targets, seconds);
    rows.push(...measured.rows);
    faults.push(...measured.faults);
    for (const fault of measured.faults) say(`FAILED ${fault}`);
  }
  await stopAll();
};

const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-bench-'));
const load = startLoad();
const interrupt = (): void => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(130);
};
process.once('SIGINT', interrupt);
process.once('SIGTERM', interrupt);

const startedAt = new Date();
let start: StartFigures | undefined;
try {
  const chosen = PARTS.flatMap((part) => choose(part, servers, wantedRows) ?? []);
  for (const intervalMs of new Set(chosen.map((part) => part.intervalMs)))
    await attempt(`parts with ${intervalMs} ms between tokens`, () =>
      runPace(
        folder,
        chosen.filter((part) => part.intervalMs === intervalMs),
      ),
    );
  if (wantedRows.includes('start') && servers.includes('pentarch')) {
    say('measuring start');
    start = await attempt('start', async () => {
      const provider = await startProvider(folder, TOKENS, 0);
      return measureStart(folder, provider.url);
    });
  }
} finally {
  await load.close();
  await stopAll();
  rmSync(folder, { recursive: true, force: true });
}

const machine = `Node ${process.versions.node}, ${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, ${process.platform}`;
const goals = reached(rows, start);
process.stdout.write(`${machine}; ${TOKENS}-token answers, ${seconds} s a row\n\n${rowsTable(rows)}\n`);
if (servers.includes('pentarch')) process.stdout.write(`\n${goalsTable(goals)}\n`);
for (const fault of faults) process.stdout.write(`FAILED ${fault}\n`);
const elapsedSeconds = (Date.now() - startedAt.getTime()) / 1000;
process.stdout.write(`\n${Math.round(elapsedSeconds)} s\n`);
if (values.json !== undefined) {
  const result = { startedAt, machine, tokens: TOKENS, seconds, elapsedSeconds, rows, start, goals, faults };
  writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
}
process.exitCode = faults.length > 0 ? 1 : 0;
