import { foldName } from 'pentarch-prose';
import type { Along } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { notFound } from '../../kernel/errors.ts';
import { apiSource } from './api-source.ts';
import type { EntityStore } from './entities.store.ts';
import { observationOf } from './observation.ts';
import type { RecordAccess } from './record-access.ts';
import { entityView } from './records.ts';
import type { EntityView } from './schema.ts';

type ObservationInput = string | { text: string };

const textsOf = (inputs: readonly ObservationInput[]): string[] =>
  inputs.map((input) => (typeof input === 'string' ? input : input.text));

export interface ObservationServiceOptions {
  entities: EntityStore;
  clock: Clock;
  access: Pick<RecordAccess, 'readEntity' | 'changeable'>;
}

/** Statements about an entity. */
export const createObservationService = ({ entities, clock, access }: ObservationServiceOptions) => {
  const { readEntity, changeable } = access;

  const view = async (caller: Caller, id: string): Promise<EntityView> =>
    entityView(await readEntity(caller, id), clock.now());

  return {
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
  };
};
