import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { type Client, createClient } from '../support/client.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import type { TestServer } from '../support/server.ts';

/**
 * Two hundred requests at once against one limit, through real servers: what is used and reserved is looked at all the
 * while, and in the end the ledger says to the nano-dollar what the provider's own meter says.
 */

/** Dollars per million tokens. */
const PRICE = { input: 100, output: 1_000 };
const REQUESTS = 200;
const LIMIT_USD = 2;

interface Limit {
  scope: string;
  period: string;
  limit_usd: number;
  used_usd: number;
  reserved_usd: number;
}

type Answer = Awaited<ReturnType<Client['get']>>;

const nano = (usd: number): number => Math.round(usd * 1e9);

export const costStressSuite = (
  name: string,
  /** Starts the processes, all on one store, with these settings. */
  start: (env: Record<string, string>) => Promise<{ servers: readonly TestServer[]; close(): Promise<void> }>,
): void => {
  describe(`200 requests at once against one limit on ${name}`, () => {
    let provider: TestProvider;
    let servers: readonly TestServer[] = [];
    let close: () => Promise<void>;
    let folder: string;
    let clients: Client[];

    beforeAll(async () => {
      provider = await startTestProvider({ tokens: 8, firstByteDelayMs: 30 });
      folder = mkdtempSync(path.join(tmpdir(), 'pentarch-prices-'));
      const prices = path.join(folder, 'prices.json');
      writeFileSync(prices, JSON.stringify({ 'compatible/test': PRICE }));
      ({ servers, close } = await start({
        MODEL: 'compatible/test',
        COMPATIBLE_BASE_URL: provider.url,
        PRICES_FILE: prices,
        MAX_OUTPUT_TOKENS: '64',
      }));
      const { token } = (await servers[0]?.signIn()) ?? { token: null };
      clients = servers.map((server) => createClient(() => server.url, token));
    });
    afterAll(async () => {
      await close?.();
      await provider.close();
      rmSync(folder, { recursive: true, force: true });
    });

    let busy = 0;
    /** A store that is busy says when to come again: a client does. */
    const patiently = async (send: () => Promise<Answer>): Promise<Answer> => {
      for (;;) {
        const answer = await send();
        if (answer.status !== 503) return answer;
        busy += 1;
        await sleep(1_000 * Number(answer.headers.get('retry-after') ?? Number.NaN));
      }
    };

    const tenantDay = async (client: Client): Promise<Limit> => {
      const answer = await patiently(() => client.get('/v2/costs/limits'));
      const { limits } = answer.json<{ limits: Limit[] }>();
      const found = limits.find((limit) => limit.scope === 'tenant' && limit.period === 'day');
      if (found === undefined) throw new Error('the tenant has no daily limit');
      return found;
    };

    it(req('COST-02', 'never passes the limit, and the ledger is the meter'), {
      timeout: 120_000,
    }, async () => {
      const [first] = clients;
      if (first === undefined) throw new Error('no server');
      const set = await first.put('/v2/costs/limits', {
        limits: [{ scope: 'tenant', period: 'day', limit_usd: LIMIT_USD }],
      });
      expect(set.status).toBe(200);

      const samples: Limit[] = [];
      let going = true;
      const watching = Promise.all(
        clients.map(async (client) => {
          while (going) samples.push(await tenantDay(client));
        }),
      );
      const ask = (i: number) =>
        patiently(() =>
          (clients[i % clients.length] ?? first).post('/v2/chat', {
            message: `Question number ${i}`,
            context: { agent_id: 'iris' },
          }),
        );
      const answers = await Promise.all(Array.from({ length: REQUESTS }, (_, i) => ask(i)));
      going = false;
      await watching;

      const statuses = answers.map((answer) => answer.status);
      // Some had room and some had none: else the limit was not put to the test.
      expect(new Set(statuses)).toEqual(new Set([200, 402]));
      expect(samples.length).toBeGreaterThan(0);
      for (const { limit_usd, used_usd, reserved_usd } of samples)
        expect(nano(used_usd) + nano(reserved_usd)).toBeLessThanOrEqual(nano(limit_usd));
      expect(Math.max(...samples.map((sample) => sample.reserved_usd))).toBeGreaterThan(0);

      const metered = provider.meter.reduce(
        (sum, call) =>
          sum + call.inputTokens * PRICE.input * 1_000 + call.outputTokens * PRICE.output * 1_000,
        0,
      );
      const usage = (await patiently(() => first.get('/v2/costs/usage?period=day&scope=tenant'))).json<{
        total_usd: number;
      }>();
      expect(nano(usage.total_usd)).toBe(metered);
      const end = await tenantDay(first);
      expect(nano(end.used_usd)).toBe(metered);
      expect(end.reserved_usd).toBe(0);
      expect(metered).toBeLessThanOrEqual(nano(LIMIT_USD));
      if (process.env.STRESS_FIGURES === 'on') {
        const most = Math.max(...samples.map((one) => nano(one.used_usd) + nano(one.reserved_usd)));
        const count = (status: number) => statuses.filter((one) => one === status).length;
        console.info(
          `${name}: ${count(200)} answered, ${count(402)} refused, ${busy} told to come again; ` +
            `${samples.length} looks, used + reserved at most ${most / 1e9} of ${LIMIT_USD} USD; ` +
            `ledger ${nano(usage.total_usd) / 1e9}, meter ${metered / 1e9} USD`,
        );
      }
    });
  });
};
