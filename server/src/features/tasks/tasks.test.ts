import { afterEach, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { createTaskWorld, finished, startTasks } from '../../../test/tasks/harness.ts';
import { AppError } from '../../kernel/errors.ts';
import type { ToolContext } from '../../kernel/tools.ts';
import { taskTools } from './index.ts';

type World = Awaited<ReturnType<typeof startTasks>>;
interface TaskBody {
  id: string;
  status: string;
  attempts: number;
  run_ids: string[];
  next_run_at: string | null;
  result: { content: string; cost_usd: number } | null;
  error: { code: string; message: string } | null;
  progress: { percent: number | null } | null;
}
interface RunBody {
  status: string;
  scheduled_for: string;
  attempts: number;
  run_ids: string[];
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
const start = async (options?: Parameters<typeof startTasks>[0]): Promise<World> => {
  const world = await startTasks(options);
  closers.push(world.close);
  return world;
};

const ANN = 'ann.user.t1';
const S = 1_000;
const MIN = 60 * S;
const H = 60 * MIN;

const create = async (world: World, body: Record<string, unknown>, token = ANN): Promise<TaskBody> => {
  const answer = await world.request<TaskBody>(token, 'POST', '/v2/tasks', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
};
const get = async (world: World, id: string, token = ANN): Promise<TaskBody> =>
  (await world.request<TaskBody>(token, 'GET', `/v2/tasks/${id}`)).body;
const runsOf = async (world: World, id: string, limit = 100): Promise<RunBody[]> =>
  (await world.request<{ items: RunBody[] }>(ANN, 'GET', `/v2/tasks/${id}/runs?limit=${limit}`)).body.items;

describe(req(['TASK-01', 'TASK-02'], 'a task that runs once'), () => {
  it('runs at once, and tells of its result', async () => {
    const world = await start();
    const created = await create(world, {
      description: 'Write the weekly report',
      agent_id: 'chronos',
      context: { week: 12 },
    });
    expect(created).toMatchObject({ status: 'queued', next_run_at: null, attempts: 0, run_ids: [] });
    world.played.plays(() => finished('the report'));
    await world.turn();
    const done = await get(world, created.id);
    expect(done).toMatchObject({
      status: 'completed',
      attempts: 1,
      result: { content: 'the report', cost_usd: 0.001 },
      error: null,
      progress: { percent: 100 },
    });
    const [asked] = world.played.asked;
    expect(done.run_ids).toEqual([asked?.runId]);
    expect(asked).toMatchObject({
      message: 'Write the weekly report',
      context: { week: 12, agent_id: 'chronos' },
    });
    expect(asked?.caller.userId).toBe('ann');
    expect(world.events.map((e) => [e.type, e.data.status ?? null, e.userId, e.reach])).toEqual([
      ['task.updated', 'queued', 'ann', 'own'],
      ['task.updated', 'running', 'ann', 'own'],
      ['task.updated', 'completed', 'ann', 'own'],
      ['task.completed', null, 'ann', 'own'],
    ]);
    expect(world.recorded.map((e) => e.type)).toEqual(['task.completed']);
    await world.turn();
    expect(world.played.asked.length).toBe(1);
  });

  it('counts tools and characters of a run that was over before anybody looked', async () => {
    const world = await start();
    const created = await create(world, { description: 'Look up the tide' });
    world.played.tells([{ tool: 'tide' }, { characters: 8 }]);
    world.played.plays(() => finished('at noon.'));
    await world.turn();
    expect((await get(world, created.id)).progress).toMatchObject({
      percent: 100,
      step: null,
      tool_calls: 1,
      characters: 8,
    });
  });

  it('says what a cron expression has to be', async () => {
    const world = await start();
    const answer = await world.request<{ message: string }>(ANN, 'POST', '/v2/tasks', {
      description: 'x',
      cron: '@daily',
    });
    expect(answer.body.message).toBe('/cron must be five cron fields: minute hour day month weekday');
  });

  it('waits for its time; a time in the past is now', async () => {
    const world = await start();
    const later = await create(world, {
      description: 'later',
      scheduled_at: new Date(world.clock.now() + H).toISOString(),
    });
    expect(later.status).toBe('scheduled');
    const past = await create(world, { description: 'past', scheduled_at: '2020-01-01T00:00:00Z' });
    expect(past.status).toBe('queued');
    await world.turn();
    expect(world.played.asked.map((a) => a.message)).toEqual(['past']);
    world.clock.advance(H - 1);
    await world.turn();
    expect(world.played.asked.length).toBe(1);
    world.clock.advance(1);
    await world.turn();
    expect(await get(world, later.id)).toMatchObject({ status: 'completed', next_run_at: null });
  });

  it('is tried three times with growing waits, then fails', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'x' });
    world.played.plays(() => new AppError('UPSTREAM_ERROR', 'the model is away'));
    await world.turn();
    expect(await get(world, id)).toMatchObject({
      status: 'queued',
      attempts: 1,
      error: { code: 'UPSTREAM_ERROR' },
    });
    world.clock.advance(30 * S - 1);
    await world.turn();
    expect(world.played.asked.length).toBe(1);
    world.clock.advance(1);
    await world.turn();
    world.clock.advance(2 * MIN);
    await world.turn();
    const failed = await get(world, id);
    expect(failed).toMatchObject({ status: 'failed', attempts: 3, error: { code: 'UPSTREAM_ERROR' } });
    expect(failed.run_ids.length).toBe(3);
    expect(world.recorded.map((e) => e.type)).toEqual(['task.failed']);
    world.clock.advance(24 * H);
    await world.turn();
    expect(world.played.asked.length).toBe(3);
  });

  it('recovers when a later attempt succeeds, and is not tried again after a permanent error', async () => {
    const world = await start();
    const good = await create(world, { description: 'x' });
    let n = 0;
    world.played.plays(() => (++n < 3 ? new Error('boom') : finished()));
    await world.turn();
    world.clock.advance(30 * S);
    await world.turn();
    world.clock.advance(2 * MIN);
    await world.turn();
    expect(await get(world, good.id)).toMatchObject({ status: 'completed', attempts: 3, error: null });
    const bad = await create(world, { description: 'y' });
    world.played.plays(() => new AppError('COST_EXCEEDED', 'no room'));
    await world.turn();
    expect(await get(world, bad.id)).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: { code: 'COST_EXCEEDED' },
    });
  });

  it('can be retried after a failure, and not otherwise', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'x' });
    expect((await world.request(ANN, 'POST', `/v2/tasks/${id}/retry`)).status).toBe(409);
    world.played.plays(() => new AppError('CONFLICT', 'agent off'));
    await world.turn();
    world.played.plays(() => finished('second time'));
    const again = await world.request<TaskBody>(ANN, 'POST', `/v2/tasks/${id}/retry`);
    expect(again).toMatchObject({ status: 202, body: { status: 'queued', error: null } });
    expect((await world.request(ANN, 'POST', `/v2/tasks/${id}/retry`)).status).toBe(409);
    world.clock.advance(1);
    await world.turn();
    expect(await get(world, id)).toMatchObject({ status: 'completed', result: { content: 'second time' } });
    expect((await runsOf(world, id)).map((r) => r.status)).toEqual(['completed', 'failed']);
  });
});

describe(req(['TASK-07'], 'approvals'), () => {
  it('waits for the decision and goes on with what the run became', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'spend' });
    world.played.plays(() => finished('waiting', 'awaiting_approval'));
    await world.turn();
    expect((await get(world, id)).status).toBe('awaiting_approval');
    await world.turn();
    expect((await get(world, id)).status).toBe('awaiting_approval');
    const runId = world.played.asked[0]?.runId ?? '';
    world.played.looks.set(runId, { state: 'running' });
    await world.turn();
    expect((await get(world, id)).status).toBe('running');
    world.played.looks.set(runId, { state: 'ended', outcome: { ...finished('spent'), costNano: 3_000_000 } });
    await world.turn();
    expect(await get(world, id)).toMatchObject({
      status: 'completed',
      result: { content: 'spent', cost_usd: 0.003 },
    });
  });

  it('fails with the error of a refused run', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'spend' });
    world.played.plays(() => finished('', 'awaiting_approval'));
    await world.turn();
    world.played.looks.set(world.played.asked[0]?.runId ?? '', {
      state: 'failed',
      error: { code: 'CONFLICT', message: 'rejected' },
    });
    await world.turn();
    expect(await get(world, id)).toMatchObject({ status: 'failed', error: { message: 'rejected' } });
  });
});

describe('cancel', () => {
  it('ends a task that has not begun', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'x' });
    const answer = await world.request<TaskBody>(ANN, 'POST', `/v2/tasks/${id}/cancel`);
    expect(answer).toMatchObject({ status: 200, body: { status: 'cancelled' } });
    await world.turn();
    expect(world.played.asked).toEqual([]);
    expect((await world.request(ANN, 'POST', `/v2/tasks/${id}/cancel`)).status).toBe(409);
  });

  it('stops the run that goes on', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'x', cron: '* * * * *' });
    world.clock.advance(MIN);
    await world.tasks.tick();
    world.played.plays(() => new Promise(() => {}));
    const turning = world.jobs.runDue();
    await expect.poll(async () => (await get(world, id)).status).toBe('running');
    await expect.poll(async () => (await get(world, id)).run_ids.length).toBe(1);
    await world.request(ANN, 'POST', `/v2/tasks/${id}/cancel`);
    await turning;
    expect(world.played.cancelled).toEqual([world.played.asked[0]?.runId]);
    expect(await get(world, id)).toMatchObject({ status: 'cancelled', next_run_at: null });
    expect((await runsOf(world, id)).map((r) => r.status)).toEqual(['cancelled']);
    world.clock.advance(H);
    await world.turn();
    expect(world.played.asked.length).toBe(1);
    expect(world.recorded).toEqual([]);
  });

  it('ends one that waits for an approval, in the chat too', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'x' });
    world.played.plays(() => finished('', 'awaiting_approval'));
    await world.turn();
    await world.request(ANN, 'POST', `/v2/tasks/${id}/cancel`);
    expect((await get(world, id)).status).toBe('cancelled');
    expect(world.played.cancelled.length).toBe(1);
  });
});

describe(req('TASK-08', 'what happens at the same moment'), () => {
  const cancel = (world: World, id: string) => world.request<TaskBody>(ANN, 'POST', `/v2/tasks/${id}/cancel`);

  it('a task that is deleted while its run waits for an approval ends it in the chat', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'x' });
    world.played.plays(() => finished('', 'awaiting_approval'));
    await world.turn();
    expect((await world.request(ANN, 'DELETE', `/v2/tasks/${id}`)).status).toBe(204);
    expect(world.played.cancelled).toEqual([world.played.asked[0]?.runId]);
    expect((await world.request(ANN, 'GET', `/v2/tasks/${id}`)).status).toBe(404);
  });

  it('a task that is cancelled or deleted as its run begins to wait does not wait', async () => {
    for (const act of ['cancel', 'delete'] as const) {
      const world = await start();
      const { id } = await create(world, { description: 'x' });
      world.played.plays(async () => {
        if (act === 'cancel') await cancel(world, id);
        else await world.request(ANN, 'DELETE', `/v2/tasks/${id}`);
        return finished('', 'awaiting_approval');
      });
      await world.turn();
      expect(world.played.cancelled, act).toEqual([world.played.asked[0]?.runId]);
      if (act === 'cancel') {
        expect((await get(world, id)).status).toBe('cancelled');
        expect((await runsOf(world, id)).map((run) => run.status)).toEqual(['cancelled']);
      }
      expect(world.errors).toEqual([]);
    }
  });

  it('a task that is cancelled as its decision comes stays cancelled', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'x' });
    world.played.plays(() => finished('', 'awaiting_approval'));
    await world.turn();
    const { lookUp } = world.played.chat;
    world.played.chat.lookUp = async () => {
      await cancel(world, id);
      return { state: 'running' };
    };
    await world.tasks.tickWaiting();
    world.played.chat.lookUp = lookUp;
    expect((await get(world, id)).status).toBe('cancelled');
  });

  it('a task that is cancelled as the end of its run is seen stays so, and has no time to come', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'x', cron: '* * * * *' });
    world.clock.advance(MIN);
    world.played.plays(() => finished('', 'awaiting_approval'));
    await world.turn();
    world.played.chat.lookUp = async () => {
      await cancel(world, id);
      return { state: 'ended', outcome: finished() };
    };
    await world.tasks.tickWaiting();
    expect(await get(world, id)).toMatchObject({ status: 'cancelled', next_run_at: null });
    expect(world.recorded).toEqual([]);
  });
});

describe(req(['TASK-01', 'TASK-03', 'TASK-04'], 'cron'), () => {
  it('runs each slot once and says when the next is', async () => {
    const world = await start();
    const { id, ...task } = await create(world, {
      description: 'x',
      cron: '*/10 * * * *',
      timezone: 'Europe/Berlin',
    });
    expect(task).toMatchObject({ status: 'scheduled', next_run_at: '2026-03-01T00:10:00.000Z' });
    for (let i = 0; i < 60; i++) {
      world.clock.advance(MIN);
      await world.turn();
    }
    expect(await get(world, id)).toMatchObject({
      status: 'scheduled',
      next_run_at: '2026-03-01T01:10:00.000Z',
    });
    expect((await runsOf(world, id)).map((r) => r.scheduled_for.slice(11, 16))).toEqual([
      '01:00',
      '00:50',
      '00:40',
      '00:30',
      '00:20',
      '00:10',
    ]);
  });

  it('takes no slot while it is paused, and goes on with the next one from then', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'x', cron: '*/10 * * * *' });
    const patch = (body: Record<string, unknown>) =>
      world.request<TaskBody>(ANN, 'PATCH', `/v2/tasks/${id}`, body);
    const paused = { paused: true, status: 'scheduled', next_run_at: null };
    expect((await patch({ paused: true })).body).toMatchObject(paused);
    for (let i = 0; i < 6; i++) {
      world.clock.advance(10 * MIN);
      await world.turn();
    }
    expect(await runsOf(world, id)).toEqual([]);
    // Its times may be changed meanwhile, and it still rests.
    expect((await patch({ cron: '*/15 * * * *' })).body).toMatchObject(paused);
    world.clock.advance(MIN);
    expect((await patch({ paused: false })).body).toMatchObject({
      paused: false,
      next_run_at: '2026-03-01T01:15:00.000Z',
    });
    world.clock.advance(15 * MIN);
    await world.turn();
    expect((await runsOf(world, id)).map((r) => r.scheduled_for.slice(11, 16))).toEqual(['01:15']);
  });

  it.each([
    ['read a document', ['documents'] as const],
    ['lost its conversation', null],
  ])(
    req('TAINT-04', 'is tainted for good by a run that %s, and later runs begin clean'),
    async (_how, taint) => {
      const world = await start();
      const { id } = await create(world, { description: 'x', cron: '*/10 * * * *' });
      const slot = async (): Promise<TaskBody> => {
        world.clock.advance(10 * MIN);
        await world.turn();
        return get(world, id);
      };
      expect(await slot()).toMatchObject({ tainted: false });
      world.played.holds(taint);
      expect(await slot()).toMatchObject({ tainted: true });
      world.played.holds([]);
      expect(await slot()).toMatchObject({ tainted: true });
      expect(world.played.asked.map(({ tainted }) => tainted)).toEqual([false, false, false]);
    },
  );

  it('can be paused only where a time is to come', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'x' });
    const answer = await world.request(ANN, 'PATCH', `/v2/tasks/${id}`, { paused: true });
    expect(answer.status).toBe(409);
  });

  it('goes on after a failed slot, and keeps its error until the next one begins', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'x', cron: '0 * * * *' });
    world.played.plays(() => new AppError('CONFLICT', 'agent off'));
    world.clock.advance(H);
    await world.turn();
    expect(await get(world, id)).toMatchObject({ status: 'scheduled', error: { code: 'CONFLICT' } });
    const during: unknown[] = [];
    world.played.plays(async () => {
      const { status, error } = await get(world, id);
      during.push({ status, error });
      return finished();
    });
    world.clock.advance(H);
    await world.turn();
    expect(during).toEqual([{ status: 'running', error: null }]);
    expect(await get(world, id)).toMatchObject({ status: 'scheduled', error: null });
  });

  it('keeps no error of an earlier attempt of a slot that was cancelled', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'x', cron: '0 * * * *' });
    world.played.plays(() => new Error('boom'));
    world.clock.advance(H);
    await world.turn();
    expect(await get(world, id)).toMatchObject({ status: 'queued', error: { code: 'INTERNAL_ERROR' } });
    world.played.plays(() => finished('', 'cancelled'));
    world.clock.advance(30 * S);
    await world.turn();
    expect(await get(world, id)).toMatchObject({ status: 'scheduled', error: null });
  });

  /** A job of 90 s every minute, for ten hours of the clock. */
  const everyMinute = async (world: World, overlap: string): Promise<{ id: string; most: number }> => {
    let running = 0;
    let most = 0;
    const ends: { at: number; resolve: () => void }[] = [];
    world.played.plays(
      () =>
        new Promise((resolve) => {
          running += 1;
          most = Math.max(most, running);
          ends.push({
            at: world.clock.now() + 90 * S,
            resolve: () => {
              running -= 1;
              resolve(finished());
            },
          });
        }),
    );
    const { id } = await create(world, { description: 'x', cron: '* * * * *', overlap });
    const open = new Set<Promise<unknown>>();
    for (let i = 0; i < 10 * 120; i++) {
      world.clock.advance(30 * S);
      for (const end of ends.filter((e) => e.at <= world.clock.now())) {
        ends.splice(ends.indexOf(end), 1);
        end.resolve();
      }
      // What ended is stored before the next slot is looked at.
      for (let k = 0; k < 6; k++) await new Promise((resolve) => setImmediate(resolve));
      await world.tasks.tick();
      const turning = world.jobs.runDue();
      open.add(turning);
      turning.finally(() => open.delete(turning));
      for (let k = 0; k < 6; k++) await new Promise((resolve) => setImmediate(resolve));
    }
    while (open.size > 0) {
      for (const end of ends.splice(0)) end.resolve();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { id, most };
  };

  it('never overlaps itself, and leaves out what comes due meanwhile', async () => {
    const world = await start();
    const { id, most } = await everyMinute(world, 'skip');
    expect(most).toBe(1);
    const rows = await world.db.read.selectFrom('task_runs').selectAll().where('task_id', '=', id).execute();
    expect(new Set(rows.map((r) => r.slot_at)).size).toBe(rows.length);
    expect(rows.length).toBe(600);
    expect(rows.filter((r) => r.status === 'completed').length).toBe(300);
    expect(rows.filter((r) => r.status === 'skipped').length).toBe(300);
    expect(world.errors).toEqual([]);
  });

  it('queues what comes due meanwhile where that is asked for, within bounds', async () => {
    const world = await start();
    const { id, most } = await everyMinute(world, 'queue');
    expect(most).toBe(1);
    const rows = await world.db.read
      .selectFrom('task_runs')
      .selectAll()
      .where('task_id', '=', id)
      .orderBy('slot_at')
      .execute();
    expect(rows.length).toBe(600);
    const ran = rows.filter((r) => r.status === 'completed');
    expect(ran.length).toBeGreaterThan(390);
    // In order of their slots.
    expect(ran.map((r) => r.started_at ?? 0)).toEqual(
      [...ran].map((r) => r.started_at ?? 0).sort((a, b) => a - b),
    );
  });

  it('makes one run of slots that were missed, or none', async () => {
    const world = await start();
    const once = await create(world, { description: 'once', cron: '0 * * * *' });
    const skip = await create(world, { description: 'skip', cron: '0 * * * *', missed: 'skip' });
    world.clock.advance(5 * H + 20 * MIN);
    await world.turn();
    expect(world.played.asked.map((a) => a.message)).toEqual(['once']);
    expect((await runsOf(world, once.id)).map((r) => r.scheduled_for)).toEqual(['2026-03-01T05:00:00.000Z']);
    for (const { id } of [once, skip]) {
      expect((await get(world, id)).next_run_at).toBe('2026-03-01T06:00:00.000Z');
    }
    world.clock.advance(40 * MIN);
    await world.turn();
    expect(world.played.asked.map((a) => a.message).sort()).toEqual(['once', 'once', 'skip']);
  });

  it('makes one run per slot however many processes look at it', async () => {
    const world = await createTaskWorld();
    closers.push(world.close);
    const nodes = [world.sqliteNode(), world.sqliteNode(), world.sqliteNode()];
    const first = nodes[0];
    if (first === undefined) throw new Error('no node');
    await first.tasks.create(world.accounts.caller(ANN), { description: 'x', cron: '* * * * *' });
    for (let i = 0; i < 600; i++) {
      world.clock.advance(MIN);
      // One of them is dead for a while.
      const alive = i > 200 && i < 400 ? nodes.slice(1) : nodes;
      await Promise.all(alive.map((node) => node.tasks.tick()));
      await Promise.all(alive.map((node) => node.jobs.runDue()));
    }
    const rows = await world.db.read.selectFrom('task_runs').select(['slot_at', 'status']).execute();
    expect(rows.length).toBe(600);
    expect(rows.every((r) => r.status === 'completed')).toBe(true);
    expect(world.played.asked.length).toBe(600);
  });

  it('changes by PATCH', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'x', cron: '0 * * * *' });
    const patched = await world.request<TaskBody>(ANN, 'PATCH', `/v2/tasks/${id}`, {
      cron: '30 * * * *',
      description: 'y',
    });
    expect(patched).toMatchObject({
      status: 200,
      body: { next_run_at: '2026-03-01T00:30:00.000Z', description: 'y' },
    });
    expect((await world.request(ANN, 'PATCH', `/v2/tasks/${id}`, { cron: 'nonsense words' })).status).toBe(
      422,
    );
  });
});

describe('refusals', () => {
  it.each([
    [{}, '/description'],
    [{ description: '  ' }, '/description'],
    [{ description: 'x', cron: 'every day at nine' }, '/cron'],
    [{ description: 'x', cron: '@daily' }, '/cron'],
    [{ description: 'x', cron: '61 * * * *' }, '/cron'],
    [{ description: 'x', cron: '0 0 30 FEB *' }, '/cron'],
    [{ description: 'x', cron: '0 9 * * *', timezone: 'Mars/Base' }, '/timezone'],
    [{ description: 'x', scheduled_at: 'tomorrow' }, '/scheduled_at'],
    [{ description: 'x', agent_id: 'nobody' }, '/agent_id'],
    [{ description: 'x', context: { big: 'x'.repeat(33_000) } }, '/context'],
    [{ description: 'x', context: { model: 'nowhere/none' } }, '/context/model'],
    [{ description: 'x', context: { model: 5 } }, '/context/model'],
    [{ description: 'x', context: { agent_id: 'nobody' } }, '/context/agent_id'],
    [{ description: 'x', priority: 'extreme' }, '/priority'],
    [{ description: 'x', unknown: 1 }, '/unknown'],
  ])('answers 422 to %j', async (body, field) => {
    const world = await start();
    const answer = await world.request<{ details: { fields: { field: string }[] } }>(
      ANN,
      'POST',
      '/v2/tasks',
      body,
    );
    expect(answer.status).toBe(422);
    expect(answer.body.details.fields.map((f) => f.field)).toContain(field);
  });

  it('answers 401, 403 and the same 404 to a stranger as for nothing', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'x' });
    expect((await world.request(null, 'GET', '/v2/tasks')).status).toBe(401);
    expect((await world.request('rita.readonly.t1', 'POST', '/v2/tasks', { description: 'x' })).status).toBe(
      403,
    );
    const unknown = '0199aaaa-0000-7000-8000-000000000001';
    for (const token of ['bob.user.t1', 'eve.admin.t2']) {
      for (const [method, path] of [
        ['GET', ''],
        ['GET', '/runs'],
        ['POST', '/cancel'],
        ['POST', '/retry'],
        ['DELETE', ''],
      ] as const) {
        const answers = await Promise.all([
          world.request(token, method, `/v2/tasks/${id}${path}`),
          world.request(token, method, `/v2/tasks/${unknown}${path}`),
        ]);
        const [mine, none] = answers.map((a) => ({ status: a.status, body: { ...a.body, request_id: '' } }));
        expect(mine).toEqual(none);
        expect(mine?.status).toBe(404);
      }
    }
    expect((await get(world, id, 'op.operator.t1')).id).toBe(id);
  });

  it('lists by status and agent, the own ones only', async () => {
    const world = await start();
    await create(world, { description: 'a', agent_id: 'zeus', cron: '0 * * * *' });
    await create(world, { description: 'b', agent_id: 'chronos' });
    await create(world, { description: 'c' }, 'bob.user.t1');
    const list = async (token: string, query: string): Promise<string[]> =>
      (
        await world.request<{ items: { description: string }[] }>(token, 'GET', `/v2/tasks${query}`)
      ).body.items.map((t) => t.description);
    expect(await list(ANN, '')).toEqual(['b', 'a']);
    expect(await list(ANN, '?status=scheduled')).toEqual(['a']);
    expect(await list(ANN, '?agent_id=chronos')).toEqual(['b']);
    expect(await list('op.operator.t1', '')).toEqual(['c', 'b', 'a']);
  });
});

describe('whose rights', () => {
  it('runs with no more than the credential had that made the task', async () => {
    const world = await start();
    const whole = world.accounts.caller(ANN);
    const narrow = { ...whole, permissions: new Set(['tasks:write', 'tasks:read', 'chat:write']) };
    await world.tasks.create(narrow, { description: 'x' });
    await world.turn();
    expect([...(world.played.asked[0]?.caller.permissions ?? [])].sort()).toEqual([
      'chat:write',
      'tasks:read',
      'tasks:write',
    ]);
  });

  it('fails when the owner may not act any more', async () => {
    const world = await start();
    const { id } = await create(world, { description: 'x' });
    world.inactive.add('ann');
    await world.turn();
    expect(world.played.asked).toEqual([]);
    expect(await get(world, id)).toMatchObject({ status: 'failed', error: { code: 'FORBIDDEN' } });
  });
});

describe(req(['TASK-06'], 'many at once'), () => {
  it('keeps a tenant within its cap, so that another one is not starved', async () => {
    const world = await start({ perTenant: 2 });
    for (let i = 0; i < 6; i++) await create(world, { description: `a${i}` });
    await create(world, { description: 'other' }, 'tom.user.t2');
    let running = 0;
    let most = 0;
    const gates: (() => void)[] = [];
    world.played.plays((asked) => {
      if (asked.message === 'other') return finished();
      running += 1;
      most = Math.max(most, running);
      return new Promise((resolve) =>
        gates.push(() => {
          running -= 1;
          resolve(finished());
        }),
      );
    });
    const turning = world.turn();
    await expect.poll(() => world.played.asked.map((a) => a.message).sort()).toEqual(['a0', 'a1', 'other']);
    while (world.played.asked.length < 7 || gates.length > 0) {
      for (const open of gates.splice(0)) open();
      await new Promise((resolve) => setImmediate(resolve));
      void world.jobs.runDue();
    }
    await turning;
    await world.turn();
    expect(most).toBe(2);
  });

  it('takes urgent work first', async () => {
    const world = await start({ perTenant: 1 });
    await create(world, { description: 'low', priority: 'low' });
    await create(world, { description: 'normal' });
    await create(world, { description: 'urgent', priority: 'urgent' });
    await world.turn();
    expect(world.played.asked.map((a) => a.message)).toEqual(['urgent', 'normal', 'low']);
  });
});

describe(req(['TASK-05'], 'restarts'), () => {
  it('does again what a dead process left, at most three times', async () => {
    const world = await createTaskWorld();
    closers.push(world.close);
    world.played.plays(() => new Promise(() => {}));
    const caller = world.accounts.caller(ANN);
    const dead = world.sqliteNode();
    const { id } = await dead.tasks.create(caller, { description: 'x' });
    void dead.jobs.runDue();
    await expect.poll(async () => (await dead.tasks.get(caller, id)).run_ids.length).toBe(1);
    // It says nothing more, and its run died with it; the next process frees what it held.
    world.clock.advance(30 * S);
    world.played.looks.set(world.played.asked[0]?.runId ?? '', {
      state: 'failed',
      error: { code: 'SERVICE_UNAVAILABLE', message: 'interrupted' },
    });
    world.played.plays(() => finished('after the restart'));
    const next = world.sqliteNode();
    await next.jobs.runDue();
    expect(await next.tasks.get(caller, id)).toMatchObject({
      status: 'completed',
      attempts: 2,
      result: { content: 'after the restart' },
    });
  });

  it('follows the run of a dead process that the chat has taken up, and starts no second one', async () => {
    const world = await createTaskWorld();
    closers.push(world.close);
    world.played.plays(() => new Promise(() => {}));
    const caller = world.accounts.caller(ANN);
    const dead = world.sqliteNode();
    const { id } = await dead.tasks.create(caller, { description: 'x' });
    void dead.jobs.runDue();
    await expect.poll(async () => (await dead.tasks.get(caller, id)).run_ids.length).toBe(1);
    world.clock.advance(30 * S);
    const turning = world.sqliteNode().jobs.runDue();
    await expect.poll(async () => (await dead.tasks.get(caller, id)).attempts).toBe(2);
    world.played.looks.set(world.played.asked[0]?.runId ?? '', {
      state: 'ended',
      outcome: finished('finished by the chat'),
    });
    await turning;
    expect(await dead.tasks.get(caller, id)).toMatchObject({
      status: 'completed',
      result: { content: 'finished by the chat' },
    });
    expect(world.played.asked.length).toBe(1);
  });

  it('ends as failed when processes die under it until no attempt is left', async () => {
    const world = await createTaskWorld();
    closers.push(world.close);
    world.played.plays(() => new Promise(() => {}));
    const caller = world.accounts.caller(ANN);
    const maker = world.sqliteNode();
    const { id } = await maker.tasks.create(caller, { description: 'x' });
    for (let died = 1; died <= 3; died++) {
      void world.sqliteNode().jobs.runDue();
      await expect.poll(async () => (await maker.tasks.get(caller, id)).run_ids.length).toBe(died);
      world.clock.advance(30 * S);
      world.played.looks.set(world.played.asked.at(-1)?.runId ?? '', {
        state: 'failed',
        error: { code: 'SERVICE_UNAVAILABLE', message: 'interrupted' },
      });
    }
    await world.sqliteNode().jobs.runDue();
    expect(await maker.tasks.get(caller, id)).toMatchObject({
      status: 'failed',
      error: { code: 'INTERNAL_ERROR' },
    });
  });
});

describe('tools of agents', () => {
  it('creates, lists and cancels as the caller', async () => {
    const world = await start();
    const caller = world.accounts.caller(ANN);
    const context: ToolContext = {
      caller,
      agentId: 'chronos',
      conversationId: null,
      runId: null,
      requestId: 'r',
      signal: new AbortController().signal,
      tainted: false,
    };
    const tools = await taskTools(world.tasks).list(caller, 'chronos');
    const call = (name: string, args: Record<string, unknown>) => {
      const tool = tools.find((t) => t.name === name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      return tool.call(args, context);
    };
    const created = await call('create_task', {
      description: 'remind me',
      cron: '0 9 * * MON',
      timezone: 'Europe/Berlin',
    });
    expect(created).toMatchObject({ isError: false, structured: { status: 'scheduled' } });
    const { id } = created.structured as { id: string };
    expect((await call('list_tasks', {})).content).toContain(id);
    expect(await call('create_task', { description: 'x', cron: 'at nine, daily' })).toMatchObject({
      isError: true,
    });
    expect(await call('cancel_task', { task_id: id })).toMatchObject({ isError: false });
    expect(await call('cancel_task', { task_id: id })).toMatchObject({ isError: true });
    expect((await get(world, id)).status).toBe('cancelled');
  });
});
