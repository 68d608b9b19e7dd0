import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import { startTestProvider, type TestProvider, type TestRequest } from '../../../test/support/provider.ts';
import { StartFailure, startServer, type TestServer } from '../../../test/support/server.ts';

/** Facts that a model reads out of messages (MEMORY_MODEL), besides the patterns. */

interface Entity {
  name: string;
  observations: { text: string; source: { kind: string } }[];
}

const isReading = (request: TestRequest): boolean => request.body.response_format !== undefined;
const readings = (provider: TestProvider): TestRequest[] => provider.requests.filter(isReading);

const FACT = {
  subject: 'Nimbus',
  subject_type: 'project',
  fact: 'is shelved for lack of sponsors',
  attribute: null,
  category: 'fact',
};
/** No pattern knows this wording. */
const TOLD = 'Nimbus has gone the way of the dodo, nobody wanted to put money into it.';

describe('a model that reads facts out of messages', () => {
  let provider: TestProvider;
  let server: TestServer;
  let admin: Client;
  const env = () => ({
    MODEL: 'compatible/test',
    MEMORY_MODEL: 'compatible/reader',
    COMPATIBLE_BASE_URL: provider.url,
    DEFAULT_PRICE_INPUT: '1',
    DEFAULT_PRICE_OUTPUT: '2',
  });

  beforeAll(async () => {
    provider = await startTestProvider();
    server = await startServer({ env: env() });
    admin = await server.signIn();
  });
  afterAll(async () => {
    await server.close();
    await provider.close();
  });
  beforeEach(() => provider.reset());

  const say = async (message: string) => {
    const answer = await admin.post('/api/v1/chat', { message, context: { agent_id: 'hestia' } });
    expect(answer.status).toBe(200);
  };
  const entities = async (q: string): Promise<Entity[]> =>
    (await admin.get(`/api/v1/memory/entities?q=${q}`)).json<{ items: Entity[] }>().items;

  it('adds what no pattern knows, with its source, and is charged to who wrote it', async () => {
    provider.always((request) =>
      isReading(request)
        ? { chunks: [JSON.stringify({ facts: [FACT] })], usage: { inputTokens: 300, outputTokens: 40 } }
        : { chunks: ['I see.'] },
    );
    await say(TOLD);
    await expect
      .poll(() => entities('nimbus'))
      .toMatchObject([{ name: 'Nimbus', observations: [{ text: FACT.fact, source: { kind: 'message' } }] }]);
    const [reading, ...more] = readings(provider);
    expect(more).toEqual([]);
    expect(reading?.body.model).toBe('reader');
    expect(JSON.stringify(reading?.body.messages)).toContain('dodo');
    const usage = (await admin.get('/api/v1/costs/usage?period=day')).json<{
      by_agent: { agent_id: string; cost_usd: number }[];
    }>();
    const memorix = usage.by_agent.find((row) => row.agent_id === 'memorix');
    expect(memorix?.cost_usd).toBeGreaterThan(0);
  });

  it('is not asked about a mere question', async () => {
    await say('What is the weather like?');
    await say('I live in Bergen.');
    await expect.poll(() => readings(provider).length).toBe(1);
    expect(JSON.stringify(readings(provider)[0]?.body.messages)).toContain('Bergen');
  });

  it.each([
    ['that fails', { error: { status: 500 } }],
    ['that answers in another form', { chunks: ['{"facts": "none"}'] }],
    ['that answers no JSON', { chunks: ['I would rather not.'] }],
  ])('leaves the patterns alone when it is one %s', async (_what, reply) => {
    provider.always((request) => (isReading(request) ? reply : { chunks: ['I see.'] }));
    await say('My favourite colour is teal.');
    await expect.poll(async () => JSON.stringify(await entities('teal'))).toContain('teal');
  });

  it(
    req('MEM-13', 'ends and deletes what the message corrects or wants forgotten, in that same call'),
    async () => {
      const told = 'My caravan is parked in Rostock.';
      await say(told);
      await expect.poll(async () => JSON.stringify(await entities('rostock'))).toContain('Rostock');
      const numberOf = (request: TestRequest, words: string): number =>
        Number(
          new RegExp(`(\\d+)\\. [^\\n"]*${words}`).exec(
            JSON.stringify(request.body.messages).replaceAll('\\n', '\n'),
          )?.[1],
        );
      const answering = (field: 'outdated' | 'forget', words: string, facts: unknown[]) =>
        provider.always((request) =>
          isReading(request)
            ? { chunks: [JSON.stringify({ facts, [field]: [numberOf(request, words)] })] }
            : { chunks: ['I see.'] },
        );
      provider.reset();
      answering('outdated', 'Rostock', [
        { ...FACT, subject: 'user', fact: 'keeps the caravan in Wismar', subject_type: 'person' },
      ]);
      await say('About my caravan, that old thing has found a new home by the sea at Wismar.');
      await expect.poll(async () => JSON.stringify(await entities('wismar'))).toContain('Wismar');
      await expect
        .poll(async () =>
          (await entities('rostock'))
            .flatMap(({ observations }) => observations)
            .filter(({ text }) => text.includes('Rostock')),
        )
        .toMatchObject([{ valid_to: expect.any(String) }]);
      expect(readings(provider)).toHaveLength(1);
      provider.reset();
      answering('forget', 'Wismar', []);
      await say('That caravan of mine, let it slip your mind for good.');
      await expect
        .poll(async () =>
          (await entities('wismar')).flatMap(({ observations }) =>
            observations.filter(({ text }) => text.includes('Wismar')),
          ),
        )
        .toEqual([]);
    },
  );

  it('must be one that is set up', async () => {
    const failed = await startServer({ env: { ...env(), MEMORY_MODEL: 'nobody/none' } }).catch(
      (error: unknown) => error,
    );
    expect(failed).toBeInstanceOf(StartFailure);
    expect(failed instanceof StartFailure ? failed.stderr : '').toContain('MEMORY_MODEL');
  });
});
