import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RedisClient } from './client.ts';

/**
 * Commands with an end. The client's own time limit ends when a command has been written, so that one to a Redis that takes
 * everything and says nothing would wait for ever. After the first that is not answered nothing is sent any more: then the
 * connection falls idle and is cut (`socketTimeout`), and a new one is tried until it answers.
 */
export type Answered = <T>(command: (client: RedisClient) => Promise<T>) => Promise<T>;

const PATIENCE_MS = 2_000;

export const createAnswered = (client: RedisClient): Answered => {
  let silent = false;
  client.on('ready', () => {
    silent = false;
  });
  return async <T>(command: (client: RedisClient) => Promise<T>): Promise<T> => {
    if (silent) throw new Error('Redis does not answer');
    const answer = command(client);
    // A late answer is one: Redis was slow.
    const heard = answer.then(
      () => {
        silent = false;
      },
      () => {},
    );
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), PATIENCE_MS);
      timer.unref();
    });
    const first = await Promise.race([heard, late]);
    clearTimeout(timer);
    if (first !== 'late') return answer;
    // Where this process itself stood still, the answer lies there unread.
    await nextTurn();
    await nextTurn();
    if ((await Promise.race([heard, Promise.resolve('late' as const)])) !== 'late') return answer;
    silent = true;
    throw new Error('Redis does not answer');
  };
};
