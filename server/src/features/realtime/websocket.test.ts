import { afterEach, describe, expect, it } from 'vitest';
import { type Sockets, startSockets, taskEvent } from '../../../test/realtime/harness.ts';
import { req } from '../../../test/requirements.ts';
import { AppError } from '../../kernel/errors.ts';

let sockets: Sockets | null = null;
const start = async (options?: Parameters<typeof startSockets>[0]): Promise<Sockets> => {
  sockets = await startSockets(options);
  return sockets;
};
afterEach(async () => {
  await sockets?.close();
  sockets = null;
});

const numbers = (client: { messages: { type: string; payload: Record<string, unknown> }[] }): unknown[] =>
  client.messages.filter((m) => m.type === 'task.updated').map((m) => m.payload.n);

const upgradeStatus = async (
  s: Sockets,
  headers: Record<string, string>,
): Promise<{ status: number; body: string }> => {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const call = request({
      port: s.port,
      path: '/v2/ws',
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    });
    call.on('response', (response) => {
      let body = '';
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    call.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode ?? 0, body: '' });
    });
    call.on('error', reject);
    call.end();
  });
};

describe(req(['WS-01'], 'who may come in'), () => {
  it('takes the token of the Authorization header, under both names of the path', async () => {
    const s = await start();
    for (const path of ['/v2/ws', '/api/v2/ws']) {
      const client = s.open({ token: 'ann.user.t1', path });
      const ready = await client.next('ready');
      expect(ready.payload).toMatchObject({ user_id: 'ann', tenant_id: 't1' });
    }
  });

  it('takes the token of the subprotocol and answers with a protocol that was offered', async () => {
    const s = await start();
    const alone = s.open({ protocols: ['bearer.ann.user.t1'] });
    await alone.next('ready');
    expect(alone.socket.protocol).toBe('bearer.ann.user.t1');
    const named = s.open({ protocols: ['pentarch.v2', 'bearer.ann.user.t1'] });
    await named.next('ready');
    expect(named.socket.protocol).toBe('pentarch.v2');
  });

  it('takes the token of the first message', async () => {
    const s = await start();
    const client = s.open();
    await client.opened();
    client.send('auth', { token: 'ann.user.t1' });
    expect((await client.next('ready')).payload.user_id).toBe('ann');
  });

  it('refuses a bad token in the upgrade with 401 and the body of the prefix', async () => {
    const s = await start();
    const answer = await upgradeStatus(s, { authorization: 'Bearer nonsense' });
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body)).toMatchObject({ error: 'unauthorized', code: 'TOKEN_INVALID' });
    expect((await upgradeStatus(s, { 'sec-websocket-protocol': 'bearer.nonsense' })).status).toBe(401);
  });

  it('refuses a suspended tenant with 403 in the upgrade and 4403 in the first message', async () => {
    const s = await start();
    s.accounts.suspend('t9');
    expect((await upgradeStatus(s, { authorization: 'Bearer eve.user.t9' })).status).toBe(403);
    const client = s.open();
    await client.opened();
    client.send('auth', { token: 'eve.user.t9' });
    expect((await client.closed()).code).toBe(4403);
  });

  it('refuses a token in the address', async () => {
    const s = await start();
    const client = s.open({ query: '?token=ann.user.t1' });
    expect((await client.failed()).message).toContain('401');
  });

  it('closes with 4401 on a bad first token, and on anything else before auth', async () => {
    const s = await start();
    for (const text of [
      '{"type":"auth","payload":{"token":"nonsense"}}',
      '{"type":"ping"}',
      '{"type":"chat.send","payload":{"message":"hi"}}',
      'foo',
    ]) {
      const client = s.open();
      await client.opened();
      client.sendRaw(text);
      expect((await client.closed()).code, text).toBe(4401);
    }
  });

  it('answers 426 to a plain GET and 405 to other methods', async () => {
    const s = await start();
    const get = await fetch(s.url.replace('ws:', 'http:'));
    expect(get.status).toBe(426);
    const post = await fetch(s.url.replace('ws:', 'http:'), { method: 'POST' });
    expect(post.status).toBe(405);
    expect(post.headers.get('allow')).toContain('GET');
  });

  it('answers an upgrade of another path as the plain request that it is', async () => {
    const s = await start();
    const { openRaw } = await import('../../../test/support/socket-client.ts');
    const raw = await openRaw(s.port);
    expect((await raw.upgrade('GET', '/v2/nothing')).status).toBe(404);
    raw.destroy();
  });
});

describe(req(['WS-02'], 'who gets what'), () => {
  it('gives an event to its owner, to operators and admins of the tenant, and to nobody else', async () => {
    const s = await start();
    const ann = await s.join('ann.user.t1');
    const bob = await s.join('bob.user.t1');
    const olga = await s.join('olga.operator.t1');
    const root = await s.join('root.admin.t1');
    const eve = await s.join('eve.admin.t2');
    s.bus.publish(taskEvent(1));
    s.bus.publish(taskEvent(2, { reach: 'tenant' }));
    for (const client of [ann, olga, root]) await client.next('task.updated', (m) => m.payload.n === 2);
    await bob.next('task.updated');
    for (const client of [ann, olga, root]) expect(numbers(client)).toEqual([1, 2]);
    expect(numbers(bob)).toEqual([2]);
    eve.send('ping');
    await eve.next('pong');
    expect(numbers(eve)).toEqual([]);
  });

  it('asks for the permission of the event', async () => {
    const s = await start();
    const ann = await s.join('ann.user.t1');
    const una = await s.join('una.analyst.t1');
    s.bus.publish(taskEvent(1, { reach: 'tenant', permission: 'audit:read' }));
    await una.next('task.updated');
    ann.send('ping');
    await ann.next('pong');
    expect(numbers(ann)).toEqual([]);
  });

  it('narrows by topics, and widens again', async () => {
    const s = await start();
    const ann = await s.join('ann.user.t1');
    ann.send('subscribe', { topics: ['proposals'] });
    await ann.next('ready', (m) => JSON.stringify(m.payload.topics) === '["proposals"]');
    s.bus.publish(taskEvent(1));
    ann.send('subscribe', { topics: ['proposals', 'tasks'] });
    await ann.next('ready', (m) => JSON.stringify(m.payload.topics) === '["proposals","tasks"]');
    s.bus.publish(taskEvent(2));
    await ann.next('task.updated');
    ann.send('unsubscribe', { topics: ['tasks'] });
    await ann.next(
      'ready',
      (m) =>
        JSON.stringify(m.payload.topics) === '["proposals"]' &&
        ann.messages.filter((x) => x.type === 'ready').length === 4,
    );
    s.bus.publish(taskEvent(3));
    ann.send('ping');
    await ann.next('pong');
    expect(numbers(ann)).toEqual([2]);
  });

  it('answers a guess at a foreign record like one at nothing', async () => {
    const s = await start();
    const ann = await s.join('ann.user.t1');
    ann.send('subscribe', { topics: ['runs/0199aaaa-0000-7000-8000-000000000001'] });
    ann.send('subscribe', { topics: ['runs/no-such-run'] });
    await expect.poll(() => ann.messages.filter((m) => m.type === 'error').length).toBe(2);
    const [first, second] = ann.messages
      .filter((m) => m.type === 'error')
      .map((m) => ({ ...m.payload, request_id: '' }));
    expect(first).toEqual(second);
    expect(first).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('says what events are called on the socket', async () => {
    const s = await start();
    const ann = await s.join('ann.user.t1');
    for (const type of [
      'conversation.completed',
      'proposal.decided',
      'agent.state_changed',
      'cost.limit_reached',
    ]) {
      s.bus.publish(taskEvent(0, { type }));
    }
    await ann.next('cost.alert');
    expect(ann.messages.map((m) => m.type)).toEqual([
      'ready',
      'proposal.updated',
      'agent.state',
      'cost.alert',
    ]);
  });
});

describe(req(['WS-03', 'WS-04'], 'while the socket is open'), () => {
  it('closes with 4401 when the token expires', async () => {
    const s = await start();
    s.accounts.expireAt('ann.user.t1', Date.now() + 400);
    const ann = await s.join('ann.user.t1');
    expect((await ann.closed()).code).toBe(4401);
  });

  it('closes with 4401 within 5 s of a revocation, and with 4403 of a suspension', async () => {
    const s = await start({ checkMs: 100 });
    const ann = await s.join('ann.user.t1');
    const bob = await s.join('bob.user.t2');
    const before = Date.now();
    s.accounts.revoke('ann.user.t1');
    s.accounts.suspend('t2');
    expect((await ann.closed()).code).toBe(4401);
    expect((await bob.closed()).code).toBe(4403);
    expect(Date.now() - before).toBeLessThan(5_000);
  });

  it('goes on with a new token of the same account, and not with another one’s', async () => {
    const s = await start();
    s.accounts.expireAt('ann.user.t1', Date.now() + 600);
    const ann = await s.join('ann.user.t1');
    ann.send('auth', { token: 'ann.user.t1.second' });
    await expect.poll(() => ann.messages.filter((m) => m.type === 'ready').length).toBe(2);
    await expect
      .poll(() => Date.now() > (s.accounts.caller('ann.user.t1').expiresAt ?? 0) + 200, { timeout: 3_000 })
      .toBe(true);
    expect(ann.isClosed()).toBe(false);
    s.bus.publish(taskEvent(1));
    await ann.next('task.updated');
    ann.send('auth', { token: 'bob.user.t1' });
    expect((await ann.closed()).code).toBe(4403);
  });

  it('answers what it does not understand with an error and stays', async () => {
    const s = await start();
    const ann = await s.join('ann.user.t1');
    for (const text of [
      'foo',
      '[]',
      '{"type":"nonsense"}',
      '{"type":"subscribe"}',
      '{"type":"subscribe","payload":{"topics":["tasks"],"x":1}}',
    ]) {
      ann.messages.length = 0;
      ann.sendRaw(text);
      const error = await ann.next('error');
      expect(error.payload, text).toMatchObject({ error: 'validation_error', code: 'VALIDATION_ERROR' });
      expect(error.payload.request_id, text).toBeTypeOf('string');
    }
    ann.send('ping', { n: 7 });
    expect((await ann.next('pong')).payload).toEqual({ n: 7 });
  });

  it('refuses more than 50 messages a second and stays', async () => {
    const s = await start();
    const ann = await s.join('ann.user.t1');
    for (let i = 0; i < 120; i++) ann.send('ping', i);
    const error = await ann.next('error');
    expect(error.payload.code).toBe('RATE_LIMITED');
    expect(ann.isClosed()).toBe(false);
  });

  it('closes with 1009 above 1 MiB and takes what is just below', async () => {
    const s = await start();
    const ann = await s.join('ann.user.t1');
    const shell = '{"type":"ping","payload":""}'.length;
    ann.sendRaw(`{"type":"ping","payload":"${'x'.repeat(1024 * 1024 - shell)}"}`);
    await ann.next('pong');
    ann.sendRaw(`{"type":"ping","payload":"${'x'.repeat(1024 * 1024 - shell + 1)}"}`);
    expect((await ann.closed()).code).toBe(1009);
  });

  it('closes with 4408 when the client does not read, and others get theirs', async () => {
    const s = await start();
    const slow = await s.join('ann.user.t1');
    const quick = await s.join('root.admin.t1');
    slow.socket.pause();
    const text = 'y'.repeat(200_000);
    let n = 0;
    await expect
      .poll(
        () => {
          for (let i = 0; i < 10; i++) s.bus.publish(taskEvent(n++, { data: { n, text } }));
          return numbers(quick).length > 200;
        },
        { timeout: 20_000, interval: 30 },
      )
      .toBe(true);
    slow.socket.resume();
    expect((await slow.closed()).code).toBe(4408);
    expect(numbers(slow).length).toBeLessThan(numbers(quick).length);
    expect(quick.isClosed()).toBe(false);
  });

  it('cuts a peer that answers no pings within two heartbeats', async () => {
    const s = await start({ heartbeatMs: 100 });
    const ann = s.open({ token: 'ann.user.t1' });
    await ann.next('ready');
    const deaf = await (await import('../../../test/support/socket-client.ts')).openRaw(s.port, {
      authorization: 'Bearer bob.user.t1',
    });
    expect((await deaf.upgrade()).status).toBe(101);
    const before = Date.now();
    await deaf.until(() => deaf.ended(), 'end of the deaf peer');
    expect(Date.now() - before).toBeLessThan(10 * 2 * 100);
    expect(ann.isClosed()).toBe(false);
  });

  it('says good-bye with 1001 on shutdown', async () => {
    const s = await start();
    const ann = await s.join('ann.user.t1');
    const closing = s.app.close();
    expect((await ann.closed()).code).toBe(1001);
    await closing;
  });
});

describe(req(['WS-05'], 'coming back'), () => {
  it('replays what was missed after the last event, without gap or repeat, and goes on live', async () => {
    const s = await start();
    const first = await s.join('ann.user.t1');
    s.bus.publish(taskEvent(1));
    s.bus.publish(taskEvent(2));
    const seen = await first.next('task.updated', (m) => m.payload.n === 2);
    first.close();
    s.bus.publish(taskEvent(3));
    s.bus.publish(taskEvent(4, { userId: 'bob' }));
    s.bus.publish(taskEvent(5));
    const again = await s.join('ann.user.t1', `?last_event_id=${seen.id}`);
    expect(again.messages[0]?.payload.replay).toEqual({ complete: true });
    s.bus.publish(taskEvent(6));
    await again.next('task.updated', (m) => m.payload.n === 6);
    expect(numbers(again)).toEqual([3, 5, 6]);
  });

  it('replays by the auth message and by subscribe too', async () => {
    const s = await start();
    const first = await s.join('ann.user.t1');
    s.bus.publish(taskEvent(1));
    const { id } = await first.next('task.updated');
    s.bus.publish(taskEvent(2));
    const byAuth = s.open();
    await byAuth.opened();
    byAuth.send('auth', { token: 'ann.user.t1', last_event_id: id });
    await byAuth.next('task.updated', (m) => m.payload.n === 2);
    const bySubscribe = await s.join('ann.user.t1');
    bySubscribe.send('subscribe', { last_event_id: id });
    await bySubscribe.next('task.updated', (m) => m.payload.n === 2);
    expect(numbers(byAuth)).toEqual([2]);
    expect(numbers(bySubscribe)).toEqual([2]);
  });

  it('says when it cannot know that nothing is missing', async () => {
    const s = await start();
    s.bus.publish(taskEvent(1));
    const client = await s.join('ann.user.t1', '?last_event_id=0199aaaa-0000-7000-8000-000000000001');
    expect(client.messages[0]?.payload.replay).toEqual({ complete: false });
  });

  it('feeds a replay that is larger than the back-pressure limit', async () => {
    const s = await start();
    const first = await s.join('ann.user.t1');
    s.bus.publish(taskEvent(0));
    const { id } = await first.next('task.updated');
    first.close();
    const text = 'z'.repeat(100_000);
    for (let n = 1; n <= 40; n++) s.bus.publish(taskEvent(n, { data: { n, text } }));
    const again = await s.join('ann.user.t1', `?last_event_id=${id}`);
    s.bus.publish(taskEvent(41));
    await again.next('task.updated', (m) => m.payload.n === 41);
    expect(numbers(again)).toEqual(Array.from({ length: 41 }, (_, i) => i + 1));
  });
});

describe(req(['WS-06'], 'chat.send'), () => {
  const playedChat = () => {
    let publish: (type: string) => void = () => {};
    return {
      on: (s: Sockets) => {
        publish = (type) =>
          s.bus.publish({
            type,
            tenantId: 't1',
            userId: 'ann',
            reach: 'own',
            permission: 'conversations:read',
            data: { run_id: 'r1', conversation_id: 'c1' },
          });
      },
      chat: async () => {
        publish('run.started');
        await Promise.resolve();
        return {
          runId: 'r1',
          conversationId: 'c1',
          messageId: 'm1',
          onDelta: (onDelta: (delta: { agentId: string; content: string }) => void, onEnd: () => void) => {
            onDelta({ agentId: 'zeus', content: 'Hel' });
            const timer = setTimeout(() => {
              onDelta({ agentId: 'zeus', content: 'lo' });
              onEnd();
              publish('run.completed');
            }, 10);
            return () => clearTimeout(timer);
          },
          done: Promise.resolve(),
        };
      },
    };
  };

  it('is accepted first, then tells of its run, whatever is subscribed', async () => {
    const played = playedChat();
    const s = await start({ chat: played.chat });
    played.on(s);
    const ann = await s.join('ann.user.t1');
    ann.send('subscribe', { topics: ['costs'] });
    await expect.poll(() => ann.messages.length).toBe(2);
    ann.messages.length = 0;
    ann.send('chat.send', { id: 'q-1', message: 'hello' });
    await ann.next('run.completed');
    expect(ann.messages.map((m) => m.type)).toEqual([
      'chat.accepted',
      'run.started',
      'message.delta',
      'message.delta',
      'run.completed',
    ]);
    expect(ann.messages[0]?.payload).toEqual({
      id: 'q-1',
      run_id: 'r1',
      conversation_id: 'c1',
      message_id: 'm1',
    });
    expect(ann.messages[2]?.payload).toMatchObject({ run_id: 'r1', agent_id: 'zeus', content: 'Hel' });
  });

  it('answers a refusal with its error and the id of the message', async () => {
    const s = await start({
      chat: () => Promise.reject(new AppError('NOT_FOUND', 'conversation not found')),
    });
    const ann = await s.join('ann.user.t1');
    ann.send('chat.send', { id: 'q-2', message: 'hello' });
    expect((await ann.next('error')).payload).toMatchObject({
      code: 'NOT_FOUND',
      error: 'not_found',
      id: 'q-2',
    });
    s.bus.publish(taskEvent(1));
    await ann.next('task.updated');
  });

  it('needs chat:write and counts as a request', async () => {
    const s = await start({ admit: () => new AppError('RATE_LIMITED', 'too many', { retryAfterS: 1 }) });
    const rita = await s.join('rita.readonly.t1');
    rita.send('chat.send', { message: 'hello' });
    expect((await rita.next('error')).payload).toMatchObject({
      code: 'FORBIDDEN',
      details: { required: 'chat:write' },
    });
    const ann = await s.join('ann.user.t1');
    ann.send('chat.send', { message: 'hello' });
    expect((await ann.next('error')).payload.code).toBe('RATE_LIMITED');
  });
});
