import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { describe, expect } from 'vitest';
import { req } from '../requirements.ts';
import { readExposition, type Sample } from '../support/promlint.ts';
import { NODES } from '../support/server.ts';
import { type World, withWorld } from '../support/suite.ts';

/** What /metrics tells of a server at work. */
const it = withWorld();

const question = { message: 'How are you?', context: { agent_id: 'zeus' } };

const scrape = async ({ server }: World): Promise<Sample[]> =>
  readExposition((await server.anonymous().get('/metrics')).text).samples;
const figure = (
  samples: readonly Sample[],
  name: string,
  labels: Record<string, string> = {},
): number | null =>
  samples.find(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  )?.value ?? null;

describe(req('OPS-19', 'the exposition'), () => {
  it('is clean by the rules of promtool, and by promtool where it is installed', async ({ world }) => {
    expect((await world.admin.post('/v2/chat', question)).status).toBe(200);
    const answer = await world.server.anonymous().get('/metrics');
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const { faults, types } = readExposition(answer.text);
    expect(faults).toEqual([]);
    expect(types.size).toBeGreaterThan(40);
    const tool = process.env.PROMTOOL_PATH ?? 'promtool';
    const checked = spawnSync(tool, ['check', 'metrics'], { input: answer.text, encoding: 'utf8' });
    if (checked.error === undefined)
      expect([checked.status, checked.stderr, checked.stdout]).toEqual([0, '', '']);
  });

  it('has the names of the process and its runtime that ready-made dashboards ask for', async ({ world }) => {
    const samples = await scrape(world);
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'process_start_time_seconds',
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_heap_size_used_bytes',
    ])
      expect([name, figure(samples, name)]).toEqual([name, expect.any(Number)]);
    const names = [...new Set(samples.map((sample) => sample.name))];
    expect(names.filter((name) => /^pentarch_(process|nodejs)_/.test(name))).toEqual([]);
    expect(figure(samples, 'pentarch_build_info', { node: process.versions.node })).toBe(1);
  });
});

describe(req('OPS-19', 'model calls'), () => {
  const CALLS = 'pentarch_model_call_duration_seconds_count';
  const FIRST = 'pentarch_model_first_token_seconds_count';
  const model = 'compatible/test-model';

  it.skipIf(NODES > 1)('are timed by model and end, and the first text of a stream', async ({ world }) => {
    const before = await scrape(world);
    const stream = await world.admin.stream('/v2/chat/stream', question);
    expect((await stream.rest()).at(-1)?.event).toBe('message.completed');
    world.provider.script({ error: { status: 401 } });
    expect((await world.admin.post('/v2/chat', question)).status).toBe(502);
    const after = await scrape(world);
    const grown = (name: string, labels: Record<string, string>): number =>
      (figure(after, name, labels) ?? 0) - (figure(before, name, labels) ?? 0);
    expect(grown(CALLS, { model, outcome: 'ok' })).toBe(1);
    expect(grown(CALLS, { model, outcome: 'refused' })).toBe(1);
    expect(grown(FIRST, { model })).toBe(1);
    expect(grown('pentarch_model_tokens_total', { model, kind: 'output' })).toBeGreaterThan(0);
    expect(grown('pentarch_cost_usd_total', { model })).toBeGreaterThan(0);
  });
});

describe(req('OPS-19', 'what stands in the store'), () => {
  it('the store, its writes, the nodes and what waits are told', async ({ world }) => {
    const samples = await scrape(world);
    expect(figure(samples, 'pentarch_store_up')).toBe(1);
    expect(figure(samples, 'pentarch_store_ping_seconds')).toBeGreaterThan(0);
    expect(figure(samples, 'pentarch_store_write_duration_seconds_count')).toBeGreaterThan(0);
    expect(figure(samples, 'pentarch_nodes', { state: 'alive' })).toBe(NODES);
    expect(figure(samples, 'pentarch_nodes', { state: 'draining' })).toBe(0);
    expect(figure(samples, 'pentarch_reservations_open')).toBe(0);
    expect(figure(samples, 'pentarch_reservations_oldest_seconds')).toBe(0);
    for (const queue of ['webhook.deliver', 'task.run'])
      expect([queue, figure(samples, 'pentarch_queue_depth', { queue })]).toEqual([queue, 0]);
    for (const status of ['voting', 'awaiting_human'])
      expect([status, figure(samples, 'pentarch_votes_waiting', { status })]).toEqual([status, 0]);
  });

  it('a proposal that waits for a person is counted, with its age', async ({ world }) => {
    const made = await world.admin.post('/api/v1/governance/proposals', {
      action: 'Buy a lighthouse',
      description: 'For the keeper, who has none.',
      estimated_cost: 1_000_000,
      risk: 'critical',
    });
    expect(made.status, made.text).toBe(201);
    const status = 'awaiting_human';
    await expect.poll(async () => figure(await scrape(world), 'pentarch_votes_waiting', { status })).toBe(1);
    await expect
      .poll(async () => figure(await scrape(world), 'pentarch_votes_oldest_seconds', { status }))
      .toBeGreaterThan(0);
  });

  it('a reservation is counted while its call goes on', async ({ world }) => {
    const held = Promise.withResolvers<void>();
    world.provider.script({ text: 'Fine.', hold: held.promise });
    const answer = world.admin.post('/v2/chat', question);
    answer.catch(() => {});
    const open = async (): Promise<number | null> =>
      figure(await scrape(world), 'pentarch_reservations_open');
    await expect.poll(open).toBe(1);
    held.resolve();
    expect((await answer).status).toBe(200);
    await expect.poll(open).toBe(0);
  });
});
