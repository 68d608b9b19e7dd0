import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** Long messages: taken by every API as far as the model has room for them, refused with the counts where it has not. */

const CHAT = '/api/v1/chat';
const MOST = 262_144;

let provider: TestProvider;
let admin: Client;

const it = withWorld({ env: { CONTEXT_TOKENS: '140000', MAX_OUTPUT_TOKENS: '1000' } });
it.beforeAll(({ world }) => {
  ({ provider, admin } = world);
});
beforeEach(() => {
  provider.reset();
  provider.always(() => ({ text: 'Read.' }));
});

/** Four characters to an estimated token. */
const text = (characters: number): string => 'word '.repeat(Math.ceil(characters / 5)).slice(0, characters);
const context = { agent_id: 'zeus' };
const spent = async (): Promise<number> =>
  (await admin.get('/v2/costs/limits'))
    .json<{ limits: { used_usd: number; reserved_usd: number }[] }>()
    .limits.reduce((sum, one) => sum + one.used_usd + one.reserved_usd, 0);

describe('a long message', () => {
  it(req(['LONG-01', 'CHAT-02'], 'is taken whole up to 262,144 characters'), async () => {
    const longest = text(MOST);
    const taken = await admin.post(CHAT, { message: longest, context });
    expect(taken.status, taken.text.slice(0, 300)).toBe(200);
    expect(String(provider.requests.at(-1)?.body.messages?.at(-1)?.content)).toContain(longest);
    const { conversation_id: id } = taken.json<{ conversation_id: string }>();
    const after = await admin.post(CHAT, { message: 'And?', context, conversation_id: id });
    expect(after.status).toBe(200);
    // With a summary of the long one.
    const calls = provider.requests.length;
    const above = await admin.post(CHAT, { message: `${longest}x`, context });
    expect(above.status).toBe(422);
    expect(above.text).toContain('/message');
    expect(provider.requests).toHaveLength(calls);
  });

  it(req('LONG-01', 'counts as code points, and may come in escapes'), async () => {
    const message = 'é'.repeat(230_000);
    const body = JSON.stringify({ message, context }).replaceAll('é', String.raw`\u00e9`);
    expect(body.length).toBeGreaterThan(1024 * 1024);
    const taken = await admin.send('POST', CHAT, body, { headers: { 'content-type': 'application/json' } });
    expect(taken.status, taken.text.slice(0, 300)).toBe(200);
  });

  it(req('LONG-01', 'is taken by the foreign APIs too'), async () => {
    const message = text(200_000);
    const foreign: [string, Record<string, unknown>][] = [
      ['/v1/chat/completions', { model: 'pentarch/zeus', messages: [{ role: 'user', content: message }] }],
      ['/v1/responses', { model: 'pentarch/zeus', input: message }],
      [
        '/v1/messages',
        { model: 'pentarch/zeus', max_tokens: 100, messages: [{ role: 'user', content: message }] },
      ],
    ];
    for (const [path, body] of foreign) {
      const answer = await admin.post(path, body);
      expect(answer.status, `${path} ${answer.text.slice(0, 300)}`).toBe(200);
      expect(String(provider.requests.at(-1)?.body.messages?.at(-1)?.content)).toContain(message);
    }
    const asked = await admin.post('/a2a/zeus', {
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: {
        message: { kind: 'message', messageId: 'm1', role: 'user', parts: [{ kind: 'text', text: message }] },
      },
    });
    expect(asked.json<{ result?: unknown }>().result, asked.text.slice(0, 300)).toBeDefined();
  });

  it(req('LONG-02', 'over the window is refused before any cost, with the counts'), async () => {
    const before = await spent();
    // 131,072 estimated tokens: two characters of this alphabet are one.
    const message = 'щ'.repeat(MOST);
    for (const more of [{ context }, {}]) {
      const refused = await admin.post(CHAT, { message, ...more });
      expect(refused.status).toBe(422);
      const { error } = refused.json<{
        error: { code: string; message: string; details: Record<string, number> };
      }>();
      expect(error.code).toBe('VALIDATION_ERROR');
      expect(error.message).toContain('attach it as a document');
      expect(error.details).toMatchObject({ message_tokens: 131_072, window_tokens: 140_000 });
    }
    const completion = await admin.post('/v1/chat/completions', {
      model: 'pentarch',
      messages: [{ role: 'user', content: message }],
    });
    expect(completion.status).toBe(400);
    expect(completion.text).toContain('attach it as a document');
    expect(provider.requests).toHaveLength(0);
    expect(await spent()).toBe(before);
    const list = await admin.get('/api/v1/conversations?q=%D1%89%D1%89%D1%89');
    expect(list.json<{ items: unknown[] }>().items).toEqual([]);
  });

  it(req('LONG-02', 'is refused where what goes along with it leaves too little room'), async () => {
    // It alone would fit: a tenth of the window and 1,000 tokens for the answer stay free.
    const refused = await admin.post(CHAT, { message: 'щ'.repeat(249_800), context });
    expect(refused.status).toBe(422);
    expect(refused.json<{ error: { details: Record<string, number> } }>().error.details).toMatchObject({
      message_tokens: 124_900,
    });
    expect(provider.requests).toHaveLength(0);
  });
});

const itShort = withWorld({ env: { MAX_MESSAGE_CHARS: '2000' } });
let short: Client;
itShort.beforeAll(({ world }) => {
  short = world.admin;
});

describe('with MAX_MESSAGE_CHARS', () => {
  itShort(req('LONG-01', 'less is taken, by each API'), async () => {
    expect((await short.post(CHAT, { message: text(2_000), context })).status).toBe(200);
    const refused = await short.post(CHAT, { message: text(2_001), context });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('must have at most 2000 characters');
    const messages = [{ role: 'user', content: text(2_001) }];
    expect((await short.post('/v1/chat/completions', { model: 'pentarch', messages })).status).toBe(400);
  });
});
