import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import { testCaller } from '../../../../test/support/knowledge.ts';
import { openTestSqlite } from '../../../../test/support/sqlite.ts';
import { createAudit } from '../../audit/index.ts';
import { createMachineKeys } from './service.ts';

const MAX_KEYS = 20;

it('makes no pair of keys for an account whose list is full', async () => {
  const { db, close } = await openTestSqlite();
  const clock = { now: () => Date.UTC(2026, 4, 14) };
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  let made = 0;
  const keys = createMachineKeys({
    db,
    clock,
    audit: createAudit(clock),
    makePair: async () => {
      made += 1;
      return pair;
    },
  });
  const admin = testCaller('admin', 'north', 'admin');
  await db.write(async (tx) => {
    await tx
      .insertInto('tenants')
      .values({
        id: 'north',
        slug: 'north',
        name: 'North',
        tier: 'free',
        status: 'active',
        settings: '{}',
        external_id: null,
        created_at: 1,
        updated_at: 1,
      })
      .execute();
    await tx
      .insertInto('users')
      .values({
        id: 'robot',
        tenant_id: 'north',
        email: 'robot@example.test',
        email_folded: 'robot@example.test',
        name: 'Robot',
        type: 'service',
        roles: '["user"]',
        permissions: '[]',
        tier: null,
        status: 'active',
        created_at: 1,
        updated_at: 1,
      })
      .execute();
  });
  const create = () =>
    keys.create(admin, 'robot', { type: 'KEY_TYPE_JSON', expirationDate: null }, 'request');
  for (let n = 0; n < MAX_KEYS; n += 1) await create();
  expect(made).toBe(MAX_KEYS);
  await expect(create()).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(made).toBe(MAX_KEYS);
  const [first] = (await keys.list(admin, 'robot')).result;
  await keys.remove(admin, 'robot', first?.id ?? '', 'request');
  await create();
  expect(made).toBe(MAX_KEYS + 1);
  await close();
});
