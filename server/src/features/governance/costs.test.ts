import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWorld, TENANT, userId, type World } from '../../../test/governance/harness.ts';
import { req } from '../../../test/requirements.ts';
import type { CostKind } from '../costs/index.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await world.close();
  expect(world.errors).toEqual([]);
});

const usage = {
  inputTokens: 100,
  outputTokens: 20,
  cachedInputTokens: 10,
  cacheWriteTokens: 0,
  reasoningTokens: 5,
  estimated: false,
};

const spend = async (
  costNano: number,
  more: { name?: string; agentId?: string | null; model?: string; kind?: CostKind; requestId?: string } = {},
) => {
  const { name = 'ada', agentId = 'zeus', model = 'openai/gpt-5-mini', kind = 'model' } = more;
  await world.db.write(async (tx) => {
    const hold = await world.costs.hold(tx, {
      tenantId: TENANT,
      userId: userId(name),
      agentId,
      conversationId: null,
      runId: null,
      requestId: more.requestId ?? null,
      kind,
      worstNano: costNano,
      runUsedNano: 0,
    });
    await world.costs.settle(tx, hold, [
      {
        kind,
        model: kind === 'tool' ? null : model,
        tool: kind === 'tool' ? 'shop.order' : null,
        usage: kind === 'tool' ? null : usage,
        costNanoUsd: costNano,
        estimated: false,
      },
    ]);
  });
};

const nano = (usd: number): bigint => BigInt(Math.round(usd * 1e9));
const PARTS = ['by_agent', 'by_model', 'by_tool', 'by_day', 'by_user'] as const;

describe('GET costs/usage', () => {
  it(req('COST-01', '200: every part adds up to the total, exactly'), async () => {
    await spend(184_915_025);
    await spend(54_399_000, { name: 'bob', agentId: 'hermes', model: 'anthropic/claude' });
    await spend(1, { agentId: null, kind: 'embedding', model: 'openai/embedding' });
    world.clock.now -= 3 * 86_400_000;
    await spend(333_333_333, { kind: 'tool' });
    world.clock.now += 3 * 86_400_000;
    const { status, body } = await world.request('GET', '/costs/usage?scope=tenant&period=month', {
      as: 'analyst',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      period: { name: 'month', start: '2026-05-01T00:00:00.000Z', end: '2026-06-01T00:00:00.000Z' },
      currency: 'USD',
      total_usd: 0.572647359,
      requests: 4,
      input_tokens: 300,
      cached_input_tokens: 30,
      output_tokens: 60,
      budget: {
        scope: 'tenant',
        period: 'month',
        limit_usd: 10_000,
        used_usd: 0.572647359,
        alert_level: 'none',
      },
    });
    for (const part of PARTS) {
      const rows: { cost_usd: number; requests: number; input_tokens: number }[] = body[part];
      expect(
        rows.reduce((sum, row) => sum + nano(row.cost_usd), 0n),
        part,
      ).toBe(nano(body.total_usd));
      expect(
        rows.reduce((sum, row) => sum + row.requests, 0),
        part,
      ).toBe(4);
      expect(
        rows.reduce((sum, row) => sum + row.input_tokens, 0),
        part,
      ).toBe(300);
    }
    expect(body.by_agent.map((r: { agent_id: string | null }) => r.agent_id)).toEqual([
      'zeus',
      'hermes',
      null,
    ]);
    expect(body.by_tool[0]).toMatchObject({ tool: 'shop.order', cost_usd: 0.333333333 });
    expect(body.by_day.map((r: { date: string }) => r.date)).toEqual(['2026-05-11', '2026-05-14']);
    // 13.375 of 31 days have passed.
    expect(body.forecast_usd).toBeCloseTo((0.572647359 * 31) / 13.375, 8);
  });

  it(req('COST-27', '200: users in pages, the dearest first, with the whole in the total'), async () => {
    for (const [name, cost] of [
      ['ada', 3_000],
      ['bob', 5_000],
      ['cy', 4_000],
    ] as const)
      await spend(cost, { name });
    const page = async (query: string) =>
      (await world.request('GET', `/costs/usage?scope=tenant${query}`, { as: 'analyst' })).body;
    const names = (body: { by_user: { user_id: string }[] }) => body.by_user.map((one) => one.user_id);
    const all = await page('');
    expect([names(all), all.users_total]).toEqual([['bob', 'cy', 'ada'].map(userId), 3]);
    const second = await page('&users_limit=2&users_page=2');
    expect([names(second), second.users_total, second.requests]).toEqual([[userId('ada')], 3, 3]);
    expect(names(await page('&users_page=9'))).toEqual([]);
    for (const wrong of ['users_limit=0', 'users_limit=1001', 'users_page=0'])
      expect(
        (await world.request('GET', `/costs/usage?scope=tenant&${wrong}`, { as: 'analyst' })).status,
      ).toBe(422);
    expect((await world.request('GET', '/costs/usage', { as: 'user.ada' })).body.users_total).toBeUndefined();
  });

  it('200: the own spending for everybody, nothing of others', async () => {
    await spend(1_000_000);
    await spend(5_000_000, { name: 'bob' });
    const { body } = await world.request('GET', '/costs/usage', { as: 'user.ada' });
    expect(body).toMatchObject({ scope: 'me', total_usd: 0.001, requests: 1 });
    expect(body.by_user).toBeUndefined();
    expect(
      (await world.request('GET', '/v2/costs/usage?period=day', { as: 'readonly.cy' })).body,
    ).toMatchObject({ total_usd: 0, by_day: [] });
    expect(
      (await world.request('GET', '/costs/usage?scope=tenant', { as: 'admin.zed@other' })).body.total_usd,
    ).toBe(0);
  });

  it('keeps two rows for the same request id, and none for reading', async () => {
    await spend(7, { requestId: 'same' });
    await spend(7, { requestId: 'same' });
    await world.request('GET', '/costs/usage/export');
    expect((await world.request('GET', '/costs/usage', { as: 'user.ada' })).body.requests).toBe(2);
  });

  it('401, 403, 422', async () => {
    expect((await world.request('GET', '/costs/usage', { as: '' })).status).toBe(401);
    const refused = await world.request('GET', '/costs/usage?scope=tenant', { as: 'user.ada' });
    expect(refused.status).toBe(403);
    expect(refused.body.error.details).toEqual({ required: 'analytics:read' });
    for (const bad of [
      'period=year',
      'period=custom',
      'from=x',
      'scope=all',
      'period=day&from=2026-01-01',
      'odd=1',
    ]) {
      expect((await world.request('GET', `/costs/usage?${bad}`)).status, bad).toBe(422);
    }
  });

  it('exports the same rows as CSV, by address and by Accept', async () => {
    await spend(184_915_025);
    await spend(2, { name: 'bob', requestId: '-1+cmd' });
    const exported = await world.request('GET', '/costs/usage/export?scope=tenant', { as: 'analyst' });
    expect(exported.status).toBe(200);
    expect(exported.headers['content-type']).toBe('text/csv; charset=utf-8');
    const lines = exported.text.trim().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain('0.184915025');
    expect(lines[2]).toContain("'-1+cmd");
    const accepted = await world.request('GET', '/costs/usage?scope=tenant', {
      as: 'analyst',
      headers: { accept: 'text/csv' },
    });
    expect(accepted.text).toBe(exported.text);
    expect((await world.request('GET', '/costs/usage/export?scope=tenant', { as: 'user.ada' })).status).toBe(
      403,
    );
  });
});

describe('costs/limits', () => {
  it(req('COST-06', '200: the defaults, with what is used and reserved'), async () => {
    await spend(400_000_000_000);
    const { body } = await world.request('GET', '/costs/limits', { as: 'user.ada' });
    expect(body.limits.map((l: Record<string, unknown>) => ({ ...l, id: '' }))).toEqual([
      {
        id: '',
        scope: 'tenant',
        subject: TENANT,
        period: 'day',
        limit_usd: 500,
        used_usd: 400,
        reserved_usd: 0,
        remaining_usd: 100,
        resets_at: '2026-05-15T00:00:00.000Z',
        alert_level: 'warning',
      },
      {
        id: '',
        scope: 'tenant',
        subject: TENANT,
        period: 'month',
        limit_usd: 10_000,
        used_usd: 400,
        reserved_usd: 0,
        remaining_usd: 9_600,
        resets_at: '2026-06-01T00:00:00.000Z',
        alert_level: 'none',
      },
      {
        id: '',
        scope: 'run',
        subject: '*',
        period: 'run',
        limit_usd: 5,
        used_usd: 0,
        reserved_usd: 0,
        remaining_usd: 5,
        resets_at: null,
        alert_level: 'none',
      },
    ]);
  });

  it('PUT sets, changes and removes; others’ limits are not shown to a user; the change is in the audit chain', async () => {
    const put = (limits: unknown, as = 'admin') =>
      world.request('PUT', '/costs/limits', { as, body: { limits } });
    const set = await put([
      { scope: 'user', subject: userId('ada'), period: 'day', limit_usd: 0.000000001 },
      { scope: 'user', subject: userId('bob'), period: 'month', limit_usd: 3 },
      { scope: 'tenant', period: 'month', limit_usd: null },
      { scope: 'agent', subject: 'zeus', period: 'day', limit_usd: 0 },
    ]);
    expect(set.status).toBe(200);
    expect(set.body.limits).toHaveLength(5);
    const mine = (await world.request('GET', '/costs/limits', { as: 'user.ada' })).body.limits;
    expect(mine.map((l: { scope: string }) => l.scope).sort()).toEqual(['agent', 'run', 'tenant', 'user']);
    await expect(spend(1)).rejects.toMatchObject({
      code: 'COST_EXCEEDED',
      details: { scope: 'agent', limit_usd: 0 },
    });
    await spend(1, { agentId: null });
    await expect(spend(1, { agentId: null })).rejects.toMatchObject({
      details: { scope: 'user', limit_usd: 1e-9, used_usd: 1e-9 },
    });
    await put([
      { scope: 'agent', subject: 'zeus', period: 'day', limit_usd: null },
      { scope: 'user', subject: userId('ada'), period: 'day', limit_usd: null },
    ]);
    await spend(1);
    const audit = await world.db.read
      .selectFrom('audit_events')
      .select(['action', 'actor_id'])
      .where('action', '=', 'costs.limits_changed')
      .execute();
    expect(audit).toEqual([
      { action: 'costs.limits_changed', actor_id: userId('admin') },
      { action: 'costs.limits_changed', actor_id: userId('admin') },
    ]);
  });

  it.each([1e-10, 0.1234567891, 5e-10, 1.0000000001])(
    '422 for %d: no amount is cut in silence, and nothing is changed',
    async (usd) => {
      const put = (limit_usd: number) =>
        world.request('PUT', '/costs/limits', {
          as: 'admin',
          body: { limits: [{ scope: 'tenant', period: 'day', limit_usd }] },
        });
      expect((await put(7.123456789)).status).toBe(200);
      expect(await put(usd)).toMatchObject({
        status: 422,
        body: {
          error: {
            details: {
              fields: [
                { field: '/limits/0/limit_usd', reason: expect.stringContaining('nine decimal places') },
              ],
            },
          },
        },
      });
      const { limits } = (await world.request('GET', '/costs/limits', { as: 'admin' })).body;
      expect(limits.find((l: { period: string }) => l.period === 'day').limit_usd).toBe(7.123456789);
      const body = { action: 'Order', estimated_cost: usd };
      expect((await world.request('POST', '/governance/proposals', { as: 'user.ada', body })).status).toBe(
        422,
      );
    },
  );

  it.each([1e-9, 0.123456789, 8_999_999.12345679, 9_000_000, 0.3])(
    'takes %d, which has nine decimal places at most as far as a JSON number can tell',
    async (usd) => {
      const limits = [{ scope: 'tenant', period: 'day', limit_usd: usd }];
      expect((await world.request('PUT', '/costs/limits', { as: 'admin', body: { limits } })).status).toBe(
        200,
      );
    },
  );

  it(req('COST-06', '422 names each fault; 403 without costs:manage'), async () => {
    const wrong = async (limit: Record<string, unknown>) => {
      const { status, body } = await world.request('PUT', '/costs/limits', { body: { limits: [limit] } });
      return [status, body.error.details.fields?.[0]?.field];
    };
    const day = { scope: 'tenant', period: 'day' };
    expect(await wrong({ ...day, limit_usd: -1 })).toEqual([422, '/limits/0/limit_usd']);
    expect(await wrong({ ...day, limit_usd: '5' })).toEqual([422, '/limits/0/limit_usd']);
    expect(await wrong({ ...day, limit_usd: 1e12 })).toEqual([422, '/limits/0/limit_usd']);
    expect(await wrong(day)).toEqual([422, '/limits/0/limit_usd']);
    expect(await wrong({ ...day, limit_usd: 5, subject: 'x' })).toEqual([422, '/limits/0/subject']);
    expect(await wrong({ scope: 'user', period: 'day', limit_usd: 5 })).toEqual([422, '/limits/0/subject']);
    expect(await wrong({ scope: 'user', subject: 'nobody', period: 'day', limit_usd: 5 })).toEqual([
      422,
      '/limits/0/subject',
    ]);
    expect(await wrong({ scope: 'agent', subject: 'nobody', period: 'day', limit_usd: 5 })).toEqual([
      422,
      '/limits/0/subject',
    ]);
    expect(await wrong({ scope: 'run', period: 'day', limit_usd: 5 })).toEqual([422, '/limits/0/period']);
    expect(await wrong({ scope: 'tenant', period: 'run', limit_usd: 5 })).toEqual([422, '/limits/0/period']);
    const twice = await world.request('PUT', '/costs/limits', {
      body: {
        limits: [
          { ...day, limit_usd: 1 },
          { ...day, limit_usd: 2 },
        ],
      },
    });
    expect(twice.status).toBe(422);
    for (const as of ['user.ada', 'operator.bob', 'analyst.cy']) {
      expect(
        (await world.request('PUT', '/costs/limits', { as, body: { limits: [{ ...day, limit_usd: 1 }] } }))
          .status,
      ).toBe(403);
    }
  });
});
