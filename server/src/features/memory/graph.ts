import { type Caller, readScope } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { timeOf } from './api-source.ts';
import type { EntityStore } from './entities.store.ts';
import type { RecordAccess } from './record-access.ts';
import { entityView, type RelationRecord, relationView } from './records.ts';
import type { RelationStore } from './relations.store.ts';
import { GRAPH_ENTITIES, GRAPH_RELATIONS_PER_ENTITY } from './rules.ts';
import type { GraphView } from './schema.ts';

export interface GraphQuery {
  entity_id?: string;
  depth?: number;
  at?: string;
  limit?: number;
}

/** What is reachable from an entity in up to `depth` steps, breadth first; all that is readable without one. */
export const createGraph =
  (
    parts: { entities: EntityStore; relations: RelationStore; clock: Clock },
    access: Pick<RecordAccess, 'readEntity'>,
  ) =>
  async (caller: Caller, query: GraphQuery): Promise<GraphView> => {
    const { entities, relations, clock } = parts;
    const scope = readScope(caller);
    const atMs = timeOf(query.at) ?? clock.now();
    const maxEntities = query.limit ?? GRAPH_ENTITIES;
    const maxRelations = maxEntities * GRAPH_RELATIONS_PER_ENTITY;
    let truncated = false;
    const reached = new Set<string>();
    const found = new Map<string, RelationRecord>();
    let frontier: string[];
    let steps = query.depth ?? 1;
    if (query.entity_id === undefined) {
      const all = await entities.some(scope, maxEntities + 1);
      truncated = all.length > maxEntities;
      frontier = all.slice(0, maxEntities).map((entity) => entity.id);
      steps = 1;
    } else {
      frontier = [(await access.readEntity(caller, query.entity_id)).id];
    }
    for (const id of frontier) reached.add(id);
    for (let step = 0; step < steps && frontier.length > 0; step++) {
      const near = await relations.touching(scope, frontier, atMs, maxRelations + 1);
      if (near.length > maxRelations) truncated = true;
      const next = new Set<string>();
      for (const relation of near.slice(0, maxRelations)) {
        for (const id of [relation.fromEntityId, relation.toEntityId]) {
          if (reached.has(id)) continue;
          if (reached.size >= maxEntities) {
            truncated = true;
            continue;
          }
          reached.add(id);
          next.add(id);
        }
        const whole = reached.has(relation.fromEntityId) && reached.has(relation.toEntityId);
        if (whole && (found.size < maxRelations || found.has(relation.id))) found.set(relation.id, relation);
        else if (whole) truncated = true;
      }
      frontier = [...next];
    }
    const now = clock.now();
    const records = await entities.many(scope, [...reached]);
    return {
      entities: records.map((entity) => entityView(entity, now)),
      relations: [...found.values()].map(relationView),
      truncated,
    };
  };
