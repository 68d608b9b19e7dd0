import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Db } from '../src/db/db.ts';
import { openSqlite } from '../src/db/open.ts';
import { StartRefused } from '../src/db/refusal.ts';
import { mapError } from '../src/http/map-error.ts';
import { req } from './requirements.ts';

/** The embedded store when its disk is full, and when a newer release has written it. */

describe('the embedded store', () => {
  let folder: string;
  let db: Db;
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'pentarch-full-'));
    db = await openSqlite({ file: path.join(folder, 'p.sqlite'), synchronous: 'normal' });
  });
  afterEach(async () => {
    await db.close();
    rmSync(folder, { recursive: true });
  });

  const add = (id: string, sizeBytes: number) =>
    db.write(async (tx) => {
      await tx
        .insertInto('idempotency_keys')
        .values({
          caller_id: id,
          key: 'k',
          fingerprint: 'f',
          state: 'done',
          status: 200,
          headers: '{}',
          body: 'x'.repeat(sizeBytes),
          created_at: 1,
          node_id: null,
        })
        .execute();
    });
  const ids = async () =>
    (await db.read.selectFrom('idempotency_keys').select('caller_id').orderBy('caller_id').execute()).map(
      (row) => row.caller_id,
    );
  /** As a disk without room does: the file cannot grow beyond so many pages, or beyond what it has. */
  const limitPages = (pages: number) =>
    db.write(async (tx) => {
      await sql`pragma max_page_count = ${sql.lit(pages)}`.execute(tx);
    });
  /** More than the pages that the file holds free. */
  const LARGE = 8_000_000;

  it(req('CLU-16', 'on a full disk refuses writes, is read all the same, and mends by itself'), async () => {
    await add('kept', 10);
    await limitPages(1);
    const results = await Promise.allSettled(['a', 'b', 'c'].map((id) => add(id, LARGE)));
    const faults = results.map((result) => mapError(result.status === 'rejected' ? result.reason : null));
    expect(faults.map((fault) => fault.code)).toEqual(results.map(() => 'SERVICE_UNAVAILABLE'));
    expect(faults.every((fault) => (fault.retryAfterS ?? 0) > 0)).toBe(true);
    const alone = await add('alone', LARGE).catch((error: unknown) => mapError(error).code);
    expect(alone).toBe('SERVICE_UNAVAILABLE');
    expect(await ids()).toEqual(['kept']);
    await limitPages(1_000_000);
    await add('after', LARGE);
    expect(await ids()).toEqual(['after', 'kept']);
  });

  it(req('CLU-15', 'of a newer release is refused, in words for its operator'), async () => {
    await db.write(async (tx) => {
      await sql`insert into kysely_migration (name, timestamp) values ('999-of-tomorrow', '2030-01-01')`.execute(
        tx,
      );
    });
    const again = openSqlite({ file: path.join(folder, 'p.sqlite'), synchronous: 'normal' });
    await expect(again).rejects.toBeInstanceOf(StartRefused);
    await expect(again).rejects.toThrow(/of a newer release.*999-of-tomorrow/);
  });
});
