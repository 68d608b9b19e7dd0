import type { Along } from '../../db/db.ts';
import { type Caller, readScope } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { forbidden, invalid, notFound } from '../../kernel/errors.ts';
import { type PageRequest, pageResult } from '../../kernel/pagination.ts';
import { mayChangeRecord, mayShare, ownerOfEnds, SHARE_PERMISSION } from './access.rules.ts';
import { apiSource, timeOf } from './api-source.ts';
import { ownerFor, type RecordAccess } from './record-access.ts';
import { relationView } from './records.ts';
import type { RelationStore } from './relations.store.ts';
import type { RelationView, Visibility } from './schema.ts';

export interface RelationServiceOptions {
  relations: RelationStore;
  clock: Clock;
  access: Pick<RecordAccess, 'readEntity' | 'readRelation' | 'changeableRelation'>;
}

/** Relations between entities. */
export const createRelationService = ({ relations, clock, access }: RelationServiceOptions) => {
  const { readEntity, readRelation, changeableRelation } = access;

  return {
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
  };
};
