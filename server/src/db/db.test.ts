import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compiled } from './compiled.ts';
import type { Db } from './db.ts';
import { openSqlite } from './open.ts';

const insertKey = compiled<{ id: string; at: number }, never>((db, p) =>
  db.insertInto('idempotency_keys').values({
    caller_id: p('id'),
    key: 'k',
    fingerprint: 'f',
    state: 'running',
    created_at: p('at'),
  }),
);

describe('sqlite store', () => {
  let folder: string;
  let db: Db;
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'pentarch-db-'));
    db = await openSqlite({ file: path.join(folder, 'p.sqlite'), synchronous: 'normal' });
  });
  afterEach(async () => {
    await db.close();
    rmSync(folder, { recursive: true });
  });

  const ids = async () =>
    (await db.read.selectFrom('idempotency_keys').select('caller_id').orderBy('caller_id').execute()).map(
      (row) => row.caller_id,
    );

  it('commits the writes of one turn together and rolls a failing one back alone', async () => {
    const results = await Promise.allSettled([
      db.write((tx) => insertKey(tx, { id: 'a', at: 1 })),
      db.write(async (tx) => {
        await insertKey(tx, { id: 'lost', at: 2 });
        throw new Error('on purpose');
      }),
      db.write((tx) => insertKey(tx, { id: 'b', at: 3 })),
    ]);
    expect(results.map((r) => r.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await ids()).toEqual(['a', 'b']);
  });

  it('gives plain rows of one shape, with and without rows, for limits bound anew', async () => {
    for (const id of ['a', 'b', 'c']) await db.write((tx) => insertKey(tx, { id, at: 1 }));
    const page = (limit: number, offset: number) =>
      db.read
        .selectFrom('idempotency_keys')
        .select(['caller_id', 'created_at'])
        .orderBy('caller_id')
        .limit(limit)
        .offset(offset)
        .execute();
    expect(await page(1, 0)).toStrictEqual([{ caller_id: 'a', created_at: 1 }]);
    expect(await page(5, 1)).toStrictEqual([
      { caller_id: 'b', created_at: 1 },
      { caller_id: 'c', created_at: 1 },
    ]);
    expect(await page(5, 3)).toStrictEqual([]);
  });

  it('shows a write to readers once it is acknowledged, and not before', async () => {
    let seenInside: string[] = [];
    await db.write(async (tx) => {
      await insertKey(tx, { id: 'a', at: 1 });
      seenInside = await ids();
    });
    expect(seenInside).toEqual([]);
    expect(await ids()).toEqual(['a']);
  });

  it('does what is to be done after the commit when the rows can be read, once, and never after a rollback', async () => {
    const seen: string[][] = [];
    const add = (id: string, fails = false) =>
      db.write(
        async (tx) => {
          tx.afterCommit(() => void ids().then((now) => seen.push(now)));
          await insertKey(tx, { id, at: 1 });
          if (fails) throw new Error('on purpose');
        },
        { repeatable: true },
      );
    await Promise.allSettled([add('a'), add('lost', true), add('b')]);
    await expect
      .poll(() => seen)
      .toEqual([
        ['a', 'b'],
        ['a', 'b'],
      ]);
  });

  it('runs writes that may be repeated anew where one of their turn fails, and only that one is lost', async () => {
    let runs = 0;
    const add = (id: string, fails = false) =>
      db.write(
        async (tx) => {
          runs += 1;
          await insertKey(tx, { id, at: 1 });
          if (fails) throw new Error('on purpose');
          return id;
        },
        { repeatable: true },
      );
    const plain = db.write(async (tx) => {
      await insertKey(tx, { id: 'plain', at: 1 });
      return 'plain';
    });
    const results = await Promise.allSettled([add('a'), add('lost', true), plain, add('b')]);
    expect(results.map((r) => (r.status === 'fulfilled' ? r.value : r.reason.message))).toEqual([
      'a',
      'on purpose',
      'plain',
      'b',
    ]);
    expect(runs).toBeGreaterThan(3);
    expect(await ids()).toEqual(['a', 'b', 'plain']);
  });

  it('brings a long log into the file and starts it over, while writers go on', async () => {
    const full = await openSqlite({ file: path.join(folder, 'full.sqlite'), synchronous: 'full' });
    const logLength = async () => {
      const { rows } = await sql<{ log: number }>`pragma wal_checkpoint(noop)`.execute(full.read);
      return rows[0]?.log ?? 0;
    };
    const blob = 'x'.repeat(400_000);
    let longest = 0;
    let begunAnew = false;
    for (let n = 0; n < 400 && !begunAnew; n++) {
      await full.write(async (tx) => {
        await insertKey(tx, { id: `${n}-${blob}`, at: n });
      });
      const length = await logLength();
      begunAnew = length < longest;
      longest = Math.max(longest, length);
    }
    expect(begunAnew).toBe(true);
    const rows = await full.read.selectFrom('idempotency_keys').select('created_at').execute();
    expect(rows.map((row) => row.created_at)).toEqual(rows.map((_, n) => n));
    await full.close();
  });

  it('rejects a write that breaks a key without harming the next', async () => {
    await db.write((tx) => insertKey(tx, { id: 'a', at: 1 }));
    await expect(db.write((tx) => insertKey(tx, { id: 'a', at: 1 }))).rejects.toThrow(/UNIQUE/);
    await db.write((tx) => insertKey(tx, { id: 'b', at: 1 }));
    expect(await ids()).toEqual(['a', 'b']);
  });
});
