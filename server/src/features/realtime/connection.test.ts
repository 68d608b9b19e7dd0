import { expect, it } from 'vitest';
import { callerOf } from '../../../test/support/memory.ts';
import type { PlatformEvent } from '../../kernel/events.ts';
import { createConnection } from './connection.ts';
import { createEventLog } from './event-log.ts';
import type { ChatSend } from './ports.ts';

const event = (id: string): PlatformEvent => ({
  id,
  type: 'notification',
  tenantId: 't1',
  userId: 'ada',
  reach: 'own',
  permission: 'conversations:read',
  data: { id },
  createdAt: 1_000,
});

/** A connection whose caller is Ada, on a socket that keeps what is sent. */
const open = (chat: ChatSend) => {
  const sent: { type: string; payload: Record<string, unknown> }[] = [];
  const ends: number[] = [];
  const log = createEventLog({ keepMs: 60_000, keepCount: 100 });
  const socket = {
    bufferedAmount: 0,
    send: (data: string | Buffer) => void sent.push(JSON.parse(String(data))),
    close: (code: number) => void ends.push(code),
    terminate: () => void ends.push(0),
    ping: () => {},
  };
  const caller = callerOf('ada');
  const connection = createConnection({
    socket,
    log,
    now: () => 1_000,
    authenticate: () => caller,
    onCaller: () => {},
    chat,
    admit: () => null,
    onError: () => {},
  });
  connection.open({ ...caller, permissions: new Set([...caller.permissions, 'chat:write']) }, 'token', null);
  const publish = (id: string): void => {
    const published = event(id);
    log.add(published);
    connection.deliver(published, () =>
      Buffer.from(JSON.stringify({ type: 'notification', payload: { id } })),
    );
  };
  const send = (type: string, payload: unknown): Promise<void> =>
    connection.receive(Buffer.from(JSON.stringify({ type, payload })), false);
  return { connection, sent, ends, publish, send, types: () => sent.map((one) => one.type) };
};

const run = (onDelta: Awaited<ReturnType<ChatSend>>['onDelta']): Awaited<ReturnType<ChatSend>> => ({
  runId: 'r',
  conversationId: 'c',
  messageId: 'm',
  onDelta,
  done: Promise.resolve(),
});

it('holds events back until the start of a run is said, and sends them after it', async () => {
  const launched = Promise.withResolvers<Awaited<ReturnType<ChatSend>>>();
  const asked = Promise.withResolvers<void>();
  const client = open(() => {
    asked.resolve();
    return launched.promise;
  });
  const sending = client.send('chat.send', { message: 'hello' });
  await asked.promise;
  client.publish('during');
  expect(client.types()).toEqual(['ready']);
  launched.resolve(run(() => () => {}));
  await sending;
  client.publish('after');
  expect(client.types()).toEqual(['ready', 'chat.accepted', 'notification', 'notification']);
});

it('gets events still after runs whose text could not be followed', async () => {
  const client = open(async () =>
    run(() => {
      throw new Error('the run’s events are gone');
    }),
  );
  for (const message of ['one', 'two']) await client.send('chat.send', { message });
  client.publish('after');
  expect(client.types()).toEqual([
    'ready',
    'chat.accepted',
    'error',
    'chat.accepted',
    'error',
    'notification',
  ]);
});

it('follows no run after its end, and says nothing more', async () => {
  let following = 0;
  const client = open(async () =>
    run(() => {
      following += 1;
      return () => {
        following -= 1;
      };
    }),
  );
  await client.send('chat.send', { message: 'hello' });
  expect(following).toBe(1);
  client.connection.end(1001, 'the server is shutting down');
  client.connection.end(1001, 'twice');
  expect(following).toBe(0);
  client.publish('after');
  expect(client.types()).toEqual(['ready', 'chat.accepted']);
  expect(client.ends).toEqual([1001]);
  client.connection.gone();
});
