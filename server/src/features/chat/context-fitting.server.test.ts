import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider, TestRequest } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withWorld } from '../../../test/support/suite.ts';
import { estimatePromptTokens } from '../../kernel/tokens.ts';

/** Long conversations in a small window: the history fits, and what has no room is summarised, stored and reused. */

const WINDOW_TOKENS = 4_000;
const OUTPUT_TOKENS = 200;
const AGENT = 'iris';
const FACT = 'My boat is called Nautilus-77.';
const filler = (n: number): string =>
  `Note ${n}: ${`the harbour master of pier ${n} wants the ropes checked again before the evening tide. `.repeat(8)}`;

const isSummary = (request: TestRequest): boolean =>
  String(request.body.messages?.[0]?.content).startsWith('Summarise the earlier part');

const textOf = (request: TestRequest | undefined): string =>
  (request?.body.messages ?? []).map((m) => String(m.content)).join('\n');

const promptTokens = (request: TestRequest): number =>
  estimatePromptTokens({
    messages: (request.body.messages ?? []).map((m) => ({ role: 'user', content: String(m.content) })),
    tools: (request.body.tools ?? []).map((tool) => ({
      name: tool.function.name,
      description: tool.function.description ?? '',
      inputSchema: {},
    })),
  });

interface ChatAnswer {
  conversation_id: string;
  run_id: string;
  cost_usd: number;
}

const it = withWorld({
  env: {
    CONTEXT_TOKENS: String(WINDOW_TOKENS),
    MAX_OUTPUT_TOKENS: String(OUTPUT_TOKENS),
  },
});

describe('a long conversation', () => {
  let provider: TestProvider;
  let server: TestServer;
  let admin: Client;

  it.beforeAll(({ world }) => {
    ({ provider, server, admin } = world);
  });

  beforeEach(() => provider.reset());

  const say = async (message: string, conversationId?: string, model?: string): Promise<ChatAnswer> => {
    const answer = await admin.post('/api/v1/chat', {
      message,
      ...(conversationId === undefined ? {} : { conversation_id: conversationId }),
      context: { agent_id: AGENT, ...(model === undefined ? {} : { model }) },
    });
    expect(answer.status, answer.text).toBe(200);
    return answer.json<ChatAnswer>();
  };

  /** Talks until the conversation is far longer than the window. */
  const talk = async (turns: number, model?: string): Promise<{ id: string; answers: ChatAnswer[] }> => {
    const first = await say(FACT, undefined, model);
    const answers = [first];
    for (let n = 1; n < turns; n++) answers.push(await say(filler(n), first.conversation_id, model));
    return { id: first.conversation_id, answers };
  };

  it(
    req('CONTEXT-01', 'is fitted to the window: summarised by its model, on the ledger, and reused'),
    async () => {
      provider.always((request) =>
        isSummary(request)
          ? {
              text: 'The boat is called Nautilus-77. Ropes are to be checked.',
              usage: { inputTokens: 900, outputTokens: 20 },
            }
          : { text: 'Noted.', usage: { inputTokens: 100, outputTokens: 5 } },
      );
      const { id, answers } = await talk(34);
      const chats = provider.requests.filter((request) => !isSummary(request));
      const summaries = provider.requests.filter(isSummary);
      expect(chats).toHaveLength(34);
      for (const request of chats) {
        expect(promptTokens(request)).toBeLessThanOrEqual(WINDOW_TOKENS - OUTPUT_TOKENS);
        const roles = (request.body.messages ?? []).map((m) => m.role);
        expect(roles[1]).toBe('user');
        expect(roles.at(-1)).toBe('user');
      }
      // Made when there was no more room, and not again with every message.
      expect(summaries.length).toBeGreaterThan(0);
      expect(summaries.length).toBeLessThan(8);
      const last = chats.at(-1);
      expect(textOf(last)).toContain('<earlier>\nThe boat is called Nautilus-77.');
      expect(textOf(last)).not.toContain(FACT);
      expect(textOf(last)).toContain('Note 32');
      // A later summary is made from the one before, not from the beginning.
      expect(textOf(summaries.at(-1))).toContain('<summary>\nThe boat is called Nautilus-77.');
      // What a summary cost stands in the cost of the run that needed it, and in the conversation.
      const plain = answers[0]?.cost_usd ?? 0;
      expect(Math.max(...answers.map((answer) => answer.cost_usd))).toBeGreaterThan(plain * 2);
      const stored = (await admin.get(`/api/v1/conversations/${id}`)).json<{ total_cost_usd: number }>();
      const sum = answers.reduce((total, answer) => total + answer.cost_usd, 0);
      expect(stored.total_cost_usd).toBeCloseTo(sum, 9);
      const usage = (await admin.get('/api/v1/costs/usage?period=day')).json<{ total_usd: number }>();
      expect(usage.total_usd).toBeCloseTo(sum, 9);
    },
  );

  it(req('CONTEXT-01', 'falls back to its own sentences where the model fails at the summary'), async () => {
    provider.always((request) =>
      isSummary(request)
        ? { error: { status: 400, body: { error: { message: 'no' } } } }
        : { text: 'Noted.' },
    );
    await talk(20);
    const last = provider.requests.filter((request) => !isSummary(request)).at(-1);
    expect(textOf(last)).toContain('<earlier>');
    expect(textOf(last)).toContain(`Person: ${FACT}`);
    expect(promptTokens(last as TestRequest)).toBeLessThanOrEqual(WINDOW_TOKENS - OUTPUT_TOKENS);
  });

  it(req('CONTEXT-01', 'keeps its summary over a restart'), async () => {
    provider.always((request) => ({ text: isSummary(request) ? 'Nautilus-77 is the boat.' : 'Noted.' }));
    const { id } = await talk(20);
    const before = provider.requests.filter(isSummary).length;
    expect(before).toBeGreaterThan(0);
    await server.end('SIGTERM');
    await server.start();
    admin = await server.signIn();
    await say('And now?', id);
    expect(textOf(provider.requests.at(-1))).toContain('Nautilus-77 is the boat.');
    expect(provider.requests.filter(isSummary)).toHaveLength(before);
  });

  it(req('TREE-02', 'a summary goes along with its own branch alone'), async () => {
    provider.always((request) => ({ text: isSummary(request) ? 'Ropes and tides.' : 'Noted.' }));
    const { id } = await talk(20);
    const listed = await admin.get(`/api/v1/conversations/${id}/messages?limit=100`);
    const messages = listed.json<{ items: { id: string; content: string }[] }>().items;
    const second = messages[2];
    const edited = await admin.post(`/api/v1/conversations/${id}/messages/${second?.id}/edit`, {
      message: 'What is my boat called?',
    });
    expect(edited.status, edited.text).toBe(200);
    const early = textOf(provider.requests.at(-1));
    expect(early).toContain(FACT);
    expect(early).not.toContain('Ropes and tides.');
    expect(early).not.toContain('Note 1');
    // Back in the first branch its summary stands, and is not paid for again.
    const summaries = provider.requests.filter(isSummary).length;
    const back = await admin.patch(`/api/v1/conversations/${id}`, { active_message_id: second?.id });
    expect(back.status, back.text).toBe(200);
    await say('And now?', id);
    const late = textOf(provider.requests.at(-1));
    expect(late).toContain('Ropes and tides.');
    expect(late).toContain('Note 19');
    expect(late).not.toContain('What is my boat called?');
    expect(provider.requests.filter(isSummary)).toHaveLength(summaries);
  });

  it(req('CONTEXT-01', 'is summarised without any call by the built-in model'), async () => {
    const { id } = await talk(24, 'builtin');
    expect(provider.requests).toHaveLength(0);
    // The same conversation, seen by another model: the stored sentences are there.
    await say('What do you know?', id);
    const last = provider.requests.filter((request) => !isSummary(request)).at(-1);
    expect(textOf(last)).toContain('Nautilus-77');
  });

  it(req('CONTEXT-01', 'of a client that keeps it itself is fitted the same way'), async () => {
    provider.always({ text: 'Nautilus-77.' });
    const history = Array.from({ length: 30 }, (_, n) => [
      { role: 'user', content: n === 0 ? FACT : filler(n) },
      { role: 'assistant', content: 'Noted.' },
    ]).flat();
    const answer = await admin.post('/v1/chat/completions', {
      model: `pentarch/${AGENT}`,
      messages: [...history, { role: 'user', content: 'What is my boat called?' }],
    });
    expect(answer.status, answer.text).toBe(200);
    expect(provider.requests).toHaveLength(1);
    const [request] = provider.requests;
    expect(promptTokens(request as TestRequest)).toBeLessThanOrEqual(WINDOW_TOKENS - OUTPUT_TOKENS);
    expect(textOf(request)).toContain(`Person: ${FACT}`);
  });
});
