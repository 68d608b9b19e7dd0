import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFairTurns } from './fair-turns.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

it('owners take turns; those of one owner come in their order', async () => {
  const turns = createFairTurns({ atOnce: 1 });
  const order: string[] = [];
  const first = await turns.take('a');
  const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(async (name) => {
    const end = await turns.take(name.charAt(0));
    order.push(name);
    end();
  });
  await settle();
  first();
  await Promise.all(all);
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

it('never lets more go on at once, and never loses a turn', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 }),
      async (atOnce, owners) => {
        const turns = createFairTurns({ atOnce });
        let busy = 0;
        let most = 0;
        await Promise.all(
          owners.map(async (owner) => {
            const end = await turns.take(owner);
            most = Math.max(most, ++busy);
            await Promise.resolve();
            busy--;
            end();
            end();
          }),
        );
        expect(most).toBe(Math.min(atOnce, owners.length));
        (await turns.take('d'))();
      },
    ),
    { numRuns: 50 },
  );
});

it('refuses an owner of whom too many wait, and no other', async () => {
  const turns = createFairTurns({ atOnce: 1, maxWaiting: 1, crowded: () => new Error('crowded') });
  const end = await turns.take('a');
  const second = turns.take('a');
  await expect(turns.take('a')).rejects.toThrow('crowded');
  const other = turns.take('b');
  end();
  (await second)();
  (await other)();
});
