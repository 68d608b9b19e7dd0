import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestStore, testStores } from '../../../test/support/stores.ts';
import { createAudit } from './index.ts';
import { createRefusals, type Refusal, type Refusals } from './refusals.ts';
import { verifyAudit } from './verify.ts';

const DEFAULT = '0190a000-0000-7000-8000-0000000000d0';
const TENANT = '0190a000-0000-7000-8000-0000000000d1';

const refusal = (over: Partial<Refusal> = {}): Refusal => ({
  tenantId: TENANT,
  actorId: 'user-1',
  actorType: 'user',
  address: '192.0.2.1',
  requestId: 'r-1',
  operation: 'GET /v2/users',
  status: 403,
  reason: 'FORBIDDEN',
  required: 'users:read',
  ...over,
});

describe.each(testStores)('refusals in the audit chain on $name', (store: TestStore) => {
  let opened: Awaited<ReturnType<TestStore['open']>>;
  let refusals: Refusals;
  let now = Date.UTC(2026, 0, 1);
  const errors: unknown[] = [];

  beforeEach(async () => {
    opened = await store.open();
    const clock = { now: () => now };
    refusals = createRefusals({
      db: opened.db,
      clock,
      audit: createAudit(clock),
      defaultTenantId: () => Promise.resolve(DEFAULT),
      onError: (error) => errors.push(error),
    });
  });
  afterEach(async () => {
    await refusals.close();
    await opened.drop();
    expect(errors).toEqual([]);
  });

  const rows = (tenantId: string) =>
    opened.db.read
      .selectFrom('audit_events')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .orderBy('seq')
      .execute();
  const countOf = (row: { details: string }): number => (JSON.parse(row.details) as { count: number }).count;

  it('a thousand equal ones are two rows that add up', async () => {
    for (let i = 0; i < 1000; i++) refusals.note(refusal({ requestId: `r-${i}` }));
    await refusals.flush();
    const written = await rows(TENANT);
    expect(written.map(countOf)).toEqual([1, 999]);
    expect(written[0]).toMatchObject({
      action: 'access.refused',
      outcome: 'refused',
      actor_id: 'user-1',
      target_id: 'GET /v2/users',
      request_id: 'r-0',
    });
    expect(await verifyAudit(opened.db, TENANT)).toMatchObject({ ok: true, events: 2 });
  });

  it('the next minute is told again', async () => {
    refusals.note(refusal());
    now += 60_000;
    refusals.note(refusal());
    await refusals.flush();
    expect((await rows(TENANT)).map(countOf)).toEqual([1, 1]);
  });

  it('who asks in vain for a day is some thirty rows, and none is lost from the count', async () => {
    const MINUTES = 24 * 60;
    for (let minute = 0; minute < MINUTES; minute++) {
      for (let i = 0; i < 22; i++) refusals.note(refusal());
      now += 60_000;
    }
    await refusals.flush();
    const written = await rows(TENANT);
    expect(written.length).toBeLessThanOrEqual(30);
    expect(written.reduce((sum, row) => sum + countOf(row), 0)).toBe(22 * MINUTES);
  });

  it('they do not hide those of others', async () => {
    for (let minute = 0; minute < 10; minute++) {
      for (let i = 0; i < 60; i++) refusals.note(refusal({ actorId: `user-${i}` }));
      now += 60_000;
    }
    refusals.note(refusal({ actorId: 'somebody else' }));
    await refusals.flush();
    expect((await rows(TENANT)).filter((row) => row.actor_id === 'somebody else')).toHaveLength(1);
  });

  it('ten thousand different ones are bounded, and none is lost from the count', async () => {
    for (let i = 0; i < 10_000; i++) refusals.note(refusal({ actorId: `user-${i}` }));
    await refusals.flush();
    const written = await rows(TENANT);
    expect(written.length).toBeLessThanOrEqual(61);
    expect(written.reduce((sum, row) => sum + countOf(row), 0)).toBe(10_000);
  });

  it('where nobody is known they stand in the chain of the default tenant, whatever paths were tried', async () => {
    for (const operation of ['GET /v2/a', 'GET /v2/b', 'GET /v2/c'])
      refusals.note(
        refusal({ tenantId: null, actorId: null, status: 401, reason: 'TOKEN_INVALID', operation }),
      );
    await refusals.flush();
    const written = await rows(DEFAULT);
    expect(written.map(countOf)).toEqual([1, 2]);
    expect(written[0]).toMatchObject({ actor_id: null, address: '192.0.2.1' });
  });
});
