import { sql } from 'kysely';
import { foldName } from 'pentarch-prose';
import type { Db } from '../../db/db.ts';
import { listPage } from '../../db/page.ts';
import type { Scope } from '../../kernel/caller.ts';
import type { PageRequest } from '../../kernel/pagination.ts';
import { containing, loadEntities, readableEntities } from './entity-rows.store.ts';
import type { EntityRecord } from './records.ts';
import { SHARED } from './rules.ts';

export interface EntityFilter {
  q?: string | undefined;
  type?: string | undefined;
}

/** Entities by what is asked of them, each as far as the scope may read. */
export const createEntityReads = (db: Db) => ({
  async list(scope: Scope, filter: EntityFilter, page: PageRequest) {
    let base = db.read.selectFrom('memory_entities').where(readableEntities('memory_entities', scope));
    if (filter.type !== undefined) base = base.where('type_folded', '=', foldName(filter.type));
    if (filter.q !== undefined) {
      const q = foldName(filter.q);
      base = base.where((eb) =>
        eb.or([
          containing('memory_entities.name_folded', q),
          eb.exists(
            eb
              .selectFrom('memory_observations')
              .select('memory_observations.id')
              .whereRef('memory_observations.entity_id', '=', 'memory_entities.id')
              .where(containing('memory_observations.text_folded', q)),
          ),
        ]),
      );
    }
    const { rows, total } = await listPage(base.selectAll('memory_entities'), page);
    return { rows: await loadEntities(db.read, rows), total };
  },

  async get(scope: Scope, id: string): Promise<EntityRecord | null> {
    const rows = await db.read
      .selectFrom('memory_entities')
      .selectAll()
      .where('id', '=', id)
      .where(readableEntities('memory_entities', scope))
      .execute();
    return (await loadEntities(db.read, rows))[0] ?? null;
  },

  /** Those of `ids` that the scope may read. */
  async many(scope: Scope, ids: readonly string[]): Promise<EntityRecord[]> {
    if (ids.length === 0) return [];
    const rows = await db.read
      .selectFrom('memory_entities')
      .selectAll()
      .where('id', 'in', [...ids])
      .where(readableEntities('memory_entities', scope))
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    return loadEntities(db.read, rows);
  },

  /** Up to `limit` readable entities, the newest first. */
  async some(scope: Scope, limit: number): Promise<EntityRecord[]> {
    const rows = await db.read
      .selectFrom('memory_entities')
      .selectAll()
      .where(readableEntities('memory_entities', scope))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return loadEntities(db.read, rows);
  },

  /** All readable entities, the oldest first. */
  async all(scope: Scope): Promise<EntityRecord[]> {
    const rows = await db.read
      .selectFrom('memory_entities')
      .selectAll()
      .where(readableEntities('memory_entities', scope))
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    const records: EntityRecord[] = [];
    for (let from = 0; from < rows.length; from += 500)
      records.push(...(await loadEntities(db.read, rows.slice(from, from + 500))));
    return records;
  },

  /** By name (any type when none is given): the own one before the shared one. */
  async byName(scope: Scope, name: string, type: string | null): Promise<EntityRecord | null> {
    let query = db.read
      .selectFrom('memory_entities')
      .selectAll()
      .where('tenant_id', '=', scope.tenantId)
      .where('owner', 'in', [scope.userId, SHARED])
      .where('name_folded', '=', foldName(name));
    if (type !== null) query = query.where('type_folded', '=', foldName(type));
    const rows = await query
      .orderBy(sql`case when owner = ${SHARED} then 1 else 0 end`)
      .orderBy('created_at')
      .limit(1)
      .execute();
    return (await loadEntities(db.read, rows))[0] ?? null;
  },

  /** The entity that stands for the user of the scope. */
  async self(scope: Scope): Promise<EntityRecord | null> {
    const rows = await db.read
      .selectFrom('memory_entities')
      .selectAll()
      .where('tenant_id', '=', scope.tenantId)
      .where('subject_user_id', '=', scope.userId)
      .execute();
    return (await loadEntities(db.read, rows))[0] ?? null;
  },
});
