import { describe, expect, it, vi } from 'vitest';
import type { NodeLocks } from '../../kernel/cluster.ts';
import { createConversationQueue, type Place } from './queue.ts';

type StoredTurns = NonNullable<Parameters<typeof createConversationQueue>[1]>;

const never = (): AbortSignal => new AbortController().signal;

/** Turns over all nodes, by a map. */
const createLocks = (): NodeLocks => {
  const held = new Set<string>();
  return {
    async take(key) {
      if (held.has(key)) return null;
      held.add(key);
      return async () => void held.delete(key);
    },
  };
};

const turnsOf = (ahead: StoredTurns['ahead']): StoredTurns => ({ ahead, goingOn: async () => false });

describe('a conversation’s turns on one node', () => {
  it('are in the order of places, whenever each came; a begun run is before all', async () => {
    const queue = createConversationQueue();
    const leave = await queue.tryEnter('c');
    expect(await queue.tryEnter('c')).toBeNull();
    const order: string[] = [];
    const wait = async (name: string, place: Place | { begun: string }): Promise<void> => {
      const done = await queue.enter('c', { place, signal: never() });
      order.push(name);
      done();
      done();
    };
    const all = [
      wait('third', { at: 30, id: 'c' }),
      wait('first', { at: 10, id: 'a' }),
      wait('second', { at: 10, id: 'b' }),
      wait('begun', { begun: 'r' }),
    ];
    leave?.();
    await Promise.all(all);
    expect(order).toEqual(['begun', 'first', 'second', 'third']);
    expect(await queue.tryEnter('c')).not.toBeNull();
  });

  it('pass by who has left the line', async () => {
    const queue = createConversationQueue();
    const leave = await queue.tryEnter('c');
    const stopped = new AbortController();
    const gone = queue.enter('c', { place: { at: 1, id: 'a' }, signal: stopped.signal });
    const next = queue.enter('c', { place: { at: 2, id: 'b' }, signal: never() });
    stopped.abort(new Error('taken back'));
    await expect(gone).rejects.toThrow('taken back');
    leave?.();
    (await next)();
    expect(await queue.tryEnter('c')).not.toBeNull();
  });

  it('are not taken by a later message while an earlier one is being stored', async () => {
    const queue = createConversationQueue();
    const leave = await queue.tryEnter('c');
    const stored = queue.announce('c');
    leave?.();
    expect(await queue.tryEnter('c')).toBeNull();
    const done = await queue.enter('c', { place: { at: 1, id: 'a' }, signal: never() });
    stored();
    done();
    expect(await queue.tryEnter('c')).not.toBeNull();
  });
});

describe('over several nodes', () => {
  it('an earlier message that begins between two looks at the store is seen', async () => {
    let earlier = 'queued';
    const look = async (status: string): Promise<boolean> => {
      const seen = earlier === status;
      if (earlier === 'queued') earlier = 'running';
      return seen;
    };
    const turns = { ahead: () => look('queued'), goingOn: () => look('running') };
    const queue = createConversationQueue(createLocks(), turns);
    let entered = false;
    const next = queue.enter('c', { place: { at: 2, id: 'b' }, signal: never() }).then((leave) => {
      entered = true;
      return leave;
    });
    await vi.waitFor(() => expect(earlier).toBe('running'));
    expect(entered).toBe(false);
    earlier = 'completed';
    (await next)();
  });

  it('a message gives way to one that stands before it, here or elsewhere, and never takes its turn twice', async () => {
    const stored: Place[] = [];
    const ahead = async (_id: string, place: Place | null): Promise<boolean> =>
      stored.some((one) => place === null || one.at < place.at);
    const locks = createLocks();
    const [one, other] = [
      createConversationQueue(locks, turnsOf(ahead)),
      createConversationQueue(locks, turnsOf(ahead)),
    ];
    const leave = await one.tryEnter('c');
    expect(await other.tryEnter('c')).toBeNull();
    const order: number[] = [];
    const wait = async (queue: typeof one, at: number): Promise<void> => {
      const place = { at, id: String(at) };
      stored.push(place);
      const done = await queue.enter('c', { place, signal: never() });
      order.push(at);
      stored.splice(stored.indexOf(place), 1);
      done();
    };
    // The second and the third of the one node stand around that of the other; the first comes to it late (adopted).
    const all = [wait(one, 40), wait(other, 30), wait(one, 50), wait(other, 20)];
    stored.push({ at: 10, id: '10' });
    leave?.();
    // Nobody overtakes a message that waits in the store.
    expect(await other.tryEnter('c')).toBeNull();
    stored.pop();
    all.push(wait(one, 10));
    await Promise.all(all);
    expect(order).toEqual([10, 20, 30, 40, 50]);
  });

  it('the turn is given back by who is stopped while it looks', async () => {
    const locks = createLocks();
    const queue = createConversationQueue(
      locks,
      turnsOf(async (_id, place) => place?.at === 2),
    );
    const stopped = new AbortController();
    const waiting = queue.enter('c', { place: { at: 2, id: 'b' }, signal: stopped.signal });
    stopped.abort(new Error('taken back'));
    await expect(waiting).rejects.toThrow('taken back');
    const leave = await queue.tryEnter('c');
    expect(leave).not.toBeNull();
  });

  it('a run of the store is going on, whatever the locks have forgotten', async () => {
    const running = new Set(['first']);
    const turns: StoredTurns = {
      ahead: async () => false,
      goingOn: async (_id, runId) => [...running].some((one) => runId === null || one < runId),
    };
    const other = createConversationQueue(createLocks(), turns);
    expect(await other.tryEnter('c')).toBeNull();
    const next = other.enter('c', { place: { at: 1, id: 'a' }, signal: never() });
    // One that has begun itself waits for earlier ones alone: two of them never wait for each other.
    (await other.enter('d', { place: { begun: 'first' }, signal: never() }))();
    running.clear();
    (await next)();
    expect(await other.tryEnter('c')).not.toBeNull();
  });

  it('a new conversation is busy at once, on every node', async () => {
    const locks = createLocks();
    const [one, other] = [createConversationQueue(locks), createConversationQueue(locks)];
    const leave = one.enterNew('c');
    expect(await one.tryEnter('c')).toBeNull();
    expect(await other.tryEnter('c')).toBeNull();
    leave();
    await expect.poll(() => other.tryEnter('c')).not.toBeNull();
  });
});
