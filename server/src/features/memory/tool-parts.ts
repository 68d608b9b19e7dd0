import type { Extracted } from 'pentarch-memory-patterns';
import type { Clock } from '../../kernel/clock.ts';
import type { ToolContext } from '../../kernel/tools.ts';
import type { EntityStore } from './entities.store.ts';
import type { Recall } from './recall.ts';
import type { FactSource } from './records.ts';
import type { RelationStore } from './relations.store.ts';
import type { Remember } from './remember.ts';
import type { MemoryService } from './service.ts';

export interface ToolParts {
  service: MemoryService;
  entities: EntityStore;
  relations: RelationStore;
  remember: Remember;
  recall: Recall;
  clock: Clock;
}

/** With which findings of a run are kept. */
export type ApplyFindings = (
  context: ToolContext,
  findings: readonly Extracted[],
  source?: FactSource,
) => ReturnType<Remember['apply']>;
