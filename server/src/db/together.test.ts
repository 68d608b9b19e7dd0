import { expect, it } from 'vitest';
import { together } from './together.ts';

it('gives the answers in the order of the statements', async () => {
  expect(await together(Promise.resolve(1), 'two', Promise.resolve(null))).toEqual([1, 'two', null]);
});

it('waits for all of them, and throws the first error in their order whichever came first', async () => {
  let answered = false;
  let answer: () => void = () => {};
  const late = new Promise<void>((resolve) => {
    answer = resolve;
  }).then(() => {
    answered = true;
    throw new Error('the cause');
  });
  const all = together(late, Promise.reject(new Error('what follows on it')));
  let settled = false;
  all.catch(() => {
    settled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(settled).toBe(false);
  answer();
  await expect(all).rejects.toThrow('the cause');
  expect(answered).toBe(true);
});
