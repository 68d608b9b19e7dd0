import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { startReceiver } from '../../../test/support/receiver.ts';
import { completed, startWebhooks } from '../../../test/webhooks/harness.ts';

type Hooks = Awaited<ReturnType<typeof startWebhooks>>;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});
const start = async (options?: Parameters<typeof startWebhooks>[0]): Promise<Hooks> => {
  const hooks = await startWebhooks(options);
  closers.push(hooks.close);
  return hooks;
};
const receiver = async (answer: Parameters<typeof startReceiver>[0]) => {
  const server = await startReceiver(answer);
  closers.push(server.close);
  return server;
};

const S = 1_000;
const MIN = 60 * S;
const H = 60 * MIN;

interface DeliveryBody {
  id: string;
  status: string;
  attempts: number;
  response_status: number | null;
  next_attempt_at: string | null;
  log: { response: { status: number; body: string } | null; error: string | null }[];
}

const deliveries = async (hooks: Hooks, id: string): Promise<DeliveryBody[]> =>
  (
    await hooks.request<{ items: DeliveryBody[] }>(
      'op.operator.t1',
      'GET',
      `/api/v1/webhooks/${id}/deliveries`,
    )
  ).body.items;

describe(req(['HOOK-01'], 'subscriptions'), () => {
  it('shows the secret once, and lists, changes and deletes', async () => {
    const hooks = await start();
    const created = await hooks.request<Record<string, unknown>>(
      'op.operator.t1',
      'POST',
      '/api/v1/webhooks',
      {
        url: 'https://example.com/hook',
        events: ['task.failed', 'user.created'],
        description: 'for the pager',
      },
    );
    expect(created.status).toBe(201);
    expect(created.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(created.headers.location).toBe(`/api/v1/webhooks/${created.body.id}`);
    const path = `/v2/webhooks/${created.body.id}`;
    const got = await hooks.request<Record<string, unknown>>('op.operator.t1', 'GET', path);
    expect(got.body).toMatchObject({ status: 'active', events: ['task.failed', 'user.created'] });
    expect(got.body).not.toHaveProperty('secret');
    expect(JSON.stringify(got.body)).not.toContain('whsec_');
    const patched = await hooks.request<Record<string, unknown>>('op.operator.t1', 'PATCH', path, {
      status: 'disabled',
      description: null,
    });
    expect(patched.body).toMatchObject({ status: 'disabled', disabled_reason: 'manual', description: null });
    expect((await hooks.request('op.operator.t1', 'DELETE', path)).status).toBe(204);
    expect((await hooks.request('op.operator.t1', 'GET', path)).status).toBe(404);
    expect((await hooks.request('op.operator.t1', 'DELETE', path)).status).toBe(404);
  });

  it('is for those who may manage webhooks, and for their tenant alone', async () => {
    const hooks = await start();
    const { id } = await hooks.hook('https://example.com/hook');
    expect((await hooks.request(null, 'GET', '/api/v1/webhooks')).status).toBe(401);
    expect((await hooks.request('ann.user.t1', 'GET', '/api/v1/webhooks')).status).toBe(403);
    for (const [method, path] of [
      ['GET', `/api/v1/webhooks/${id}`],
      ['DELETE', `/api/v1/webhooks/${id}`],
      ['POST', `/api/v1/webhooks/${id}/test`],
      ['GET', `/api/v1/webhooks/${id}/deliveries`],
      ['POST', `/api/v1/webhooks/${id}/rotate-secret`],
    ] as const) {
      expect((await hooks.request('eve.admin.t2', method, path)).status, path).toBe(404);
    }
    expect(
      (await hooks.request<{ total: number }>('eve.admin.t2', 'GET', '/api/v1/webhooks')).body.total,
    ).toBe(0);
  });

  it('refuses unknown events, unknown fields and empty lists with 422', async () => {
    const hooks = await start();
    for (const body of [
      { url: 'https://example.com/', events: [] },
      { url: 'https://example.com/', events: ['nonsense'] },
      { url: 'https://example.com/', events: ['*'], secret: 'mine' },
      { url: '', events: ['*'] },
      { events: ['*'] },
    ]) {
      expect((await hooks.request('op.operator.t1', 'POST', '/api/v1/webhooks', body)).status).toBe(422);
    }
  });
});

describe('a webhook of an earlier release', () => {
  it(req('CRED-04', 'is held to what its owner may now, and after a change to what both may'), async () => {
    const hooks = await start();
    const { id } = await hooks.hook('https://example.com/hook');
    const credential = async () =>
      (await hooks.db.read.selectFrom('webhooks').select('credential').executeTakeFirstOrThrow()).credential;
    await hooks.db.write(async (tx) => {
      await tx.updateTable('webhooks').set({ credential: null }).execute();
    });
    await hooks.publish(completed());
    await hooks.publish({ ...completed(2), permission: 'nobody:has' });
    expect(await deliveries(hooks, id)).toHaveLength(1);
    await hooks.request('op.operator.t1', 'PATCH', `/v2/webhooks/${id}`, { description: 'the same' });
    expect(await credential()).toBeNull();
    await hooks.request('op.operator.t1', 'PATCH', `/v2/webhooks/${id}`, { events: ['*'] });
    expect(await credential()).toContain('"webhooks:manage"');
  });
});

describe('a delivery of an earlier release', () => {
  it(req('CRED-05', 'is read and sent by those who may read such events of the whole tenant'), async () => {
    const hooks = await start();
    const target = await receiver((response) => response.end());
    const { id } = await hooks.hook(target.url);
    await hooks.publish(completed());
    await hooks.db.write(async (tx) => {
      await tx
        .updateTable('webhook_deliveries')
        .set({ permission: null, reach: null, owner: null })
        .execute();
    });
    await hooks.jobs.runDue();
    expect(target.received).toHaveLength(1);
    const [delivery] = await deliveries(hooks, id);
    const read = async (who: string) =>
      (
        await hooks.request<{ request_body?: string; body_withheld?: string }>(
          who,
          'GET',
          `/api/v1/webhooks/${id}/deliveries/${delivery?.id}`,
        )
      ).body;
    expect(await read('op.operator.t1')).toMatchObject({
      request_body: expect.stringContaining('conversation_id'),
    });
    await hooks.db.write(async (tx) => {
      await tx.updateTable('webhook_deliveries').set({ event: 'of.later' }).execute();
    });
    expect(await read('op.operator.t1')).not.toHaveProperty('request_body');
  });
});

describe(req(['HOOK-02', 'HOOK-03', 'HOOK-04'], 'deliveries'), () => {
  it('sends event, timestamp and data, signed by the Standard Webhooks scheme', async () => {
    const hooks = await start();
    const target = await receiver((response) => response.end('ok'));
    // The verifier looks at the real time.
    hooks.clock.set(Date.now());
    const { secret } = await hooks.hook(target.url);
    await hooks.publish({ ...completed(), requestId: 'req-77' });
    await hooks.jobs.runDue();
    const [got] = target.received;
    if (got === undefined) throw new Error('nothing was received');
    expect(JSON.parse(got.body)).toEqual({
      event: 'conversation.completed',
      timestamp: new Date(hooks.clock.now()).toISOString(),
      data: { conversation_id: 'c1', total_cost: 0.25 },
    });
    expect(got.headers['content-type']).toBe('application/json');
    expect(got.headers['x-request-id']).toBe('req-77');
    const verify = (body: string): unknown =>
      new Webhook(secret).verify(body, got.headers as Record<string, string>);
    expect(verify(got.body)).toMatchObject({ event: 'conversation.completed' });
    expect(() => verify(`${got.body} `)).toThrow();
  });

  it('goes only to webhooks of the tenant that want the event and are switched on', async () => {
    const hooks = await start();
    const target = await receiver((response) => response.end());
    const { id: off } = await hooks.hook(`${target.url}/off`);
    await hooks.request('op.operator.t1', 'PATCH', `/api/v1/webhooks/${off}`, { status: 'disabled' });
    await hooks.hook(`${target.url}/tasks`, ['task.failed']);
    await hooks.publish({ ...completed(), tenantId: 't2' });
    await hooks.publish(completed());
    await hooks.publish({ ...completed(), type: 'run.completed' });
    await hooks.jobs.runDue();
    expect(target.received).toEqual([]);
    await hooks.publish({ ...completed(), type: 'task.failed' });
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(1);
  });

  it('tries 500, 500, 200 at the stated times with one id and one body, each signed anew', async () => {
    const hooks = await start();
    const target = await receiver((response, n) => {
      response.statusCode = n < 3 ? 500 : 200;
      response.end(`answer ${n}`);
    });
    const { id } = await hooks.hook(target.url);
    await hooks.publish(completed());
    await hooks.jobs.runDue();
    let [delivery] = await deliveries(hooks, id);
    expect(delivery).toMatchObject({ status: 'pending', attempts: 1, response_status: 500 });
    expect(Date.parse(delivery?.next_attempt_at ?? '') - hooks.clock.now()).toBe(5 * S);
    hooks.clock.advance(5 * S);
    await hooks.jobs.runDue();
    hooks.clock.advance(5 * MIN - 1);
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(2);
    hooks.clock.advance(1);
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(3);
    expect(new Set(target.received.map((r) => r.headers['webhook-id'])).size).toBe(1);
    expect(new Set(target.received.map((r) => r.body)).size).toBe(1);
    expect(new Set(target.received.map((r) => r.headers['webhook-timestamp'])).size).toBe(3);
    [delivery] = await deliveries(hooks, id);
    expect(delivery).toMatchObject({
      status: 'delivered',
      attempts: 3,
      response_status: 200,
      next_attempt_at: null,
    });
    const full = await hooks.request<DeliveryBody>(
      'op.operator.t1',
      'GET',
      `/api/v1/webhooks/${id}/deliveries/${delivery?.id}`,
    );
    expect(full.body.log.map((a) => [a.response?.status, a.response?.body])).toEqual([
      [500, 'answer 1'],
      [500, 'answer 2'],
      [200, 'answer 3'],
    ]);
    expect(JSON.stringify(full.body)).not.toContain('v1,');
  });

  it('sends at once what waits for its next try, and the wait is over', async () => {
    const hooks = await start();
    let status = 500;
    const target = await receiver((response) => {
      response.statusCode = status;
      response.end();
    });
    const { id } = await hooks.hook(target.url);
    await hooks.publish(completed());
    await hooks.jobs.runDue();
    hooks.clock.advance(5 * S);
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(2);
    const [waiting] = await deliveries(hooks, id);
    expect(Date.parse(waiting?.next_attempt_at ?? '') - hooks.clock.now()).toBe(5 * MIN);
    const again = `/api/v1/webhooks/${id}/deliveries/${waiting?.id}/redeliver`;
    const answer = await hooks.request<DeliveryBody>('op.operator.t1', 'POST', again);
    expect([answer.status, answer.body.status]).toEqual([202, 'pending']);
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(3);
    // A schedule of its own from the start, and nothing left of the old one: at five minutes only the new one is due.
    const [begun] = await deliveries(hooks, id);
    expect(begun).toMatchObject({ status: 'pending', attempts: 3 });
    expect(Date.parse(begun?.next_attempt_at ?? '') - hooks.clock.now()).toBe(5 * S);
    hooks.clock.advance(5 * S);
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(4);
    hooks.clock.advance(5 * MIN - 5 * S);
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(4);
    status = 200;
    expect((await hooks.request('op.operator.t1', 'POST', again)).status).toBe(202);
    await hooks.jobs.runDue();
    hooks.clock.advance(24 * H);
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(5);
    expect((await deliveries(hooks, id))[0]).toMatchObject({ status: 'delivered', attempts: 5 });
    expect(new Set(target.received.map((r) => r.headers['webhook-id'])).size).toBe(1);
  });

  it('gives up after the last of eight tries, and can be redelivered with the same id', async () => {
    const hooks = await start();
    let status = 500;
    const target = await receiver((response) => {
      response.statusCode = status;
      response.end();
    });
    const { id } = await hooks.hook(target.url);
    await hooks.publish(completed());
    await hooks.jobs.runDue();
    for (const wait of [5 * S, 5 * MIN, 30 * MIN, 2 * H, 5 * H, 10 * H, 10 * H]) {
      const before = target.received.length;
      hooks.clock.advance(wait - 1);
      await hooks.jobs.runDue();
      expect(target.received.length).toBe(before);
      hooks.clock.advance(1);
      await hooks.jobs.runDue();
      expect(target.received.length).toBe(before + 1);
    }
    const [dead] = await deliveries(hooks, id);
    expect(dead).toMatchObject({ status: 'failed', attempts: 8 });
    expect((await hooks.jobs.depth()).dead).toBe(1);
    status = 200;
    const again = `/api/v1/webhooks/${id}/deliveries/${dead?.id}/redeliver`;
    expect((await hooks.request('op.operator.t1', 'POST', again)).status).toBe(202);
    // Asked for twice before it was sent: one of them sends it.
    expect((await hooks.request('op.operator.t1', 'POST', again)).status).toBe(202);
    await hooks.jobs.runDue();
    expect(target.received.at(-1)?.headers['webhook-id']).toBe(dead?.id);
    expect((await deliveries(hooks, id))[0]).toMatchObject({ status: 'delivered', attempts: 9 });
  });

  it('switches a webhook off that answers 410, and drops what was waiting for it', async () => {
    const hooks = await start();
    const target = await receiver((response) => {
      response.statusCode = 410;
      response.end();
    });
    const { id } = await hooks.hook(target.url);
    await hooks.publish(completed(1));
    await hooks.jobs.runDue();
    const got = await hooks.request<Record<string, unknown>>(
      'op.operator.t1',
      'GET',
      `/api/v1/webhooks/${id}`,
    );
    expect(got.body).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    await hooks.publish(completed(2));
    hooks.clock.advance(24 * H);
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(1);
    await hooks.request('op.operator.t1', 'PATCH', `/api/v1/webhooks/${id}`, { status: 'active' });
    await hooks.publish(completed(3));
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(2);
  });

  it('switches a webhook off that has failed for five days', async () => {
    const hooks = await start();
    const target = await receiver((response) => {
      response.statusCode = 503;
      response.end();
    });
    const { id } = await hooks.hook(target.url);
    for (let day = 0; day < 7; day++) {
      await hooks.publish(completed(day));
      for (let i = 0; i < 10; i++) {
        await hooks.jobs.runDue();
        hooks.clock.advance(10 * H);
      }
      const { body } = await hooks.request<{ status: string; disabled_reason: string | null }>(
        'op.operator.t1',
        'GET',
        `/api/v1/webhooks/${id}`,
      );
      if (day === 0) expect(body.status).toBe('active');
      if (body.status === 'disabled') return expect(body.disabled_reason).toBe('failing');
    }
    throw new Error('it was never switched off');
  });

  it('cuts a receiver that hangs, at the time limit, and tries again', async () => {
    const hooks = await start({ timeoutMs: 200 });
    let hang = true;
    const target = await receiver((response) => {
      if (!hang) response.end();
    });
    const { id } = await hooks.hook(target.url);
    await hooks.publish(completed());
    const began = Date.now();
    await hooks.jobs.runDue();
    expect(Date.now() - began).toBeLessThan(3_000);
    expect((await deliveries(hooks, id))[0]).toMatchObject({
      status: 'pending',
      attempts: 1,
      response_status: null,
    });
    hang = false;
    hooks.clock.advance(5 * S);
    await hooks.jobs.runDue();
    expect((await deliveries(hooks, id))[0]).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  it('counts an answer that drips past the time limit as failed', async () => {
    const hooks = await start({ timeoutMs: 300 });
    const target = await receiver((response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 30);
      response.on('close', () => clearInterval(drip));
    });
    const { id } = await hooks.hook(target.url);
    await hooks.publish(completed());
    await hooks.jobs.runDue();
    expect((await deliveries(hooks, id))[0]).toMatchObject({ status: 'pending', attempts: 1 });
  });

  it('reads no more than the head of a 10 GB answer', async () => {
    const hooks = await start();
    let sentBytes = 0;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const cut = Promise.withResolvers<void>();
    const target = await receiver((response) => {
      response.writeHead(200, { 'content-length': String(10 * 1024 ** 3) });
      const pump = (): void => {
        while (!response.destroyed) {
          sentBytes += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', pump);
        }
      };
      response.on('close', () => cut.resolve());
      pump();
    });
    const { id } = await hooks.hook(target.url);
    await hooks.publish(completed());
    await hooks.jobs.runDue();
    await cut.promise;
    expect(sentBytes).toBeLessThan(64 * 1024 * 1024);
    const [delivery] = await deliveries(hooks, id);
    expect(delivery).toMatchObject({ status: 'delivered', response_status: 200 });
    const full = await hooks.request<DeliveryBody>(
      'op.operator.t1',
      'GET',
      `/v2/webhooks/${id}/deliveries/${delivery?.id}`,
    );
    expect(full.body.log[0]?.response?.body.length).toBe(4 * 1024);
  });

  it.each([301, 302, 307])('counts a %i as a failure and does not follow it', async (status) => {
    const hooks = await start();
    const canary = await receiver((response) => response.end());
    const target = await receiver((response) => {
      response.writeHead(status, { location: canary.url }).end();
    });
    const { id } = await hooks.hook(target.url);
    await hooks.publish(completed());
    await hooks.jobs.runDue();
    expect(canary.received).toEqual([]);
    expect((await deliveries(hooks, id))[0]).toMatchObject({ status: 'pending', response_status: status });
  });

  it('waits as long as Retry-After asks', async () => {
    const hooks = await start();
    const target = await receiver((response, n) => {
      if (n === 1) response.writeHead(429, { 'retry-after': '120' });
      response.end();
    });
    const { id } = await hooks.hook(target.url);
    await hooks.publish(completed());
    await hooks.jobs.runDue();
    // Shown as it will be done: the wait that was asked for, and not that of the schedule.
    const [waiting] = await deliveries(hooks, id);
    expect(Date.parse(waiting?.next_attempt_at ?? '') - hooks.clock.now()).toBe(120 * S);
    hooks.clock.advance(119 * S);
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(1);
    hooks.clock.advance(S);
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(2);
  });

  it('has one schedule: the job of the next attempt stands at the time that the delivery names', async () => {
    const hooks = await start();
    const target = await receiver((response, n) => {
      if (n <= 3) response.writeHead(n === 2 ? 503 : 500, n === 2 ? { 'retry-after': '7200' } : {});
      response.end();
    });
    const { id } = await hooks.hook(target.url);
    await hooks.publish(completed());
    for (const waitMs of [5 * S, 2 * H, 30 * MIN]) {
      await hooks.jobs.runDue();
      const [delivery] = await deliveries(hooks, id);
      const jobs = await hooks.db.read.selectFrom('jobs').select('run_at').execute();
      expect(jobs).toEqual([{ run_at: Date.parse(delivery?.next_attempt_at ?? '') }]);
      expect(Number(jobs[0]?.run_at) - hooks.clock.now()).toBe(waitMs);
      hooks.clock.advance(waitMs);
    }
    await hooks.jobs.runDue();
    expect((await deliveries(hooks, id))[0]).toMatchObject({ status: 'delivered', attempts: 4 });
    expect(await hooks.db.read.selectFrom('jobs').selectAll().execute()).toEqual([]);
  });

  it('makes no second attempt where a job comes again whose attempt is recorded', async () => {
    const hooks = await start();
    const target = await receiver((response, n) => {
      response.statusCode = n < 3 ? 500 : 200;
      response.end();
    });
    const { id } = await hooks.hook(target.url);
    await hooks.publish(completed());
    const [first] = await hooks.db.read.selectFrom('jobs').selectAll().execute();
    if (first === undefined) throw new Error('no job');
    await hooks.jobs.runDue();
    // As of a process that died between the record of the attempt and the end of its job.
    await hooks.db.write((tx) =>
      tx
        .insertInto('jobs')
        .values({ ...first, id: 'again' })
        .execute(),
    );
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(1);
    hooks.clock.advance(5 * S);
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(2);
    expect((await deliveries(hooks, id))[0]).toMatchObject({ status: 'pending', attempts: 2 });
  });

  it('goes on where an older release left a job without its time', async () => {
    const hooks = await start();
    const target = await receiver((response, n) => {
      response.statusCode = n < 2 ? 500 : 200;
      response.end();
    });
    const { id } = await hooks.hook(target.url);
    await hooks.publish(completed());
    const strip = async (): Promise<void> => {
      await hooks.db.write(async (tx) => {
        const { payload } = await tx.selectFrom('jobs').select('payload').executeTakeFirstOrThrow();
        const { due: _due, ...old } = JSON.parse(payload) as Record<string, unknown>;
        await tx
          .updateTable('jobs')
          .set({ payload: JSON.stringify(old) })
          .execute();
      });
    };
    await strip();
    await hooks.jobs.runDue();
    await strip();
    hooks.clock.advance(5 * S);
    await hooks.jobs.runDue();
    expect((await deliveries(hooks, id))[0]).toMatchObject({ status: 'delivered', attempts: 2 });
  });

  it('retries a connection that is reset', async () => {
    const hooks = await start();
    const target = await receiver((response, n) => {
      if (n === 1) response.socket?.resetAndDestroy();
      else response.end();
    });
    const { id } = await hooks.hook(target.url);
    await hooks.publish(completed());
    await hooks.jobs.runDue();
    hooks.clock.advance(5 * S);
    await hooks.jobs.runDue();
    expect((await deliveries(hooks, id))[0]).toMatchObject({ status: 'delivered', attempts: 2 });
    expect(target.received[0]?.headers['webhook-id']).toBe(target.received[1]?.headers['webhook-id']);
  });

  it('says in plain words that a receiver speaks no TLS', async () => {
    const hooks = await start();
    const target = await receiver((response) => response.end());
    const { id } = await hooks.hook(target.url.replace('http:', 'https:'));
    const answer = await hooks.request<{ log: { error: string }[] }>(
      'op.operator.t1',
      'POST',
      `/api/v1/webhooks/${id}/test`,
    );
    const error = answer.body.log[0]?.error ?? '';
    expect(error).toMatch(/^TLS failed: /);
    expect(error).not.toMatch(/:error:|\.c:/);
  });

  it('tests a webhook at once and tells what came back', async () => {
    const hooks = await start();
    const target = await receiver((response) => {
      response.statusCode = 418;
      response.end('teapot');
    });
    const { id } = await hooks.hook(target.url, ['task.failed']);
    const answer = await hooks.request<DeliveryBody>('op.operator.t1', 'POST', `/api/v1/webhooks/${id}/test`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      event: 'webhook.test',
      status: 'failed',
      attempts: 1,
      response_status: 418,
    });
    expect(answer.body.log[0]?.response?.body).toBe('teapot');
    expect(JSON.parse(target.received[0]?.body ?? '{}')).toMatchObject({ event: 'webhook.test' });
    hooks.clock.advance(24 * H);
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(1);
  });
});

describe('secrets', () => {
  it('signs with both secrets for a day after a rotation', async () => {
    const hooks = await start();
    const target = await receiver((response) => response.end());
    hooks.clock.set(Date.now());
    const { id, secret: first } = await hooks.hook(target.url);
    const { body } = await hooks.request<{ secret: string; previous_secret_expires_at: string }>(
      'op.operator.t1',
      'POST',
      `/api/v1/webhooks/${id}/rotate-secret`,
    );
    expect(body.secret).not.toBe(first);
    expect(Date.parse(body.previous_secret_expires_at) - hooks.clock.now()).toBe(24 * H);
    await hooks.publish(completed(1));
    await hooks.jobs.runDue();
    const [both] = target.received;
    if (both === undefined) throw new Error('nothing was received');
    for (const secret of [first, body.secret]) {
      expect(new Webhook(secret).verify(both.body, both.headers as Record<string, string>)).toBeTruthy();
    }
    hooks.clock.advance(24 * H);
    await hooks.publish(completed(2));
    await hooks.jobs.runDue();
    expect(String(target.received[1]?.headers['webhook-signature']).split(' ').length).toBe(1);
  });

  it('keeps no secret readable in the store', async () => {
    const hooks = await start();
    const { secret } = await hooks.hook('https://example.com/');
    const rows = await hooks.db.read.selectFrom('webhooks').selectAll().execute();
    const audit = await hooks.db.read.selectFrom('audit_events').selectAll().execute();
    expect(JSON.stringify([rows, audit])).not.toContain(secret.slice(6));
  });
});

describe(req(['HOOK-06'], 'the outbox'), () => {
  it('delivers what a committed transaction has emitted, once, and tells it under the same id', async () => {
    const hooks = await start();
    const target = await receiver((response) => response.end());
    await hooks.hook(target.url);
    const told: string[] = [];
    hooks.bus.onPublished((event) => told.push(event.id));
    const event = await hooks.db.write((tx) => tx.emit(completed(1)));
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(1);
    expect(told).toEqual([event.id]);
  });

  it('delivers nothing of a transaction that rolled back', async () => {
    const hooks = await start();
    const target = await receiver((response) => response.end());
    await hooks.hook(target.url);
    await hooks.db
      .write(async (tx) => {
        await tx.emit(completed(1));
        throw new Error('on purpose');
      })
      .catch(() => {});
    await hooks.jobs.runDue();
    expect(target.received.length).toBe(0);
  });

  it('sees a webhook that is made after events without one', async () => {
    const hooks = await start();
    const target = await receiver((response) => response.end());
    await hooks.publish(completed(1));
    await hooks.hook(target.url);
    await hooks.publish(completed(2));
    await hooks.db.write((tx) => tx.emit(completed(3)));
    await hooks.jobs.runDue();
    expect(target.received.map((r) => JSON.parse(r.body).data.conversation_id)).toEqual(['c2', 'c3']);
  });
});
