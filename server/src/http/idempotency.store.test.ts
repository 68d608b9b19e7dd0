import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../db/open.ts';
import { createIdempotencyStore } from './idempotency.store.ts';

it('keeps answers sealed, and gives them back open', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-keys-'));
  const db = await openSqlite({ file: path.join(folder, 'p.sqlite'), synchronous: 'normal' });
  const seal = {
    seal: (plain: string) => Buffer.from(plain).toString('hex'),
    open: (sealed: string) => Buffer.from(sealed, 'hex').toString(),
  };
  const store = createIdempotencyStore(db, seal);
  await store.claim('u', 'k', 'f', 1_000);
  await store.finish('u', 'k', { status: 201, headers: {}, body: '{"key":"ptk_secret"}' });
  const row = await db.read.selectFrom('idempotency_keys').select('body').executeTakeFirstOrThrow();
  expect(row.body).not.toContain('ptk_secret');
  expect(await store.claim('u', 'k', 'f', 2_000)).toMatchObject({
    outcome: 'done',
    answer: { status: 201, body: '{"key":"ptk_secret"}' },
  });
  await db.close();
  rmSync(folder, { recursive: true });
});
