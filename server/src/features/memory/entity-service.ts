import { foldName } from 'pentarch-prose';
import type { Along } from '../../db/db.ts';
import { type Caller, readScope } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { forbidden, invalid, notFound } from '../../kernel/errors.ts';
import { type PageRequest, pageResult } from '../../kernel/pagination.ts';
import { mayShare, SHARE_PERMISSION } from './access.rules.ts';
import { apiSource } from './api-source.ts';
import type { EntityStore } from './entities.store.ts';
import { observationOf } from './observation.ts';
import { ownerFor, type RecordAccess } from './record-access.ts';
import { entityView, type NewObservation } from './records.ts';
import { SHARED } from './rules.ts';
import type { EntityView, Visibility } from './schema.ts';

type ObservationInput = string | { text: string };

const textsOf = (inputs: readonly ObservationInput[]): string[] =>
  inputs.map((input) => (typeof input === 'string' ? input : input.text));

export interface EntityServiceOptions {
  entities: EntityStore;
  clock: Clock;
  access: Pick<RecordAccess, 'readEntity' | 'changeable'>;
}

/** Entities of the graph. */
export const createEntityService = ({ entities, clock, access }: EntityServiceOptions) => {
  const { readEntity, changeable } = access;

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
      if (!(await entities.remove(entity.id, clock.now(), note))) throw notFound('entity');
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
      await entities.merge(kept, other, {
        alias,
        source: { ...apiSource(caller), kind: 'merge' },
        nowMs: clock.now(),
        note,
      });
      return view(caller, id);
    },
  };
};
