import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Db } from '../../src/db/db.ts';
import { type JobKind, type Jobs, PermanentJobError } from '../../src/jobs/index.ts';

/** What both engines promise. Real time with short waits, since one of them takes its clock from the database. */
interface Note {
  v: 1;
  text: string;
}

export const noteKind = (name: string, retryDelaysMs: readonly number[] = [10, 10]): JobKind<Note> => ({
  name,
  version: 1,
  parse: (stored) => {
    if (
      typeof stored === 'object' &&
      stored !== null &&
      'v' in stored &&
      stored.v === 1 &&
      'text' in stored
    ) {
      return { v: 1, text: String(stored.text) };
    }
    throw new Error('unknown version');
  },
  retryDelaysMs,
  tenantOf: () => null,
  leaseMs: 30_000,
});

const deferred = () => Promise.withResolvers<void>();

export const jobsSuite = (
  engine: string,
  open: () => Promise<{ db: Db; jobs(): Jobs; close(): Promise<void> }>,
): void => {
  describe(`jobs on ${engine}`, () => {
    let store: Awaited<ReturnType<typeof open>>;
    const started: Jobs[] = [];
    beforeEach(async () => {
      store = await open();
    });
    afterEach(async () => {
      await Promise.all(started.splice(0).map((jobs) => jobs.stop(0)));
      await store.close();
    });
    const node = async (set: (jobs: Jobs) => void): Promise<Jobs> => {
      const jobs = store.jobs();
      set(jobs);
      await jobs.start();
      started.push(jobs);
      return jobs;
    };

    it('runs a job once after its transaction has committed', async () => {
      const kind = noteKind('t.once');
      const seen: string[] = [];
      const ran = deferred();
      const jobs = await node((j) =>
        j.work(
          kind,
          { concurrency: 2 },
          {
            run: async (note) => {
              seen.push(note.text);
              ran.resolve();
            },
          },
        ),
      );
      await store.db.write((tx) => jobs.enqueue(tx, kind, { v: 1, text: 'hello' }));
      await ran.promise;
      await expect.poll(() => jobs.depth()).toEqual({ queued: 0, running: 0, dead: 0 });
      expect(seen).toEqual(['hello']);
    });

    it('forgets a job whose transaction rolled back', async () => {
      const kind = noteKind('t.rollback');
      const seen: string[] = [];
      const ran = deferred();
      const jobs = await node((j) =>
        j.work(
          kind,
          { concurrency: 1 },
          {
            run: async (note) => {
              seen.push(note.text);
              ran.resolve();
            },
          },
        ),
      );
      const failed = store.db.write(async (tx) => {
        await jobs.enqueue(tx, kind, { v: 1, text: 'lost' });
        throw new Error('on purpose');
      });
      await expect(failed).rejects.toThrow('on purpose');
      await store.db.write((tx) => jobs.enqueue(tx, kind, { v: 1, text: 'kept' }));
      await ran.promise;
      expect(seen).toEqual(['kept']);
    });

    it('tries again as often as the schedule says, then leaves a dead letter', async () => {
      const kind = noteKind('t.retry');
      const attempts: [number, boolean][] = [];
      const buried = deferred();
      const errors: string[] = [];
      const jobs = await node((j) =>
        j.work(
          kind,
          { concurrency: 1 },
          {
            run: async (_note, context) => {
              attempts.push([context.attempt, context.lastAttempt]);
              throw new Error(`failure ${context.attempt}`);
            },
            dead: async (note, error) => {
              errors.push(`${note.text}: ${error.message}`);
              buried.resolve();
            },
          },
        ),
      );
      await store.db.write((tx) => jobs.enqueue(tx, kind, { v: 1, text: 'bad' }));
      await buried.promise;
      expect(attempts).toEqual([
        [1, false],
        [2, false],
        [3, true],
      ]);
      expect(errors).toEqual(['bad: failure 3']);
      await expect.poll(() => jobs.depth()).toEqual({ queued: 0, running: 0, dead: 1 });
    });

    it('tells the end of a job before the dead letter, so that no death in between hides it', async () => {
      const kind = noteKind('t.told');
      const lettersWhenTold: number[] = [];
      const jobs = await node((j) =>
        j.work(
          kind,
          { concurrency: 1 },
          {
            run: async () => {
              throw new PermanentJobError('never');
            },
            dead: async () => {
              lettersWhenTold.push((await j.depth()).dead);
            },
          },
        ),
      );
      await store.db.write((tx) => jobs.enqueue(tx, kind, { v: 1, text: 'a' }));
      await expect.poll(async () => (await jobs.depth()).dead, { timeout: 10_000 }).toBe(1);
      expect(lettersWhenTold).toEqual([0]);
    });

    it('does not repeat a permanent failure, nor a payload that no release wrote', async () => {
      const kind = noteKind('t.permanent');
      let runs = 0;
      const buried: string[] = [];
      const jobs = await node((j) =>
        j.work(
          kind,
          { concurrency: 1 },
          {
            run: async () => {
              runs += 1;
              throw new PermanentJobError('never');
            },
            dead: async (note) => {
              buried.push(note.text);
            },
          },
        ),
      );
      await store.db.write(async (tx) => {
        await jobs.enqueue(tx, kind, { v: 1, text: 'a' });
        await jobs.enqueue(tx, { ...kind, parse: () => ({ v: 1, text: '' }) }, JSON.parse('{"v":0}'));
      });
      await expect.poll(async () => (await jobs.depth()).dead, { timeout: 10_000 }).toBe(2);
      expect(runs).toBe(1);
      expect(buried).toEqual(['a']);
    });

    it('keeps the cap of a group while others go on', async () => {
      const kind = noteKind('t.group');
      let now = 0;
      let most = 0;
      const gate = deferred();
      const otherRan = deferred();
      const jobs = await node((j) =>
        j.work(
          kind,
          { concurrency: 4, perGroup: 2 },
          {
            run: async (note) => {
              if (note.text === 'other') return otherRan.resolve();
              now += 1;
              most = Math.max(most, now);
              await gate.promise;
              now -= 1;
            },
          },
        ),
      );
      await store.db.write(async (tx) => {
        for (let i = 0; i < 5; i++) await jobs.enqueue(tx, kind, { v: 1, text: 'mine' }, { group: 'a' });
        await jobs.enqueue(tx, kind, { v: 1, text: 'other' }, { group: 'b' });
      });
      await otherRan.promise;
      await expect.poll(() => now, { timeout: 10_000 }).toBe(2);
      gate.resolve();
      await expect.poll(async () => (await jobs.depth()).queued, { timeout: 20_000 }).toBe(0);
      expect(most).toBe(2);
    });

    it('takes the higher priority first', async () => {
      const kind = noteKind('t.priority');
      const order: string[] = [];
      const jobs = store.jobs();
      jobs.work(
        kind,
        { concurrency: 1 },
        {
          run: async (note) => {
            order.push(note.text);
          },
        },
      );
      await jobs.start();
      started.push(jobs);
      await store.db.write(async (tx) => {
        await jobs.enqueue(tx, kind, { v: 1, text: 'low' }, { priority: -1 });
        await jobs.enqueue(tx, kind, { v: 1, text: 'high' }, { priority: 5 });
        await jobs.enqueue(tx, kind, { v: 1, text: 'normal' });
      });
      await expect.poll(() => order, { timeout: 10_000 }).toEqual(['high', 'normal', 'low']);
    });

    it('hands an interrupted job to the next process without counting the attempt', async () => {
      const kind = noteKind('t.interrupted', []);
      const began = deferred();
      const first = store.jobs();
      first.work(
        kind,
        { concurrency: 1 },
        {
          run: (_note, context) =>
            new Promise<void>((_resolve, reject) => {
              began.resolve();
              context.signal.addEventListener('abort', () => reject(new Error('stopped')));
            }),
        },
      );
      await first.start();
      await store.db.write((tx) => first.enqueue(tx, kind, { v: 1, text: 'again' }));
      await began.promise;
      await first.stop(0);
      const ran: number[] = [];
      await node((j) =>
        j.work(
          kind,
          { concurrency: 1 },
          {
            run: async (_note, context) => {
              ran.push(context.attempt);
            },
          },
        ),
      );
      await expect.poll(() => ran.length, { timeout: 20_000 }).toBe(1);
    });
  });
};
