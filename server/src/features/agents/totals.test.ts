import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nodeOf } from '../../../test/support/cluster.ts';
import { testStores } from '../../../test/support/stores.ts';
import type { Db } from '../../db/db.ts';
import type { RunRow } from '../../db/tables/chat.ts';
import { iso } from '../../kernel/clock.ts';
import { createChatStore, createRunSamples } from '../chat/index.ts';
import { addTotals, metricsOf, percentiles, totalsOf, WINDOWS_MS } from './rules.ts';
import { createRunTotals } from './totals.store.ts';

const TENANT = '0190a000-0000-7000-8000-000000000001';
const NOW = Date.UTC(2026, 4, 14, 9);
const STATUSES = ['completed', 'completed', 'completed', 'failed', 'cancelled', 'running'] as const;

/** The same rows at each run; every one another. */
const rowAt = (i: number): RunRow => {
  const status = STATUSES[i % STATUSES.length] ?? 'completed';
  const created = NOW - ((i * 7_919_317) % WINDOWS_MS['30d']);
  const usage = { input_tokens: (i * 37) % 5_000, output_tokens: (i * 11) % 900, cached_input_tokens: 0 };
  const part = { ...usage, input_tokens: i % 9, output_tokens: i % 5 };
  return {
    id: `run-${i}`,
    tenant_id: i % 13 === 0 ? 'another' : TENANT,
    user_id: 'ada',
    conversation_id: 'c',
    message_id: `m-${i}`,
    question_id: `q-${i}`,
    status,
    agent_id: i % 10 === 0 ? null : i % 3 === 0 ? 'athena' : 'zeus',
    agent_ids: '[]',
    request: '{}',
    usage: i % 17 === 0 ? null : JSON.stringify(usage),
    cost_nano: (i * 1_237) % 90_000,
    error: null,
    journal: null,
    tool_call_count: i % 4,
    delegated:
      i % 23 === 0
        ? JSON.stringify([
            {
              agentId: 'athena',
              ok: i % 2 === 0,
              latencyMs: i % 700,
              firstTokenMs: i % 90,
              usage: part,
              costNano: i % 50,
              toolCalls: 1,
              startedAt: created + 5,
            },
          ])
        : null,
    first_token_ms: i % 5 === 0 ? null : (i * 3) % 400,
    created_at: created,
    finished_at: status === 'running' ? null : created + ((i * 7) % 3_000) - 3,
    node_id: null,
    credential: null,
  };
};

it('percentiles are those of the values in their order', () => {
  const counts = new Map([
    [30, 1],
    [10, 2],
    [20, 1],
  ]);
  expect(percentiles(counts, [0, 0.5, 0.51, 0.75, 0.95, 1])).toEqual([10, 10, 20, 20, 30, 30]);
  expect(percentiles(new Map(), [0.5])).toEqual([null]);
});

describe.each(testStores)('figures of agents on $name', (engine) => {
  let opened: Awaited<ReturnType<(typeof engine)['open']>>;
  let db: Db;

  beforeEach(async () => {
    opened = await engine.open();
    db = opened.db;
    await db.write(async (tx) => {
      await tx
        .insertInto('tenants')
        .values([TENANT, 'another'].map((id) => ({ ...tenant, id, slug: id })))
        .execute();
      await tx
        .insertInto('users')
        .values({ ...user, id: 'ada', tenant_id: TENANT })
        .execute();
      for (const [id, tenant_id] of [
        ['c', TENANT],
        ['d', 'another'],
      ] as const)
        await tx
          .insertInto('conversations')
          .values({ ...conversation, id, tenant_id })
          .execute();
      for (let from = 0; from < 3_000; from += 500)
        await tx
          .insertInto('runs')
          .values(
            Array.from({ length: 500 }, (_, i) => {
              const row = rowAt(from + i);
              return row.tenant_id === TENANT ? row : { ...row, conversation_id: 'd' };
            }),
          )
          .execute();
    });
  });
  afterEach(() => opened.drop());

  it('added up by the store are those of all runs, one by one', async () => {
    const { runSamples, sharedSamples } = createRunSamples(createChatStore(db, nodeOf(db)));
    for (const window of ['1h', '24h', '7d', '30d'] as const)
      for (const agentId of ['zeus', 'athena', 'hermes']) {
        const since = NOW - WINDOWS_MS[window];
        const all = (await runSamples(TENANT, since)).filter((sample) => sample.agentId === agentId);
        const totals = await createRunTotals(db)({ tenantId: TENANT, agentId, since, until: NOW + 1 });
        const shared = (await sharedSamples(TENANT, since)).filter((sample) => sample.agentId === agentId);
        const expected = metricsOf(window, totalsOf(all), iso);
        expect(metricsOf(window, addTotals(totals, totalsOf(shared)), iso)).toEqual(expected);
        if (window === '30d' && agentId !== 'hermes') expect(expected.requests).toBeGreaterThan(500);
      }
  });
});

const tenant = {
  name: 'T',
  tier: 'free',
  status: 'active',
  settings: '{}',
  external_id: null,
  created_at: 1,
  updated_at: 1,
};
const conversation = {
  user_id: 'ada',
  title: null,
  status: 'active',
  metadata: '{}',
  agent_ids: '[]',
  message_count: 0,
  cost_nano: 0,
  created_at: 1,
  updated_at: 1,
  archived_at: null,
  taint: null,
  branched: 0,
};
const user = {
  type: 'person',
  email: 'ada@example.com',
  email_folded: 'ada@example.com',
  name: 'Ada',
  password_hash: null,
  password_permissions: null,
  roles: '["user"]',
  permissions: '[]',
  tier: null,
  status: 'active',
  external_id: null,
  created_at: 1,
  updated_at: 1,
  last_seen_at: null,
  claims_at: null,
  placed_by_admin: null,
};
