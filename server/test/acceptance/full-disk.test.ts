import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { startProcess, type TestServer } from '../support/server.ts';

/** SQLite on a disk that is full: a small one of its own, where this account may mount one. */

const mounted = (): string | null => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m,mode=777', 'none', folder], { stdio: 'pipe' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
};

const disk = mounted();
let server: TestServer;
beforeAll(async () => {
  if (disk !== null)
    server = await startProcess({ dataDir: path.join(disk, 'data'), env: { DATABASE_URL: '' } });
});
afterAll(async () => {
  await server?.close();
  if (disk === null) return;
  execFileSync('umount', [disk]);
  rmSync(disk, { recursive: true });
});

const fill = (file: string): void => {
  const filler = openSync(file, 'w');
  try {
    for (;;) writeSync(filler, Buffer.alloc(64 * 1024));
  } catch {
    // Full.
  } finally {
    closeSync(filler);
  }
};

it.skipIf(disk === null)(
  req('OPS-20', 'a full disk of the data folder makes /ready say no, by name, until there is room'),
  async () => {
    const look = async () => {
      const answer = await server.anonymous().get('/ready');
      const { checks } = answer.json<{ checks: Record<string, { status: string; detail?: string }> }>();
      return { status: answer.status, disk: checks.disk };
    };
    // Beside the start the embedding model is loaded.
    await expect.poll(async () => (await look()).status, { timeout: 60_000 }).toBe(200);
    const filler = path.join(disk ?? '', 'filler');
    fill(filler);
    await expect.poll(look).toMatchObject({
      status: 503,
      disk: { status: 'failed', detail: '0 MiB left for the data folder' },
    });
    const told = () => server.log.filter((line) => /^not ready: .*disk/.test(String(line.msg)));
    await expect
      .poll(() => told()[0])
      .toMatchObject({ level: 40, parts: { disk: '0 MiB left for the data folder' } });
    rmSync(filler);
    await expect.poll(async () => (await look()).status, { timeout: 30_000 }).toBe(200);
    const admin = await server.signIn();
    expect((await admin.post('/v2/chat', { message: 'hello' })).status).toBe(200);
  },
  120_000,
);
