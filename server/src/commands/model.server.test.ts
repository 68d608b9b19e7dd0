import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCommand, startCommand } from '../../test/support/command.ts';
import { startServer } from '../../test/support/server.ts';
import { writeTinyGguf } from '../../test/support/tiny-gguf.ts';
import { progressLine } from './model.ts';

/** `model pull`, `list` and `remove` as programs: killed, begun again, two at once, and what `MODEL=local` makes of it. */

vi.setConfig({ testTimeout: 120_000 });

let folder: string;
let server: Server;
let address: string;
let bytes: Buffer;
let ranges: (string | undefined)[] = [];
/** Where the next answer stops for good; null: nowhere. */
let stopAt: number | null = null;
const stopped: ServerResponse[] = [];

const env = (): Record<string, string> => ({ DATA_DIR: path.join(folder, 'data') });
const modelFolder = (): string => path.join(folder, 'data', 'models');

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'pentarch-model-'));
  const file = path.join(folder, 'tiny.gguf');
  writeTinyGguf(file, { contextTokens: 512, embedding: 32, layers: 1 });
  // Large enough that the half of it is on the disk and not in the memory of the program.
  bytes = Buffer.concat([readFileSync(file), Buffer.alloc(8_000_000)]);
  server = createServer((request, response) => {
    ranges.push(request.headers.range);
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const body = bytes.subarray(from);
    response.writeHead(from > 0 ? 206 : 200, {
      etag: '"tiny"',
      'content-length': body.length,
      ...(from > 0 ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {}),
    });
    if (stopAt === null) return void response.end(body);
    response.write(body.subarray(0, stopAt));
    stopped.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tiny.gguf`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

const partBytes = (): number => {
  try {
    return statSync(path.join(modelFolder(), '.tiny.part', 'model.gguf')).size;
  } catch {
    return 0;
  }
};

describe('the command model', () => {
  it('is killed in the middle and goes on from there; a second one at the same time is refused', async () => {
    stopAt = 4_000_000;
    const killed = startCommand(['model', 'pull', address], env());
    await vi.waitUntil(() => partBytes() > 1_000_000, { timeout: 60_000, interval: 20 });
    const second = await runCommand(['model', 'pull', address], env());
    expect(second.code).toBe(1);
    expect(second.err).toContain('another process pulls a model');
    killed.child.kill('SIGKILL');
    await killed.done;
    expect(readdirSync(modelFolder()).includes('tiny')).toBe(false);

    stopAt = null;
    ranges = [];
    const done = await runCommand(['model', 'pull', address], env());
    expect(done.err).toBe('');
    expect(done.code).toBe(0);
    expect(Number(ranges[0]?.slice('bytes='.length, -1))).toBeGreaterThan(1_000_000);
    expect(done.out).toContain('MODEL=local/tiny');
    expect(readFileSync(path.join(modelFolder(), 'tiny', 'model.gguf')).equals(bytes)).toBe(true);
    // Quiet where there is no terminal.
    expect(done.out).not.toContain('%');
  });

  it('lists and removes, and says what it does not know', async () => {
    const listed = await runCommand(['model', 'list'], env());
    expect(listed.out).toMatch(/tiny +7\.\d MiB, licence not said/);
    expect(listed.out).toContain('multilingual-e5-small');
    const wrong = await runCommand(['model', 'pull', 'no-such-model'], env());
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('qwen3-4b');
    expect((await runCommand(['model', 'remove', 'tiny'], env())).out).toBe('removed tiny\n');
    expect((await runCommand(['model', 'remove', 'tiny'], env())).code).toBe(1);
  });

  it('is what a server is pointed to that has no model yet', async () => {
    for (const [setting, command] of [
      [{ MODEL: 'local' }, 'pentarch model pull qwen2.5-1.5b'],
      [{ MODEL: 'local/other' }, 'no model "other" was pulled'],
      [{ EMBEDDING_MODEL: 'builtin-multilingual' }, 'pentarch model pull multilingual-e5-small'],
      [{ EMBEDDING_MODEL: 'onnx/other' }, 'there is no such folder'],
    ] as const)
      await expect(startServer({ env: setting }), JSON.stringify(setting)).rejects.toThrow(command);
  });
});

describe('the line of progress', () => {
  it('tells share, bytes, rate and the time that is left', () => {
    const lines: string[] = [];
    let nowMs = 0;
    const tell = progressLine(
      (line) => lines.push(line),
      () => nowMs,
    );
    const mib = 1024 * 1024;
    tell({ name: 'model.gguf', doneBytes: 0, totalBytes: 100 * mib });
    nowMs = 1_000;
    tell({ name: 'model.gguf', doneBytes: 10 * mib, totalBytes: 100 * mib });
    expect(lines.at(-1)).toBe('model.gguf 10 %  10.0 MiB of 100.0 MiB  10.0 MiB/s, 9 s left');
    nowMs = 1_010;
    tell({ name: 'model.gguf', doneBytes: 11 * mib, totalBytes: 100 * mib });
    expect(lines).toHaveLength(2);
  });
});
