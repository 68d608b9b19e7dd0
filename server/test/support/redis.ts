import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from './free-port.ts';

/** A throw-away Redis (or Valkey) on a free loopback port; nothing is kept. */
export interface TestRedis {
  url: string;
  stop(): Promise<void>;
}

const START_TIMEOUT_MS = 20_000;

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.setTimeout(1_000, () => socket.destroy());
    socket.once('data', (data) => {
      resolve(data.toString().startsWith('+PONG'));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });

export const startRedis = async (program = 'redis-server'): Promise<TestRedis> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-redis-'));
  const port = await freePort();
  const args = [
    '--bind',
    '127.0.0.1',
    '--port',
    String(port),
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
  ];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-2_000);
    });
  }
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      log += error.message;
      ended = true;
      resolve();
    });
    child.once('exit', () => {
      ended = true;
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const startedAt = Date.now();
  while (!(await answers(port))) {
    if (ended || Date.now() - startedAt > START_TIMEOUT_MS) {
      await stop();
      throw new Error(`${program} did not start (Debian's package is redis-server): ${log}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { url: `redis://127.0.0.1:${port}`, stop };
};
