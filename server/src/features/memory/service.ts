import type { Along } from '../../db/db.ts';
import { type Caller, readScope } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { forbidden, invalid, notFound } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { type PageRequest, pageResult } from '../../kernel/pagination.ts';
import { mayChangeRecord, mayShare, ownerOfEnds, SHARE_PERMISSION } from './access.rules.ts';
import { claimOfObservation } from './clauses.rules.ts';
import type { EntityStore } from './entities.store.ts';
import {
  type EntityRecord,
  entityView,
  type FactSource,
  type NewObservation,
  type RelationRecord,
  relationView,
} from './records.ts';
import type { RelationStore } from './relations.store.ts';
import { foldName, GRAPH_ENTITIES, GRAPH_RELATIONS_PER_ENTITY, SHARED } from './rules.ts';
import type { EntityView, GraphView, RelationView, Visibility } from './schema.ts';

/** Use cases of the graph as its API shows it. Records that the caller may not read do not exist for them. */

export interface ServiceParts {
  entities: EntityStore;
  relations: RelationStore;
  clock: Clock;
}

type ObservationInput = string | { text: string };

/** A text as it is stored, with the slot that its words name. */
export const observationOf = (text: string, entityName: string): NewObservation => {
  const trimmed = text.trim();
  const claim = trimmed.length > 400 ? null : claimOfObservation(trimmed, entityName);
  return { text: trimmed, attribute: claim?.attribute ?? null, category: claim?.category ?? 'fact' };
};

const textsOf = (inputs: readonly ObservationInput[]): string[] =>
  inputs.map((input) => (typeof input === 'string' ? input : input.text));

const apiSource = (caller: Caller): FactSource => ({
  kind: 'api',
  messageId: null,
  conversationId: null,
  userId: caller.userId,
});

const timeOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Date.parse(text);

export const createMemoryService = ({ entities, relations, clock }: ServiceParts) => {
  const readEntity = async (caller: Caller, id: string): Promise<EntityRecord> => {
    const found = isUuid(id) ? await entities.get(readScope(caller), id) : null;
    if (found === null) throw notFound('entity');
    return found;
  };

  const changeable = async (caller: Caller, id: string): Promise<EntityRecord> => {
    const found = await readEntity(caller, id);
    if (!mayChangeRecord(caller, found.owner)) throw forbidden(SHARE_PERMISSION);
    return found;
  };

  const readRelation = async (caller: Caller, id: string): Promise<RelationRecord> => {
    const found = isUuid(id) ? await relations.get(readScope(caller), id) : null;
    if (found === null) throw notFound('relation');
    return found;
  };

  const changeableRelation = async (caller: Caller, id: string): Promise<RelationRecord> => {
    const found = await readRelation(caller, id);
    if (!mayChangeRecord(caller, found.owner)) throw forbidden(SHARE_PERMISSION);
    return found;
  };

  const ownerFor = (caller: Caller, visibility: Visibility | undefined): string => {
    if (visibility !== 'tenant') return caller.userId;
    if (!mayShare(caller)) throw forbidden(SHARE_PERMISSION);
    return SHARED;
  };

  const view = async (caller: Caller, id: string): Promise<EntityView> =>
    entityView(await readEntity(caller, id), clock.now());

  return {
    async listEntities(caller: Caller, filter: { q?: string; type?: string }, page: PageRequest) {
      const { rows, total } = await entities.list(readScope(caller), filter, page);
      const result = pageResult(page, rows, total, (row) => ({ createdAt: row.createdAt, id: row.id }));
      const now = clock.now();
      return { ...result, items: result.items.map((row) => entityView(row, now)) };
    },

    getEntity: view,

    /** Makes an entity, or joins the observations to the one of this owner, type and name. */
    async putEntity(
      caller: Caller,
      input: {
        name: string;
        entity_type: string;
        observations?: ObservationInput[];
        importance?: number;
        visibility?: Visibility;
      },
    ): Promise<{ created: boolean; entity: EntityView }> {
      const { created, entity } = await entities.put(
        {
          tenantId: caller.tenantId,
          owner: ownerFor(caller, input.visibility),
          name: input.name,
          entityType: input.entity_type,
          importance: input.importance ?? null,
          subjectUserId: null,
        },
        textsOf(input.observations ?? []).map((text) => observationOf(text, input.name)),
        apiSource(caller),
        clock.now(),
      );
      return { created, entity: entityView(entity, clock.now()) };
    },

    async patchEntity(
      caller: Caller,
      id: string,
      patch: { name?: string; entity_type?: string; importance?: number; visibility?: 'tenant' },
    ): Promise<EntityView> {
      const entity = await changeable(caller, id);
      const shares = patch.visibility === 'tenant' && entity.owner !== SHARED;
      // Sharing hands a person's memory to everybody: only its owner decides that.
      if (shares && (!mayShare(caller) || entity.owner !== caller.userId)) throw forbidden(SHARE_PERMISSION);
      await entities.update(
        entity,
        {
          name: patch.name,
          entityType: patch.entity_type,
          importance: patch.importance,
          owner: shares ? SHARED : undefined,
        },
        clock.now(),
      );
      return view(caller, id);
    },

    /** `note` is written together with the deletion; so below. */
    async deleteEntity(caller: Caller, id: string, note?: Along): Promise<void> {
      const entity = await changeable(caller, id);
      if (!(await entities.remove(entity.id, note))) throw notFound('entity');
    },

    async addObservations(
      caller: Caller,
      id: string,
      input: { text?: string; observations?: ObservationInput[] },
    ): Promise<{ added: number; entity: EntityView }> {
      const entity = await changeable(caller, id);
      const texts = [...(input.text === undefined ? [] : [input.text]), ...textsOf(input.observations ?? [])];
      const { added } = await entities.observe(
        entity,
        texts.map((text) => observationOf(text, entity.name)),
        apiSource(caller),
        clock.now(),
      );
      return { added, entity: await view(caller, id) };
    },

    /** The earlier wording ends and stays as history; the new one holds. */
    async correctObservation(
      caller: Caller,
      id: string,
      observationId: string,
      text: string,
    ): Promise<EntityView> {
      const entity = await changeable(caller, id);
      const before = entity.observations.find((o) => o.id === observationId);
      if (!before) throw notFound('observation');
      if (foldName(before.text) === foldName(text) && before.validTo === null) return view(caller, id);
      const now = clock.now();
      await entities.endObservation(entity.id, before.id, now);
      const after = observationOf(text, entity.name);
      await entities.observe(
        entity,
        [{ ...after, attribute: after.attribute ?? before.attribute, category: before.category }],
        apiSource(caller),
        now,
      );
      return view(caller, id);
    },

    async deleteObservation(caller: Caller, id: string, observationId: string, note?: Along): Promise<void> {
      const entity = await changeable(caller, id);
      if (!(await entities.removeObservation(entity.id, observationId, clock.now(), note)))
        throw notFound('observation');
    },

    /** Takes another entity of the same owner into this one. */
    async mergeEntities(caller: Caller, id: string, otherId: string, note?: Along): Promise<EntityView> {
      const kept = await changeable(caller, id);
      const other = await changeable(caller, otherId);
      if (kept.id === other.id)
        throw invalid({ field: '/entity_id', reason: 'must be another entity than the one that is kept' });
      if (kept.owner !== other.owner)
        throw invalid({ field: '/entity_id', reason: 'must belong to the same owner' });
      const alias: NewObservation | null =
        foldName(kept.name) === foldName(other.name)
          ? null
          : { text: `also known as ${other.name}`, attribute: null, category: 'fact' };
      await entities.merge(kept, other, alias, { ...apiSource(caller), kind: 'merge' }, clock.now(), note);
      return view(caller, id);
    },

    async listRelations(
      caller: Caller,
      filter: { entity_id?: string; type?: string; at?: string },
      page: PageRequest,
    ) {
      const { rows, total } = await relations.list(
        readScope(caller),
        { entityId: filter.entity_id, type: filter.type, at: timeOf(filter.at) },
        page,
      );
      const result = pageResult(page, rows, total, (row) => ({ createdAt: row.createdAt, id: row.id }));
      return { ...result, items: result.items.map(relationView) };
    },

    getRelation: async (caller: Caller, id: string): Promise<RelationView> =>
      relationView(await readRelation(caller, id)),

    /** Makes a relation, or answers the same one that holds already with its properties joined. */
    async putRelation(
      caller: Caller,
      input: {
        from_entity_id: string;
        to_entity_id: string;
        relation_type: string;
        properties?: Record<string, unknown>;
        valid_from?: string;
        valid_to?: string | null;
        visibility?: Visibility;
      },
    ): Promise<{ created: boolean; relation: RelationView }> {
      const now = clock.now();
      const validFrom = timeOf(input.valid_from) ?? now;
      const validTo = timeOf(input.valid_to ?? undefined) ?? null;
      if (validTo !== null && validTo <= validFrom)
        throw invalid({ field: '/valid_to', reason: 'must be after valid_from' });
      const from = await readEntity(caller, input.from_entity_id);
      const to = await readEntity(caller, input.to_entity_id);
      const privateOwner = ownerOfEnds(from.owner, to.owner);
      if (privateOwner === 'mixed')
        throw invalid({
          field: '/to_entity_id',
          reason: 'must not belong to another user than from_entity_id',
        });
      if (input.visibility === 'tenant' && privateOwner !== null)
        throw invalid({ field: '/visibility', reason: 'can be tenant only between two shared entities' });
      const shared =
        privateOwner === null && (input.visibility ?? (mayShare(caller) ? 'tenant' : 'private')) === 'tenant';
      const owner = shared ? ownerFor(caller, 'tenant') : (privateOwner ?? caller.userId);
      if (!mayChangeRecord(caller, owner)) throw forbidden(SHARE_PERMISSION);
      const { relation, created } = await relations.add(
        {
          tenantId: caller.tenantId,
          owner,
          fromEntityId: from.id,
          toEntityId: to.id,
          relationType: input.relation_type,
          properties: input.properties ?? {},
          validFrom,
          validTo,
        },
        apiSource(caller),
        now,
      );
      return { created, relation: relationView(relation) };
    },

    async patchRelation(
      caller: Caller,
      id: string,
      patch: {
        relation_type?: string;
        properties?: Record<string, unknown>;
        valid_from?: string;
        valid_to?: string | null;
      },
    ): Promise<RelationView> {
      const relation = await changeableRelation(caller, id);
      const validFrom = timeOf(patch.valid_from);
      const validTo = patch.valid_to === null ? null : timeOf(patch.valid_to);
      const end = validTo === undefined ? relation.validTo : validTo;
      if (end !== null && end <= (validFrom ?? relation.validFrom))
        throw invalid({ field: '/valid_to', reason: 'must be after valid_from' });
      await relations.update(
        relation,
        { relationType: patch.relation_type, properties: patch.properties, validFrom, validTo },
        clock.now(),
      );
      return relationView(await readRelation(caller, id));
    },

    async deleteRelation(caller: Caller, id: string, note?: Along): Promise<void> {
      const relation = await changeableRelation(caller, id);
      if (!(await relations.remove(relation.id, note))) throw notFound('relation');
    },

    /** What is reachable from an entity in up to `depth` steps, breadth first; all that is readable without one. */
    async graph(
      caller: Caller,
      query: { entity_id?: string; depth?: number; at?: string; limit?: number },
    ): Promise<GraphView> {
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
        frontier = [(await readEntity(caller, query.entity_id)).id];
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
          if (whole && (found.size < maxRelations || found.has(relation.id)))
            found.set(relation.id, relation);
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
    },

    ownerFor,
  };
};

export type MemoryService = ReturnType<typeof createMemoryService>;
