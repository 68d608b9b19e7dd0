import { describe, expect, it } from 'vitest';
import { openTestSqlite } from '../../test/support/sqlite.ts';
import { systemClock } from '../kernel/clock.ts';
import { createLater } from './idempotency.later.ts';
import { createIdempotencyStore } from './idempotency.store.ts';
import { createIdempotency, type IdempotencyStore } from './idempotency.ts';

const away = (): Promise<never> =>
  Promise.reject(Object.assign(new Error('the store is away'), { code: 'ECONNRESET' }));

/** A node whose store refuses the end of requests as long as `fault.on`, and takes all else. */
const start = async () => {
  const test = await openTestSqlite();
  const store = createIdempotencyStore(test.db);
  const fault = { on: true };
  const faulty: IdempotencyStore = {
    ...store,
    finish: (...args) => (fault.on ? away() : store.finish(...args)),
    release: (...args) => (fault.on ? away() : store.release(...args)),
  };
  const idempotency = createIdempotency(faulty, systemClock, createLater(10));
  let done = 0;
  const ask = (fails = false) =>
    idempotency.once(
      { callerId: 'ann', key: 'k', fingerprint: 'f' },
      () => {
        if (fails) return Promise.reject(new Error('the work failed'));
        done += 1;
        return Promise.resolve({ send: () => 'new', answer: { status: 201, headers: {}, body: 'it' } });
      },
      (answer) => answer.body,
    );
  const settled = () => ask().catch((error: unknown) => (error as Error).message);
  return { fault, ask, settled, done: () => done, close: () => test.close() };
};

describe('an Idempotency-Key after a fault of the store', () => {
  it('is finished when the store is back, where the work stands', async () => {
    const node = await start();
    await expect(node.ask()).rejects.toThrow('the store is away');
    expect(await node.settled()).toContain('still running');
    node.fault.on = false;
    await expect.poll(node.settled, { timeout: 10_000 }).toBe('it');
    expect(node.done()).toBe(1);
    await node.close();
  });

  it('is free when the store is back, where nothing stands', async () => {
    const node = await start();
    await expect(node.ask(true)).rejects.toThrow('the work failed');
    expect(await node.settled()).toContain('still running');
    node.fault.on = false;
    await expect.poll(node.settled, { timeout: 10_000 }).toBe('new');
    await node.close();
  });
});
