import type { Clock } from '../../kernel/clock.ts';
import type { EntityStore } from './entities.store.ts';
import { createEntityService } from './entity-service.ts';
import { createGraph } from './graph.ts';
import { createObservationService } from './observation-service.ts';
import { createRecordAccess, ownerFor } from './record-access.ts';
import { createRelationService } from './relation-service.ts';
import type { RelationStore } from './relations.store.ts';

/** Use cases of the graph as its API shows it. Records that the caller may not read do not exist for them. */

export interface ServiceParts {
  entities: EntityStore;
  relations: RelationStore;
  clock: Clock;
}

export const createMemoryService = (parts: ServiceParts) => {
  const access = createRecordAccess(parts);
  return {
    ...createEntityService({ ...parts, access }),
    ...createObservationService({ ...parts, access }),
    ...createRelationService({ ...parts, access }),
    graph: createGraph(parts, access),
    ownerFor,
  };
};

export type MemoryService = ReturnType<typeof createMemoryService>;
