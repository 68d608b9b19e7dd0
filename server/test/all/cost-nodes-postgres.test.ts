import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Db } from '../../src/db/db.ts';
import { openPostgres } from '../../src/db/open.ts';
import { dropOld, NODE_TIMEOUT_MS, orphanedHolds, touchNode } from '../../src/features/costs/holds.store.ts';
import { createNodeStore } from '../../src/features/nodes/index.ts';
import { startPostgres } from '../support/postgres.ts';

let postgres: Awaited<ReturnType<typeof startPostgres>> | null = null;
beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres?.stop());

/** A reservation of each of these nodes. */
const holdsOf = (db: Db, nodes: readonly string[], now: number): Promise<void> =>
  db.write(async (tx) => {
    await tx
      .insertInto('cost_holds')
      .values(
        nodes.map((node) => ({
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
  await holdsOf(db, ['slow', 'gone'], now);
  const cluster = { nodeId: 'fast', alone: false };
  const orphaned = (fresh: boolean) => orphanedHolds(db, cluster, { now: now + 20 * NODE_TIMEOUT_MS, fresh });
  expect(await orphaned(false)).toEqual(['of-gone']);
  await dropOld(db, now + 20 * NODE_TIMEOUT_MS, 1);
  expect(await seen()).toEqual(['fast', 'slow']);
  await db.close();
}, 60_000);

it('the holds of a node are as alive as the node, for the release before too', async () => {
  if (postgres === null) throw new Error('PostgreSQL has not been started');
  const db = await openPostgres({ url: await postgres.freshUrl(), maxConnections: 2, unscoped: 'all' });
  const nodes = createNodeStore(db);
  const now = Date.now();
  const beat = (id: string) => nodes.beat({ id, version: '0.0.0', startedAt: now, draining: false }, now);
  await Promise.all([beat('here'), beat('there')]);
  await holdsOf(db, ['here', 'there', 'gone'], now);
  const orphaned = async (how: { alone?: boolean; fresh?: boolean } = {}) => {
    const cluster = { nodeId: 'here', alone: how.alone ?? false };
    return (await orphanedHolds(db, cluster, { now, fresh: how.fresh ?? false })).toSorted();
  };
  const shown = async () =>
    (await db.read.selectFrom('cost_nodes').select('id').orderBy('id').execute()).map(({ id }) => id);
  expect(await orphaned()).toEqual(['of-gone']);
  // What an earlier process of this node has left nobody settles.
  expect(await orphaned({ fresh: true })).toEqual(['of-gone', 'of-here']);
  expect(await orphaned({ alone: true })).toEqual(['of-gone', 'of-there']);
  expect(await shown()).toEqual(['here', 'there']);
  await nodes.dropOne('there');
  expect(await orphaned()).toEqual(['of-gone', 'of-there']);
  expect(await shown()).toEqual(['here']);
  await db.close();
}, 60_000);
