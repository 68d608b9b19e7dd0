import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Sockets of one process: memory of each of 10,000 idle ones, and the fan-out of one event to 2,000. Every tenth socket
 * has a token of its own. Server and clients are processes of their own. `node bench/realtime.ts [idle] [fan-out]`
 */
interface Message {
  type: string;
  port?: number;
  rssBytes?: number;
  sockets?: number;
  delays?: number[];
}

const file = (name: string): string => fileURLToPath(new URL(`./lib/${name}`, import.meta.url));

const next = (child: ChildProcess, type: string): Promise<Message> =>
  new Promise((resolve, reject) => {
    const onMessage = (message: Message): void => {
      if (message.type !== type) return;
      child.off('message', onMessage);
      child.off('exit', onExit);
      resolve(message);
    };
    const onExit = (): void => reject(new Error(`a process ended before it said ${type}`));
    child.on('message', onMessage);
    child.once('exit', onExit);
  });

const ask = (child: ChildProcess, type: string): Promise<Message> => {
  const answer = next(child, type);
  child.send({ type });
  return answer;
};

const percentile = (sorted: readonly number[], p: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? 0;

const startServer = async (): Promise<{ server: ChildProcess; url: string }> => {
  const server = fork(file('socket-server.ts'), [], { execArgv: ['--expose-gc'] });
  const { port } = await next(server, 'listening');
  return { server, url: `ws://127.0.0.1:${port}/v2/ws` };
};

const startClients = async (url: string, count: number): Promise<ChildProcess> => {
  const tokens = Array.from({ length: Math.max(1, Math.floor(count / 10)) }, (_, i) => `user-${i}`);
  const clients = fork(file('socket-clients.ts'), [url, tokens.join(','), String(count)]);
  await next(clients, 'open');
  return clients;
};

const idle = async (count: number): Promise<void> => {
  const { server, url } = await startServer();
  // The first sockets load code and grow tables that the others share.
  const warm = await startClients(url, 200);
  const before = await ask(server, 'memory');
  const started = performance.now();
  const clients = await startClients(url, count);
  const openedMs = performance.now() - started;
  const after = await ask(server, 'memory');
  const eachKiB = ((after.rssBytes ?? 0) - (before.rssBytes ?? 0)) / count / 1024;
  process.stdout.write(
    `idle sockets: ${after.sockets} open (${Math.round((count / openedMs) * 1000)} a second), ${eachKiB.toFixed(1)} KiB each, ${Math.round((after.rssBytes ?? 0) / 1024 ** 2)} MiB in all\n`,
  );
  for (const child of [warm, clients]) child.send({ type: 'stop' });
  server.send({ type: 'stop' });
};

const fanOut = async (count: number, rounds: number): Promise<void> => {
  const { server, url } = await startServer();
  const clients = await startClients(url, count);
  const all: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const arrived = next(clients, 'delays');
    server.send({ type: 'publish' });
    all.push(...((await arrived).delays ?? []));
  }
  all.sort((a, b) => a - b);
  process.stdout.write(
    `fan-out of one event to ${count} sockets, ${rounds} times: p50 ${percentile(all, 0.5).toFixed(1)} ms, p95 ${percentile(all, 0.95).toFixed(1)} ms, last ${(all.at(-1) ?? 0).toFixed(1)} ms\n`,
  );
  clients.send({ type: 'stop' });
  server.send({ type: 'stop' });
};

const [idleCount = '10000', fanOutCount = '2000'] = process.argv.slice(2);
await idle(Number(idleCount));
await fanOut(Number(fanOutCount), 20);
