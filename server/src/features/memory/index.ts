import { type Extracted, factLines } from 'pentarch-memory-patterns';
import type { Db } from '../../db/db.ts';
import type { AnyRoute } from '../../http/route.ts';
import type { Caller } from '../../kernel/caller.ts';
import { type Clock, iso, isoOrNull } from '../../kernel/clock.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import type { MeteredEmbedder } from '../../kernel/embedder.ts';
import type { ToolSource } from '../../kernel/tools.ts';
import { personalScope } from './access.rules.ts';
import type { FactAsk } from './ask.ts';
import { createEntityStore } from './entities.store.ts';
import { extract } from './extract.ts';
import { createObserveTurn, type ObservedTurn } from './observe.ts';
import { createPersonalStore } from './personal.store.ts';
import { preferenceTools } from './preference-tools.ts';
import { createPreferences } from './preferences.ts';
import { createRecallStore } from './recall.store.ts';
import { createRecall, type PayingWho, type RecalledFact, type Who } from './recall.ts';
import { relationView } from './records.ts';
import { createRelationStore } from './relations.store.ts';
import { createRemember, type RememberedCounts } from './remember.ts';
import { memoryRoutes } from './routes.ts';
import { createMemoryService } from './service.ts';
import { createMemoryTools } from './tools.ts';
import { createTransfer } from './transfer.ts';

export type { FactAsk } from './ask.ts';

export type { ObservedTurn } from './observe.ts';
export type { RecalledFact, Who } from './recall.ts';
export type { RememberedCounts } from './remember.ts';

export interface MemoryOptions {
  db: Db;
  cluster: Cluster;
  clock: Clock;
  /** Recall by meaning; by words alone without it. */
  embedder?: MeteredEmbedder | undefined;
  /** Extraction by a model besides the patterns. */
  ask?: FactAsk | undefined;
  /** Reads messages by patterns; on the event loop when not given. */
  extract?: ((text: string) => Promise<Extracted[]>) | undefined;
  /** Largest import; 25 MiB when not given. */
  maxImportBytes?: number | undefined;
}

/** An entity as a result of `POST knowledge/search` with `include_memories`. */
export interface MemoryHit {
  type: 'memory';
  /** The entity. */
  id: string;
  /** 0–1 */
  score: number;
  title: string;
  content: string;
  metadata: { entity_type: string; visibility: 'private' | 'tenant'; observation_ids: string[] };
}

export interface Memory {
  routes: AnyRoute[];
  tools: ToolSource;
  /** `get_preferences` and `set_preference`. */
  preferenceTools: ToolSource;
  /** Facts for a prompt, the best first: `text` is one line with its source. */
  recall(who: PayingWho, query: string, limit: number): Promise<RecalledFact[]>;
  /** Lines on what the user wants, likes and is called, for every prompt. */
  preferences(who: Who, limit?: number): Promise<RecalledFact[]>;
  /** What `observeTurn` finds in a text by the patterns, as lines for a person; nothing for who may not write memory. */
  factsIn(caller: Caller, text: string): Promise<string[]>;
  /** Learns from a user's message; to be called after the answer is stored. */
  observeTurn(turn: ObservedTurn): Promise<RememberedCounts>;
  searchForKnowledge(who: Who, query: string, limit: number): Promise<MemoryHit[]>;
  /** All that is kept of a person, as JSON. */
  exportPersonal(who: Who): Promise<Record<string, unknown>>;
  /** Deletes all that a person owns or has said; returns what was deleted. */
  erasePersonal(who: Who): Promise<{ entities: number; observations: number; relations: number }>;
}

const DEFAULT_IMPORT_BYTES = 25 * 1024 * 1024;

export const createMemory = (options: MemoryOptions): Memory => {
  const { db, clock } = options;
  const entities = createEntityStore(db);
  const relations = createRelationStore(db);
  const recallStore = createRecallStore(db);
  const personal = createPersonalStore(db);
  const service = createMemoryService({ entities, relations, clock });
  const transfer = createTransfer({ entities, relations, clock });
  const recall = createRecall({
    entities,
    relations,
    recallStore,
    clock,
    embedder: options.embedder ?? null,
    alone: options.cluster.alone,
  });
  const remember = createRemember({
    entities,
    relations,
    recallStore,
    personal,
    clock,
    likeness: recall.likeness,
  });
  const preferences = createPreferences({ remember, recallStore });
  const read = options.extract ?? (async (text: string) => extract(text));

  return {
    routes: memoryRoutes(service, preferences, transfer, options.maxImportBytes ?? DEFAULT_IMPORT_BYTES),
    tools: createMemoryTools({ service, entities, relations, remember, recall, clock }),
    preferenceTools: preferenceTools({ remember, preferences: (caller) => recall.preferences(caller) }),
    recall: recall.recall,
    preferences: recall.preferences,
    async factsIn(caller, text) {
      if (!caller.permissions.has('memory:write')) return [];
      return factLines(await read(text));
    },
    observeTurn: createObserveTurn({
      remember,
      recall,
      ask: options.ask ?? null,
      isPast: personal.isPast,
      extract: read,
    }),

    async searchForKnowledge(who, query, limit) {
      const facts = await recall.recall(who, query, Math.min(200, limit * 4));
      const byEntity = Map.groupBy(facts, (fact) => fact.entityId);
      const ids = [...byEntity.keys()].slice(0, limit);
      const types = new Map(
        (await entities.many(personalScope(who), ids)).map((entity) => [entity.id, entity.entityType]),
      );
      return ids.flatMap((id): MemoryHit[] => {
        const found = byEntity.get(id) ?? [];
        const first = found[0];
        const entityType = types.get(id);
        if (first === undefined || entityType === undefined) return [];
        return [
          {
            type: 'memory',
            id,
            score: first.score,
            title: first.entityName,
            content: found.map((fact) => fact.statement).join('\n'),
            metadata: {
              entity_type: entityType,
              visibility: first.shared ? 'tenant' : 'private',
              observation_ids: found.flatMap((fact) => fact.observationId ?? []),
            },
          },
        ];
      });
    },

    async exportPersonal(who) {
      const { own, onShared } = await personal.read(who);
      const held = await relations.ownedBy(who);
      return {
        entities: own.map((entity) => ({
          id: entity.id,
          name: entity.name,
          entity_type: entity.entityType,
          importance: entity.importance,
          created_at: iso(entity.createdAt),
          updated_at: iso(entity.updatedAt),
          observations: entity.observations.map((o) => ({
            text: o.text,
            source: { kind: o.source.kind, message_id: o.source.messageId, user: o.source.userId },
            created_at: iso(o.createdAt),
            valid_to: isoOrNull(o.validTo),
          })),
        })),
        relations: held.map(relationView),
        statements_on_shared_entities: onShared.map((o) => ({
          entity: o.entity,
          text: o.text,
          created_at: iso(o.createdAt),
        })),
      };
    },

    erasePersonal: personal.erase,
  };
};
