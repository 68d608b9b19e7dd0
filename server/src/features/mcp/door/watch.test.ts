import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTestAccounts } from '../../../../test/support/app.ts';
import { createToolWatch } from './watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const start = () => {
  const accounts = createTestAccounts();
  const lists = new Map<string, string>();
  const onError = vi.fn();
  const watch = createToolWatch({
    authenticate: accounts.authenticate,
    signatureOf: async (caller) => lists.get(caller.userId) ?? 'same',
    everyMs: 5_000,
    onError,
  });
  const stream = (token: string) => ({ token, changed: vi.fn(), end: vi.fn() });
  return { accounts, lists, onError, watch, stream };
};

it('tells those whose tools have changed, and nobody else', async () => {
  const { lists, watch, stream } = start();
  const [ann, bob] = [stream('ann.user'), stream('bob.user')];
  watch.add(ann);
  watch.add(bob);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ann.changed).not.toHaveBeenCalled();
  lists.set('ann', 'other');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ann.changed).toHaveBeenCalledTimes(1);
  expect(bob.changed).not.toHaveBeenCalled();
  watch.close();
});

it('ends the stream of a token that was revoked, within 5 s', async () => {
  const { accounts, watch, stream, onError } = start();
  const ann = stream('ann.user');
  watch.add(ann);
  await vi.advanceTimersByTimeAsync(1);
  accounts.revoke('ann.user');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(ann.end).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(ann.end).toHaveBeenCalledTimes(1);
  expect(onError).not.toHaveBeenCalled();
  watch.close();
});

it('leaves a stream alone after its end', async () => {
  const { lists, watch, stream } = start();
  const ann = stream('ann.user');
  const stop = watch.add(ann);
  await vi.advanceTimersByTimeAsync(1);
  stop();
  lists.set('ann', 'other');
  await vi.advanceTimersByTimeAsync(20_000);
  expect(ann.changed).not.toHaveBeenCalled();
  watch.close();
});
