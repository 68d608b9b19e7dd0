import { sql } from 'kysely';
import type { Db, Queryable } from '../../db/db.ts';

/** Signs of life. On PostgreSQL the store's clock counts: nodes' own clocks may differ. */
const nowOf = (db: Db, now: number) =>
  db.dialect === 'sqlite'
    ? sql<number>`${now}`
    : sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Nodes of the release before look there for who is alive to settle its reservations. */
const mirror = async (db: Db, tx: Queryable, id: string, now: number): Promise<void> => {
  const seenAt = nowOf(db, now);
  await tx
    .insertInto('cost_nodes')
    .values({ id, seen_at: seenAt })
    .onConflict((c) => c.column('id').doUpdateSet({ seen_at: seenAt }))
    .execute();
};

export const createNodeStore = (db: Db) => ({
  /** Shows the node as alive; true where it was known as alive until now. */
  beat: (
    node: { id: string; version: string; startedAt: number; draining: boolean },
    now: number,
  ): Promise<boolean> =>
    db.write(async (tx) => {
      await mirror(db, tx, node.id, now);
      const result = await tx
        .updateTable('nodes')
        .set({ seen_at: nowOf(db, now), version: node.version, draining: node.draining ? 1 : 0 })
        .where('id', '=', node.id)
        .executeTakeFirst();
      if (result.numUpdatedRows > 0n) return true;
      await tx
        .insertInto('nodes')
        .values({
          id: node.id,
          version: node.version,
          started_at: node.startedAt,
          seen_at: nowOf(db, now),
          draining: node.draining ? 1 : 0,
        })
        .execute();
      return false;
    }),

  /** Takes those off the list that have been silent for `silentMs`; their ids. */
  dropSilent: (silentMs: number, now: number): Promise<string[]> =>
    db.write((tx) => drop(tx, sql<boolean>`seen_at < ${nowOf(db, now)} - ${sql.lit(silentMs)}`)),

  dropOthers: (id: string): Promise<string[]> => db.write((tx) => drop(tx, sql<boolean>`id <> ${id}`)),

  dropOne: (id: string): Promise<string[]> => db.write((tx) => drop(tx, sql<boolean>`id = ${id}`)),

  list: () => db.read.selectFrom('nodes').selectAll().orderBy('started_at').orderBy('id').execute(),

  /** The value that the first node gave to a fact of the platform. */
  fact: (name: string, value: string): Promise<string> =>
    db.write(async (tx) => {
      await tx
        .insertInto('platform')
        .values({ name, value })
        .onConflict((c) => c.column('name').doNothing())
        .execute();
      const row = await tx
        .selectFrom('platform')
        .select('value')
        .where('name', '=', name)
        .executeTakeFirstOrThrow();
      return row.value;
    }),

  hasFact: async (name: string): Promise<boolean> =>
    (await db.read.selectFrom('platform').select('value').where('name', '=', name).executeTakeFirst()) !==
    undefined,

  setFact: (name: string, value: string): Promise<void> =>
    db.write(async (tx) => {
      await tx.updateTable('platform').set({ value }).where('name', '=', name).execute();
    }),
});

const drop = async (tx: Queryable, which: ReturnType<typeof sql<boolean>>): Promise<string[]> => {
  const ids = (await tx.deleteFrom('nodes').where(which).returning('id').execute()).map((row) => row.id);
  if (ids.length > 0) await tx.deleteFrom('cost_nodes').where('id', 'in', ids).execute();
  return ids;
};

export type NodeStore = ReturnType<typeof createNodeStore>;
