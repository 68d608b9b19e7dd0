import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TokenSource } from '../src/auth.ts';
import { createClient, UnauthorizedError } from '../src/index.ts';

/** The event connection against a socket that refuses: how often it asks, and with which tokens. */

const sent: string[] = [];
/** What becomes of each connection in turn: its close code, or `ready` and then the code. */
let script: (number | { readyThen: number })[] = [];

class FakeSocket extends EventTarget {
  constructor() {
    super();
    queueMicrotask(() => this.dispatchEvent(new Event('open')));
  }
  send(text: string): void {
    const { payload } = JSON.parse(text) as { payload: { token: string } };
    sent.push(payload.token);
    const next = script.shift() ?? 4401;
    const code = typeof next === 'number' ? next : next.readyThen;
    queueMicrotask(() => {
      if (typeof next !== 'number')
        this.dispatchEvent(
          new MessageEvent('message', { data: JSON.stringify({ type: 'ready', payload: {} }) }),
        );
      this.dispatchEvent(Object.assign(new Event('close'), { code }));
    });
  }
  close(): void {}
}

const before = globalThis.WebSocket;
beforeEach(() => {
  sent.length = 0;
  Object.assign(globalThis, { WebSocket: FakeSocket });
});
afterEach(() => {
  globalThis.WebSocket = before;
});

const read = async (auth: string | TokenSource): Promise<unknown> => {
  const client = createClient({ baseUrl: 'http://127.0.0.1:9', auth, sleep: () => Promise.resolve() });
  try {
    for await (const _event of client.events()) void _event;
    return null;
  } catch (error) {
    return error;
  }
};

const renewing = (): TokenSource => {
  let n = 1;
  return {
    token: () => Promise.resolve(`token-${n}`),
    refused: () => {
      n += 1;
      return true;
    },
  };
};

it('a token that cannot be renewed is shown once', async () => {
  script = [4401];
  expect(await read('token-of-a-key')).toBeInstanceOf(UnauthorizedError);
  expect(sent).toEqual(['token-of-a-key']);
});

it('a refused token is followed by one fresh one, and no more', async () => {
  script = [4401, 4401];
  expect(await read(renewing())).toMatchObject({ status: 401 });
  expect(sent).toEqual(['token-1', 'token-2']);
});

it('a lost connection does not use up the fresh token', async () => {
  script = [1006, 4401, { readyThen: 4401 }, 4401];
  expect(await read(renewing())).toMatchObject({ status: 401 });
  expect(sent).toEqual(['token-1', 'token-1', 'token-2', 'token-3']);
});

it('who is forbidden asks no second time', async () => {
  script = [4403];
  expect(await read(renewing())).toMatchObject({ status: 403 });
  expect(sent).toEqual(['token-1']);
});
