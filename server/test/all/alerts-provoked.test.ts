import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { stringify } from 'yaml';
import { req } from '../requirements.ts';
import { type Exposition, readExposition } from '../support/promlint.ts';
import { type World, withWorld } from '../support/suite.ts';

/**
 * Alerts under the figures of a real server that has the trouble: what it gives before and after is laid out over hours, as Prometheus
 * would have scraped it, and promtool says which alerts come. Those of a store, Redis or a clock are provoked where these are
 * (store-away-metrics, cluster-faults, node-start-postgres), and all others have made-up figures in alerts.test.yaml.
 */
const it = withWorld({ env: { DEFAULT_PRICE_OUTPUT: '10000', RATE_LIMITS: 'off' } });
const MONITORING = path.join(import.meta.dirname, '..', '..', '..', 'deploy', 'monitoring');
const MINUTES = 360;

const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-alerts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const scrape = async ({ server }: World): Promise<Exposition> =>
  readExposition((await server.anonymous().get('/metrics')).text);

const labelsText = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join(',');

/** What was counted in between is counted again each minute; an age grows by itself; all else stays as it was last. */
const seriesOf = (before: Exposition, after: Exposition) => {
  const keyOf = (sample: Exposition['samples'][number]): string =>
    `${sample.name}{${labelsText({ instance: 'a', job: 'pentarch', ...sample.labels })}}`;
  const had = new Map(before.samples.map((sample) => [keyOf(sample), sample.value]));
  return after.samples
    .filter(({ value }) => Number.isFinite(value))
    .map((sample) => {
      const key = keyOf(sample);
      const family = sample.name.replace(/_(bucket|sum|count)$/, '');
      const type = after.types.get(sample.name) ?? after.types.get(family);
      const counts = type === 'counter' || type === 'histogram';
      const grows = sample.name.endsWith('_oldest_seconds') && sample.value > 0;
      const start = counts ? (had.get(key) ?? 0) : sample.value;
      const step = counts ? sample.value - start : grows ? 60 : 0;
      return { series: key, values: `${start.toFixed(6)}+${step.toFixed(6)}x${MINUTES}` };
    });
};

/** Whether an alert comes after hours of what was between the two. */
const comes = (alert: string, before: Exposition, after: Exposition): boolean => {
  const file = path.join(folder, `${alert}.yaml`);
  const expr = `count(ALERTS{alertname="${alert}",alertstate="firing"}) > bool 0`;
  const test = {
    rule_files: [path.join(MONITORING, 'alerts.yaml')],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: [
          { series: 'up{job="pentarch",instance="a"}', values: `1x${MINUTES}` },
          ...seriesOf(before, after),
        ],
        promql_expr_test: [{ expr, eval_time: `${MINUTES}m`, exp_samples: [{ labels: '{}', value: 1 }] }],
      },
    ],
  };
  writeFileSync(file, stringify(test));
  const ran = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  if (ran.error !== undefined)
    throw new Error(`promtool is needed (Debian: prometheus): ${ran.error.message}`);
  const said = ran.stdout + ran.stderr;
  // The one fault there may be is that nothing comes.
  if (ran.status !== 0 && !/got:\s*nil/.test(said)) throw new Error(said);
  return ran.status === 0;
};

const question = { message: 'How are you?', context: { agent_id: 'zeus' } };
const chat = (world: World) => world.admin.post('/v2/chat', question);

/** `provoke` with the figures of before and after; the alert comes by it, and does not come without it. */
const expectAlert = async (world: World, alert: string, provoke: () => Promise<unknown>): Promise<void> => {
  const well = await scrape(world);
  await chat(world);
  const before = await scrape(world);
  expect([alert, comes(alert, well, before)]).toEqual([alert, false]);
  await provoke();
  expect([alert, comes(alert, before, await scrape(world))]).toEqual([alert, true]);
};

describe(req('OPS-10', 'provoked'), () => {
  it('a provider that fails', async ({ world }) => {
    await expectAlert(world, 'PentarchModelFailing', async () => {
      await chat(world);
      world.provider.script({ error: { status: 400 } });
      expect((await chat(world)).status).toBe(502);
      const failed = async () =>
        (await scrape(world)).samples.find(({ labels }) => labels.outcome === 'model_failed')?.value;
      await expect.poll(failed).toBe(1);
    });
  }, 240_000);

  it('answers of the kind 5xx', async ({ world }) => {
    await expectAlert(world, 'PentarchErrors', async () => {
      world.provider.script({ error: { status: 400 } });
      expect((await chat(world)).status).toBe(502);
    });
  }, 240_000);

  it('money that goes out', async ({ world }) => {
    // Fifty tokens at a cent each, once a minute and then twenty times.
    await expectAlert(world, 'PentarchSpending', async () => {
      for (let n = 0; n < 20; n++) expect((await chat(world)).status).toBe(200);
    });
  }, 240_000);

  it('money that stays set aside', async ({ world }) => {
    const held = Promise.withResolvers<void>();
    let answer: ReturnType<typeof chat> | null = null;
    try {
      await expectAlert(world, 'PentarchReservationsOld', async () => {
        world.provider.script({ text: 'Fine.', hold: held.promise });
        answer = chat(world);
        const age = async () =>
          (await scrape(world)).samples.find(({ name }) => name === 'pentarch_reservations_oldest_seconds')
            ?.value;
        await expect.poll(age).toBeGreaterThan(0);
      });
    } finally {
      held.resolve();
      await answer;
    }
  }, 240_000);

  it('a decision that nobody takes', async ({ world }) => {
    await expectAlert(world, 'PentarchVotesWaiting', async () => {
      const made = await world.admin.post('/v2/governance/proposals', {
        action: 'Buy a lighthouse',
        description: 'For the keeper, who has none.',
        estimated_cost: 1_000_000,
        risk: 'critical',
      });
      expect(made.status, made.text).toBe(201);
      const age = async () =>
        (await scrape(world)).samples.find(
          ({ name, labels }) =>
            name === 'pentarch_votes_oldest_seconds' && labels.status === 'awaiting_human',
        )?.value;
      await expect.poll(age).toBeGreaterThan(0);
    });
  }, 240_000);
});
