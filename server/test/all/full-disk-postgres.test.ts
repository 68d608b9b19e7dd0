import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { startProcess, type TestServer } from '../support/server.ts';
import { newDatabase, postgresServer } from '../support/stores.ts';

/** A PostgreSQL that answers, and whose disk is full: /ready says so by name before and after somebody has met it, the log once. */

const QUESTION = { message: 'How are you?', context: { agent_id: 'zeus' } };

const query = async (url: string, text: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(text).finally(() => client.end());
};

/** A disk of some megabytes; null where this account may not mount one. */
const smallDisk = (): string | null => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m,mode=777', 'none', folder], { stdio: 'pipe' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
};

interface Readiness {
  status: number;
  store: { status: string; detail?: string };
}
const readiness = async (server: TestServer): Promise<Readiness> => {
  const answer = await server.anonymous().get('/ready');
  const { checks } = answer.json<{ checks: { store: Readiness['store'] } }>();
  return { status: answer.status, store: checks.store };
};
const FULL = { status: 503, store: { status: 'failed', detail: expect.stringContaining('disk is full') } };
const named = (server: TestServer) => server.log.filter((line) => line.msg === 'not ready: store');

describe.each(['tables of chats take no rows', 'the disk has no room'])('where %s', (how) => {
  const disk = how === 'the disk has no room' ? smallDisk() : null;
  let server: TestServer;
  let admin: Client;
  let database: { url: string; drop(): Promise<void> };

  beforeAll(async () => {
    database = await newDatabase(postgresServer ?? '');
    if (disk !== null) {
      const folder = path.join(disk, 'space');
      const name = new URL(database.url).pathname.slice(1);
      execFileSync('mkdir', ['-m', '777', folder]);
      chmodSync(folder, 0o777);
      const [, owner = ''] =
        execFileSync('ps', ['-eo', 'comm,user'], { encoding: 'utf8' }).match(/^postgres\s+(\S+)/m) ?? [];
      execFileSync('chown', [owner, folder]);
      await query(postgresServer ?? '', `create tablespace small_disk location '${folder}'`);
      await query(postgresServer ?? '', `alter database ${name} set tablespace small_disk`);
    }
    server = await startProcess({ env: { DATABASE_URL: database.url } });
    admin = await server.signIn();
  }, 120_000);
  afterAll(async () => {
    await server?.close();
    await database?.drop();
    if (disk !== null) {
      await query(postgresServer ?? '', 'drop tablespace small_disk');
      execFileSync('umount', [disk]);
      rmSync(disk, { recursive: true });
    }
  });

  const filler = (): string => path.join(disk ?? '', 'filler');
  const fill = async (): Promise<void> => {
    if (disk === null) {
      await query(
        database.url,
        `create function no_room() returns trigger language plpgsql as
          $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
         create trigger no_room before insert on runs for each row execute function no_room();`,
      );
      return;
    }
    const file = openSync(filler(), 'w');
    try {
      for (;;) writeSync(file, Buffer.alloc(64 * 1024));
    } catch {
      // Full.
    } finally {
      closeSync(file);
    }
  };
  const makeRoom = async (): Promise<void> => {
    if (disk === null) await query(database.url, 'drop trigger no_room on runs; drop function no_room()');
    else rmSync(filler());
  };

  it.skipIf(how === 'the disk has no room' && disk === null)(
    req(
      'OPS-20',
      '/ready says so and why, the log once, chats are refused, and all is well when there is room',
    ),
    async () => {
      expect((await admin.post('/v2/chat', QUESTION)).status).toBe(200);
      // Beside the start the embedding model is loaded.
      await expect.poll(async () => (await readiness(server)).status, { timeout: 60_000 }).toBe(200);
      await fill();
      // With a real disk nobody has to meet it first.
      if (disk !== null) await expect.poll(() => readiness(server), { timeout: 120_000 }).toMatchObject(FULL);
      // With one, pages that are there may still take a question whose answer then waits for room (RUN-22).
      if (disk === null) expect((await admin.post('/v2/chat', QUESTION)).status).toBe(503);
      await expect.poll(() => readiness(server)).toMatchObject(FULL);
      await expect.poll(() => named(server).length).toBe(1);
      expect(named(server)[0]).toMatchObject({
        level: 40,
        parts: { store: expect.stringContaining('disk is full') },
      });
      expect(server.log).toContainEqual(
        expect.objectContaining({ level: 40, msg: 'the store refuses writes', reason: 'full' }),
      );
      await makeRoom();
      await expect
        .poll(async () => (await readiness(server)).status, { timeout: 120_000, interval: 200 })
        .toBe(200);
      expect((await admin.post('/v2/chat', QUESTION)).status).toBe(200);
      expect(named(server)).toHaveLength(1);
      expect(server.log.some((line) => line.msg === 'ready again')).toBe(true);
    },
    300_000,
  );
});
