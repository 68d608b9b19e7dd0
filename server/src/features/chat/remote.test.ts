import { afterEach, describe, expect, it } from 'vitest';
import type { NodeMessages } from '../../kernel/cluster.ts';
import { type Jump, RESUME_JUMP, type RunEvent } from './journal.rules.ts';
import { createRemoteRuns } from './remote.ts';

type Whereabouts = Awaited<ReturnType<Parameters<typeof createRemoteRuns>[0]['locate']>>;

import { createRunEvents, type RunEvents } from './run-events.ts';

/** Nodes that talk at once, and can lose what they say. */
const createBus = () => {
  const nodes = new Map<string, Map<string, (message: unknown, from: string) => void>>();
  let lose: (topic: string) => boolean = () => false;
  const node = (id: string): NodeMessages => {
    const listeners = new Map<string, (message: unknown, from: string) => void>();
    nodes.set(id, listeners);
    return {
      receive(topic: string, listener: (message: unknown, from: string) => void) {
        listeners.set(topic, listener);
        return () => void listeners.delete(topic);
      },
      send(topic: string, message: unknown, to?: string) {
        const carried = JSON.parse(JSON.stringify(message)) as unknown;
        if (lose(topic)) return;
        for (const [other, its] of nodes)
          if (other !== id && (to === undefined || to === other)) its.get(topic)?.(carried, id);
      },
    };
  };
  return {
    node,
    loses(next: (topic: string) => boolean) {
      lose = next;
    },
  };
};

const delta = (text: string): RunEvent => ({ event: 'message.delta', agentId: 'zeus', text });
const started: RunEvent = { event: 'run.started', data: {} };

describe('a run of another node', () => {
  const open: ReturnType<typeof createRemoteRuns>[] = [];
  afterEach(() => {
    for (const runs of open.splice(0)) runs.close();
  });

  const setUp = () => {
    const bus = createBus();
    let where: Whereabouts = { at: 'node', nodeId: 'a' };
    const running = new Map<string, RunEvents>();
    const join = (id: string) => {
      const runs = createRemoteRuns({
        messages: bus.node(id),
        running: (runId) => {
          const events = running.get(`${id}/${runId}`);
          return events === undefined ? undefined : { events };
        },
        locate: () => Promise.resolve(where),
        cancelHere: () => {},
        newReader: () => 'reader',
        onError: (error) => {
          throw error;
        },
      });
      open.push(runs);
      return runs;
    };
    join('a');
    join('b');
    const seen: [number, string][] = [];
    let ended = false;
    const follow = (from: number) =>
      join('c')
        .follow('run')
        .events.follow(
          from,
          (event, n) => seen.push([n, event.event]),
          () => {
            ended = true;
          },
        );
    return {
      bus,
      running,
      seen,
      follow,
      ended: () => ended,
      moves(next: Whereabouts) {
        where = next;
      },
    };
  };

  it('is followed from any number to its end, also where a message is lost', async () => {
    const run = setUp();
    const events = createRunEvents([started]);
    run.running.set('a/run', events);
    run.follow(0);
    await expect.poll(() => run.seen).toEqual([[1, 'run.started']]);
    let lost = 0;
    run.bus.loses((topic) => topic === 'run.events' && lost++ === 0);
    events.emit('tool.started', {});
    await expect.poll(() => lost).toBe(1);
    events.delta('zeus', 'x');
    events.emit('message.completed', {});
    events.end();
    run.moves({ at: 'end', events: [...events.all()], jumps: [] });
    await expect.poll(run.ended, { timeout: 10_000 }).toBe(true);
    expect(run.seen).toEqual([
      [1, 'run.started'],
      [2, 'tool.started'],
      [3, 'message.delta'],
      [4, 'message.completed'],
    ]);
  });

  it('is followed over the death of its node, wherever the reader was', async () => {
    for (const kept of [1, 2, 3]) {
      const run = setUp();
      const first = createRunEvents([started]);
      run.running.set('a/run', first);
      run.follow(0);
      for (const text of ['a', 'b']) first.delta('zeus', text);
      await expect.poll(() => run.seen.length).toBe(3);
      // Node b goes on from what was stored: less than the reader has, or just as much.
      const stored = [started, delta('a'), delta('b')].slice(0, kept);
      const jumps: Jump[] = [{ at: kept, n: kept + 1 + RESUME_JUMP }];
      const second = createRunEvents(stored, jumps);
      run.running.delete('a/run');
      run.running.set('b/run', second);
      run.moves({ at: 'node', nodeId: 'b' });
      second.delta('zeus', 'again');
      await expect.poll(() => run.seen.length, { timeout: 10_000 }).toBe(4);
      second.emit('message.completed', {});
      second.end();
      await expect.poll(run.ended, { timeout: 10_000 }).toBe(true);
      expect([kept, run.seen.slice(3)]).toEqual([
        kept,
        [
          [kept + 1 + RESUME_JUMP, 'message.delta'],
          [kept + 2 + RESUME_JUMP, 'message.completed'],
        ],
      ]);
    }
  });
});
