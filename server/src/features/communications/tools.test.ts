import { describe, expect, test } from 'vitest';
import { callerOf } from '../../../test/support/memory.ts';
import type { Mail } from '../../kernel/mail.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import type { AgentTool, ToolContext } from '../../kernel/tools.ts';
import { communicationTools } from './index.ts';
import { addressFault } from './rules.ts';

const context = (role: 'user' | 'operator' = 'user'): ToolContext => ({
  caller: callerOf('ann', role),
  agentId: 'hermes',
  conversationId: null,
  runId: null,
  requestId: 'r',
  signal: new AbortController().signal,
  tainted: false,
});

const house = (options: { refuse?: string; outgoing?: OutgoingHttp } = {}) => {
  const mails: Mail[] = [];
  const source = communicationTools({
    mailer: {
      delivers: true,
      send: async (mail) => {
        if (mail.to === options.refuse) throw new Error('no such mailbox');
        mails.push(mail);
      },
    },
    outgoing: options.outgoing ?? null,
    clock: { now: () => 0 },
  });
  const tool = async (name: string, role: 'user' | 'operator' = 'user'): Promise<AgentTool | undefined> =>
    (await source.list(context(role).caller, 'hermes')).find((one) => one.name === name);
  return { mails, tool };
};

const MAIL = { to: ['bob@example.org'], subject: 'Hi', body: 'Text' };

describe('mail', () => {
  test('a draft sends nothing', async () => {
    const { mails, tool } = house();
    const outcome = await (await tool('draft_email'))?.call(MAIL, context());
    expect(outcome).toMatchObject({ isError: false, structured: { sent: false } });
    expect(mails).toEqual([]);
  });

  test('each address gets a mail of its own that names who sent it', async () => {
    const { mails, tool } = house();
    const outcome = await (await tool('send_email'))?.call(
      { ...MAIL, to: ['bob@example.org', 'cy@example.org'] },
      context(),
    );
    expect(outcome).toMatchObject({
      isError: false,
      structured: { sent: ['bob@example.org', 'cy@example.org'] },
    });
    expect(mails.map((mail) => mail.to)).toEqual(['bob@example.org', 'cy@example.org']);
    expect(mails[0]?.text).toMatch(/ann@example\.com/);
  });

  test('what the server refuses is said', async () => {
    const { tool } = house({ refuse: 'bob@example.org' });
    expect(await (await tool('send_email'))?.call(MAIL, context())).toMatchObject({ isError: true });
  });

  test.each([
    { to: ['bob'] },
    { to: ['a@b.c\nBcc: x@y.zz'] },
    { to: ['a@b.cc, d@e.ff'] },
    { subject: 'a\nBcc: x' },
    { cc: ['x@y.zz'] },
  ])('refused: %o', async (change) => {
    const { mails, tool } = house();
    expect(await (await tool('send_email'))?.call({ ...MAIL, ...change }, context())).toMatchObject({
      isError: true,
    });
    expect(mails).toEqual([]);
  });

  test('sending stands behind governance: it reaches outside and is never repeated', async () => {
    expect((await house().tool('send_email'))?.annotations).toEqual({
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: true,
    });
  });

  test('addresses', () => {
    for (const good of ['a@b.co', 'ann.lee+x@mail.example.org', 'kai@münchen.de'])
      expect(addressFault(good)).toBeNull();
    for (const bad of ['', '@b.co', 'a@', 'a@b', 'a b@c.de', '<a@b.co>', 'a@b@c.de', 'a@-b.co'])
      expect(addressFault(bad)).not.toBeNull();
  });
});

describe('send_webhook', () => {
  const outgoing: OutgoingHttp = {
    check: (url) => (url.includes('127.0.0.1') ? 'must not point to a loopback address' : null),
    fetch: () => Promise.resolve(new Response('done', { status: 202 })),
    close: () => Promise.resolve(),
  };

  test('is there for those who manage webhooks, where connections are set up', async () => {
    expect(await house({ outgoing }).tool('send_webhook', 'user')).toBeUndefined();
    expect(await house().tool('send_webhook', 'operator')).toBeUndefined();
    const tool = await house({ outgoing }).tool('send_webhook', 'operator');
    expect(
      await tool?.call({ url: 'https://example.org/x', payload: { a: 1 } }, context('operator')),
    ).toMatchObject({
      isError: false,
      structured: { status: 202, body: 'done' },
    });
    expect(await tool?.call({ url: 'http://127.0.0.1/x', payload: {} }, context('operator'))).toMatchObject({
      isError: true,
    });
  });

  test('reads no more of an answer than it tells, and ends the connection', async () => {
    let parts = 0;
    let isEnded = false;
    const endless = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          parts++;
          controller.enqueue(new Uint8Array(4_096).fill(97));
        },
        cancel() {
          isEnded = true;
        },
      },
      { highWaterMark: 0 },
    );
    const sent = { ...outgoing, fetch: () => Promise.resolve(new Response(endless)) };
    const tool = await house({ outgoing: sent }).tool('send_webhook', 'operator');
    const outcome = await tool?.call({ url: 'https://example.org/x', payload: {} }, context('operator'));
    expect(outcome).toMatchObject({ structured: { body: 'a'.repeat(2_000) } });
    expect({ parts, isEnded }).toEqual({ parts: 2, isEnded: true });
  });
});
