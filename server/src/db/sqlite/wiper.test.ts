import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Db } from '../db.ts';
import { openSqlite, openSqliteFile, vacuumSqlite } from '../open.ts';
import { removesContent } from './wiper.ts';

describe('statements that take content away', () => {
  it.each([
    ['delete from "messages" where "id" = ?', true],
    ['delete from "chunk_terms_3" where rowid = ?', true],
    ['update "users" set "name" = ?', true],
    ['update "documents" set "text" = ?', true],
    ['update "conversations" set "message_count" = ?', false],
    ['update "memory_entities" set "used_at" = ?', false],
    ['delete from "cost_holds" where "id" = ?', false],
    ['select * from "messages"', false],
  ])('%s: %s', (sql, removes) => {
    expect(removesContent(sql)).toBe(removes);
  });
});

describe('the files of the store', () => {
  let folder: string;
  let file: string;
  let db: Db;
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'pentarch-wipe-'));
    file = path.join(folder, 'p.sqlite');
    db = await openSqlite({ file, synchronous: 'normal' });
  });
  afterEach(async () => {
    await db.close().catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  });

  const notice = (id: string, comment: string) =>
    db.write((tx) =>
      tx
        .insertInto('idempotency_keys')
        .values({ caller_id: id, key: comment, fingerprint: 'f', state: 'running', created_at: 0 })
        .execute(),
    );
  const holds = (name: string, word: string): boolean =>
    readFileSync(`${file}${name}`).toString('latin1').includes(word);

  it('can be read by their owner alone', () => {
    for (const name of ['', '-wal', '-shm']) expect(statSync(`${file}${name}`).mode & 0o777).toBe(0o600);
  });

  it('lose with a deletion what the log still held, and take writes on as before', async () => {
    await notice('a', 'zyxoquarb');
    expect(holds('-wal', 'zyxoquarb')).toBe(true);
    await db.write((tx) => tx.deleteFrom('idempotency_keys').execute());
    // Any table with content of people begins it.
    await db.write((tx) => tx.deleteFrom('messages').execute());
    await expect
      .poll(() => holds('-wal', 'zyxoquarb') || holds('', 'zyxoquarb'), { timeout: 60_000 })
      .toBe(false);
    expect(statSync(`${file}-wal`).size).toBeGreaterThan(16e6);
    for (let i = 0; i < 50; i++) await notice(String(i), `after ${i}`);
    const { n } = await db.read
      .selectFrom('idempotency_keys')
      .select((e) => e.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    expect(Number(n)).toBe(50);
    await db.close();
    const again = openSqliteFile(file, { readOnly: false, synchronous: 'normal' });
    expect(again.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' });
    again.close();
  }, 90_000);

  it('are written anew by a vacuum, without what an earlier release had only marked as free', async () => {
    await db.close();
    const old = openSqliteFile(file, { readOnly: false, synchronous: 'normal' });
    old.exec('pragma secure_delete = off');
    const add = old.prepare(
      "insert into idempotency_keys (caller_id, key, fingerprint, state, created_at) values (?, ?, 'f', 'running', 0)",
    );
    for (let i = 0; i < 500; i++) add.run(String(i), `plumverdion ${i} `.repeat(50));
    old.exec('delete from idempotency_keys');
    old.exec('pragma wal_checkpoint(truncate)');
    old.close();
    expect(holds('', 'plumverdion')).toBe(true);
    vacuumSqlite(file);
    expect(holds('', 'plumverdion')).toBe(false);
  });
});
