import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPostgres } from '../../src/db/open.ts';
import { dropOld, NODE_TIMEOUT_MS, orphanedHolds, touchNode } from '../../src/features/costs/holds.store.ts';
import { startPostgres } from '../support/postgres.ts';

let postgres: Awaited<ReturnType<typeof startPostgres>> | null = null;
beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres?.stop());

it('the holds of a living node stay, however far the clocks of nodes are apart', async () => {
  if (postgres === null) throw new Error('PostgreSQL has not been started');
  const db = await openPostgres({ url: await postgres.freshUrl(), maxConnections: 2, unscoped: 'all' });
  const seen = async () =>
    (await db.read.selectFrom('cost_nodes').select('id').orderBy('id').execute()).map(({ id }) => id);
  const now = Date.now();
  for (const [node, clock] of [
    ['slow', now - 20 * NODE_TIMEOUT_MS],
    ['fast', now + 20 * NODE_TIMEOUT_MS],
  ] as const)
    await touchNode(db, node, clock);
  await db.write(async (tx) => {
    await tx
      .insertInto('cost_holds')
      .values(
        ['slow', 'gone'].map((node) => ({
          id: `of-${node}`,
          tenant_id: 't',
          user_id: 'u',
          agent_id: null,
          run_id: null,
          run_nano: 0,
          node_id: node,
          counters: '[]',
          amount_nano: 1,
          created_at: now,
        })),
      )
      .execute();
  });
  expect(await orphanedHolds(db, 'fast', now + 20 * NODE_TIMEOUT_MS)).toEqual(['of-gone']);
  await dropOld(db, now + 20 * NODE_TIMEOUT_MS, 1);
  expect(await seen()).toEqual(['fast', 'slow']);
  await db.close();
}, 60_000);
