import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client, SseEvent } from '../../../test/support/client.ts';
import type { TestProvider } from '../../../test/support/provider.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withWorld } from '../../../test/support/suite.ts';

/** How messages say that they are not whole, wherever messages are given out. */

interface Message {
  role: string;
  content: string;
  finish_reason: string | null;
  error: { code: string; message: string } | null;
}
type Read = { messages: Message[] };

let server: TestServer;
let provider: TestProvider;
let admin: Client;

const it = withWorld({ env: { SHUTDOWN_GRACE_S: '1' } });
it.beforeAll(({ world }) => {
  ({ provider, server, admin } = world);
});
beforeEach(() => provider.reset());

const begun = (events: readonly SseEvent[]) => {
  const data = events[0]?.data as { run_id: string; conversation_id: string } | undefined;
  return { run: data?.run_id ?? '', conversation: data?.conversation_id ?? '' };
};
const ask = (message = 'Go') => admin.stream('/v2/chat/stream', { message, context: { agent_id: 'zeus' } });
const told = async (message?: string) => begun(await (await ask(message)).rest());
const endsOf = ({ messages }: Read) =>
  messages.map((one) => [one.role, one.content, one.finish_reason, one.error?.code ?? null]);

/** The same of every door that gives messages out. */
const everywhere = async (conversation: string): Promise<unknown[]> => {
  const read = endsOf((await admin.get(`/v2/conversations/${conversation}`)).json<Read>());
  const page = (await admin.get(`/v2/conversations/${conversation}/messages`)).json<{ items: Message[] }>();
  expect(endsOf({ messages: page.items })).toEqual(read);
  const file = await admin.get(`/api/v1/conversations/${conversation}/export?format=json`);
  expect(endsOf(JSON.parse(file.text) as Read)).toEqual(read);
  const me = (await admin.get('/v2/auth/me')).json<{ sub: string }>();
  const own = (await admin.get(`/v2/users/${me.sub}/export`)).text;
  const exported = JSON.parse(own) as { data: { conversations: (Read & { id: string })[] } };
  const mine = exported.data.conversations.find((one) => one.id === conversation);
  expect(mine === undefined ? null : endsOf(mine)).toEqual(read);
  return read;
};
const markdown = async (conversation: string): Promise<string> =>
  (await admin.get(`/v2/conversations/${conversation}/export?format=markdown`)).text;

describe('the end of a message', () => {
  it(req('CONV-09', 'of a whole answer is stop, without an error, and its question has none'), async () => {
    provider.script({ chunks: ['Whole.'] });
    const { conversation } = await told();
    expect(await everywhere(conversation)).toEqual([
      ['user', 'Go', null, null],
      ['assistant', 'Whole.', 'stop', null],
    ]);
    expect(await markdown(conversation)).not.toContain('The answer');
  });

  it(req('CONV-09', 'of an answer that its provider cut off is failed, with why'), async () => {
    provider.script({ chunks: ['Half ', 'an answer', ' and more'], resetAfter: 2 });
    const { conversation } = await told();
    expect(await everywhere(conversation)).toEqual([
      ['user', 'Go', null, null],
      ['assistant', 'Half an answer', 'failed', 'UPSTREAM_ERROR'],
    ]);
    expect(await markdown(conversation)).toMatch(/Half an answer\n\n_The answer failed: .+_/);
  });

  it(
    req('CONV-09', 'of a question whose run failed before its first word stands at the question'),
    async () => {
      provider.always({ chunks: [], finishReason: null });
      const { conversation } = await told();
      const [question, ...others] = (await everywhere(conversation)) as unknown[][];
      expect(question).toEqual(['user', 'Go', 'failed', 'UPSTREAM_ERROR']);
      expect(others).toEqual([]);
      expect(await markdown(conversation)).toMatch(/Go\n\n_The answer failed: .+_/);
    },
  );

  it(req('CONV-09', 'of a stopped answer is cancelled, which is no error'), async () => {
    provider.script({ chunks: ['one ', 'two'], hangAfter: 1 });
    const stream = await ask();
    const { run, conversation } = begun(await stream.until('message.delta'));
    await admin.post(`/v2/chat/runs/${run}/cancel`);
    await stream.rest();
    expect(await everywhere(conversation)).toEqual([
      ['user', 'Go', null, null],
      ['assistant', 'one ', 'cancelled', null],
    ]);
  });

  it(req('CONV-09', 'of what a restart broke off is interrupted, with and without words'), async () => {
    provider.script({ chunks: ['one ', 'two'], hangAfter: 1 }, { chunks: ['x'], hangAfter: 0 });
    const spoke = await ask();
    const first = begun(await spoke.until('message.delta'));
    const silent = await ask();
    const second = begun(await silent.until('agent.selected'));
    await server.end('SIGTERM');
    await server.start();
    expect(await everywhere(first.conversation)).toEqual([
      ['user', 'Go', null, null],
      ['assistant', 'one ', 'interrupted', 'SERVICE_UNAVAILABLE'],
    ]);
    expect(await everywhere(second.conversation)).toEqual([
      ['user', 'Go', 'interrupted', 'SERVICE_UNAVAILABLE'],
    ]);
    expect(await markdown(first.conversation)).toContain('_The answer was interrupted: ');
  }, 60_000);
});
