import { describe, expect } from 'vitest';
import { req } from '../requirements.ts';
import { expectAlert, sampleOf, scrapeOf } from '../support/provoked-alerts.ts';
import { type World, withWorld } from '../support/suite.ts';

/**
 * Alerts under the figures of a real server that has the trouble. Those of a store, Redis or a clock are provoked in
 * alerts-of-services.test.ts; all others have made-up figures in alerts.test.yaml.
 */
const it = withWorld({ env: { DEFAULT_PRICE_OUTPUT: '10000', RATE_LIMITS: 'off' } });

const question = { message: 'How are you?', context: { agent_id: 'zeus' } };
const chat = (world: World) => world.admin.post('/v2/chat', question);

const provoked = (world: World, alert: string, provoke: () => Promise<unknown>): Promise<void> =>
  expectAlert(alert, { url: world.server.url, ordinary: () => chat(world), provoke });

describe(req('OPS-10', 'provoked'), () => {
  it('a provider that fails', async ({ world }) => {
    await provoked(world, 'PentarchModelFailing', async () => {
      await chat(world);
      world.provider.script({ error: { status: 400 } });
      expect((await chat(world)).status).toBe(502);
      const failed = async () =>
        sampleOf(await scrapeOf(world.server.url), 'pentarch_runs_total', { outcome: 'model_failed' });
      await expect.poll(failed).toBe(1);
    });
  }, 240_000);

  it('answers of the kind 5xx', async ({ world }) => {
    await provoked(world, 'PentarchErrors', async () => {
      world.provider.script({ error: { status: 400 } });
      expect((await chat(world)).status).toBe(502);
    });
  }, 240_000);

  it('money that goes out', async ({ world }) => {
    // Fifty tokens at a cent each, once a minute and then twenty times.
    await provoked(world, 'PentarchSpending', async () => {
      for (let n = 0; n < 20; n++) expect((await chat(world)).status).toBe(200);
    });
  }, 240_000);

  it('money that stays set aside', async ({ world }) => {
    const held = Promise.withResolvers<void>();
    let answer: ReturnType<typeof chat> | null = null;
    try {
      await provoked(world, 'PentarchReservationsOld', async () => {
        world.provider.script({ text: 'Fine.', hold: held.promise });
        answer = chat(world);
        const age = async () =>
          sampleOf(await scrapeOf(world.server.url), 'pentarch_reservations_oldest_seconds');
        await expect.poll(age).toBeGreaterThan(0);
      });
    } finally {
      held.resolve();
      await answer;
    }
  }, 240_000);

  it('a decision that nobody takes', async ({ world }) => {
    await provoked(world, 'PentarchVotesWaiting', async () => {
      const made = await world.admin.post('/v2/governance/proposals', {
        action: 'Buy a lighthouse',
        description: 'For the keeper, who has none.',
        estimated_cost: 1_000_000,
        risk: 'critical',
      });
      expect(made.status, made.text).toBe(201);
      const age = async () =>
        sampleOf(await scrapeOf(world.server.url), 'pentarch_votes_oldest_seconds', {
          status: 'awaiting_human',
        });
      await expect.poll(age).toBeGreaterThan(0);
    });
  }, 240_000);
});
