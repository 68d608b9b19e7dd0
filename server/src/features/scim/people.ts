import type { Tx } from '../../db/db.ts';
import { isTaken } from '../../db/faults.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Asker } from './accounts.ts';
import type { Parts } from './answers.ts';
import { type Resource, USER } from './attributes.ts';
import { etagOf, isVersion } from './comparing.ts';
import { createNewPerson, type NewPersonOptions, nameTaken } from './new-person.ts';
import { operationsOf, patched } from './patch.ts';
import { createPersonReads } from './person-reads.ts';
import { personColumns, storedResource, wantedOf } from './person-rows.ts';
import { changedMeanwhile } from './refusals.ts';
import { resourceOf } from './values.ts';

interface ScimPeopleOptions extends NewPersonOptions {
  base(): string;
}

/** `/Users`. */
export const createScimPeople = (options: ScimPeopleOptions) => {
  const { store, clock, accounts } = options;
  const reads = createPersonReads(options);
  const add = createNewPerson(options);

  const held = async (tx: Tx, tenantId: string, id: string, ifMatch: string | undefined) => {
    const row = await store.person(tx, tenantId, id);
    if (row === undefined) throw notFound('user');
    if (ifMatch !== undefined) {
      const off = (await store.statusOf(tx, row.user_id)) === 'deactivated';
      if (!isVersion(ifMatch, etagOf(row.version, off))) throw changedMeanwhile();
    }
    return row;
  };

  const change = async (
    asker: Asker,
    id: string,
    ifMatch: string | undefined,
    next: (before: Resource) => Resource,
  ): Promise<void> => {
    const { tenantId } = asker.caller;
    const done = await store.write(async (tx) => {
      const before = await held(tx, tenantId, id, ifMatch);
      const resource = next(storedResource(before, before.active === 1));
      const columns = personColumns(resource);
      const same = Object.entries(columns).every(
        ([name, value]) => Object.entries(before).find(([key]) => key === name)?.[1] === value,
      );
      const person = same
        ? before
        : { ...before, ...columns, version: before.version + 1, updated_at: clock.now() };
      if (!same)
        await store.updatePerson(tx, person).catch((error: unknown) => {
          throw isTaken(error) ? nameTaken() : error;
        });
      return accounts.follow(tx, asker, { person, wanted: wantedOf(resource), was: before });
    });
    await accounts.settle([done]);
  };

  return {
    ...reads,

    async create({ caller, requestId }: Asker, body: Resource, parts: Parts): Promise<Resource> {
      const resource = resourceOf(USER, body);
      const { person, done } = await store.write((tx) => add(tx, { caller, requestId }, resource));
      await accounts.settle(done);
      return reads.get(caller.tenantId, person.id, parts);
    },

    async replace(asker: Asker, id: string, body: Resource, how: Parts & { ifMatch?: string | undefined }) {
      const resource = resourceOf(USER, body);
      await change(asker, id, how.ifMatch, (before) =>
        // What says nothing of `active` switches nobody on or off.
        resource.active === undefined ? { ...resource, active: before.active } : resource,
      );
      return reads.get(asker.caller.tenantId, id, how);
    },

    async patch(asker: Asker, id: string, body: Resource, how: Parts & { ifMatch?: string | undefined }) {
      const operations = operationsOf(body);
      await change(asker, id, how.ifMatch, (before) => patched(USER, before, operations));
      return reads.get(asker.caller.tenantId, id, how);
    },

    async remove(asker: Asker, id: string, ifMatch: string | undefined): Promise<void> {
      const { tenantId } = asker.caller;
      const done = await store.write(async (tx) => {
        const person = await held(tx, tenantId, id, ifMatch);
        await store.deletePerson(tx, tenantId, id);
        return accounts.leave(tx, asker, person);
      });
      await accounts.settle([done]);
    },
  };
};

export type ScimPeople = ReturnType<typeof createScimPeople>;
