import type { Db, Queryable } from '../../db/db.ts';
import { loadEntities } from './entity-rows.store.ts';
import { noteForgotten } from './forgotten.store.ts';
import type { EntityRecord } from './records.ts';

/** What belongs to one person: hand it out, erase it (contract, section 11). */
interface Person {
  tenantId: string;
  userId: string;
}

const CONVERSATION_KINDS = ['message', 'agent', 'untrusted'];

const count = (result: { numDeletedRows: bigint }): number => Number(result.numDeletedRows);

export const createPersonalStore = (db: Db) => ({
  /** Own entities whole, and the person's statements on shared ones. */
  async read(
    person: Person,
  ): Promise<{ own: EntityRecord[]; onShared: { entity: string; text: string; createdAt: number }[] }> {
    const rows = await db.read
      .selectFrom('memory_entities')
      .selectAll()
      .where('tenant_id', '=', person.tenantId)
      .where('owner', '=', person.userId)
      .orderBy('created_at')
      .orderBy('id')
      .execute();
    const own: EntityRecord[] = [];
    for (let from = 0; from < rows.length; from += 500)
      own.push(...(await loadEntities(db.read, rows.slice(from, from + 500))));
    const onShared = await db.read
      .selectFrom('memory_observations')
      .innerJoin('memory_entities', 'memory_entities.id', 'memory_observations.entity_id')
      .select([
        'memory_entities.name as entity',
        'memory_observations.text as text',
        'memory_observations.created_at as createdAt',
      ])
      .where('memory_observations.tenant_id', '=', person.tenantId)
      .where('memory_observations.user_id', '=', person.userId)
      .where('memory_entities.owner', '<>', person.userId)
      .orderBy('memory_observations.created_at')
      .execute();
    return { own, onShared };
  },

  /** Everything the person owns or has said, in one transaction. What they made for the tenant stays, without their name. */
  erase: (person: Person): Promise<{ entities: number; observations: number; relations: number }> =>
    db.write(async (tx) => {
      const relations = await tx
        .deleteFrom('memory_relations')
        .where('tenant_id', '=', person.tenantId)
        .where('owner', '=', person.userId)
        .executeTakeFirst();
      const observations = await tx
        .deleteFrom('memory_observations')
        .where('tenant_id', '=', person.tenantId)
        .where('user_id', '=', person.userId)
        .executeTakeFirst();
      const entities = await tx
        .deleteFrom('memory_entities')
        .where('tenant_id', '=', person.tenantId)
        .where('owner', '=', person.userId)
        .executeTakeFirst();
      await tx
        .deleteFrom('memory_forgotten')
        .where('tenant_id', '=', person.tenantId)
        .where('user_id', '=', person.userId)
        .execute();
      await tx
        .updateTable('memory_entities')
        .set({ created_by: null })
        .where('tenant_id', '=', person.tenantId)
        .where('created_by', '=', person.userId)
        .execute();
      await tx
        .updateTable('memory_relations')
        .set({ created_by: null })
        .where('tenant_id', '=', person.tenantId)
        .where('created_by', '=', person.userId)
        .execute();
      return { entities: count(entities), observations: count(observations), relations: count(relations) };
    }),

  /** Something that was learnt from the message has been forgotten or revised since: read again, it would come back. */
  async isPast(person: Person, messageId: string): Promise<boolean> {
    const forgotten = await db.read
      .selectFrom('memory_forgotten')
      .select('id')
      .where('tenant_id', '=', person.tenantId)
      .where('user_id', '=', person.userId)
      .where('message_id', '=', messageId)
      .executeTakeFirst();
    if (forgotten !== undefined) return true;
    const ended = await db.read
      .selectFrom('memory_observations')
      .select('id')
      .where('tenant_id', '=', person.tenantId)
      .where('user_id', '=', person.userId)
      .where('message_id', '=', messageId)
      .where('valid_to', 'is not', null)
      .executeTakeFirst();
    return ended !== undefined;
  },

  /** What was learnt of and from the person in conversations; what they or a client entered stays. */
  forgetConversations: (person: Person, nowMs: number): Promise<void> =>
    db.write(async (tx) => {
      const said = await tx
        .selectFrom('memory_observations')
        .select(['tenant_id', 'user_id', 'message_id'])
        .where('tenant_id', '=', person.tenantId)
        .where('user_id', '=', person.userId)
        .execute();
      await noteForgotten(tx, said, nowMs);
      await forgetSelf(tx, person);
      await tx
        .deleteFrom('memory_relations')
        .where('tenant_id', '=', person.tenantId)
        .where('owner', '=', person.userId)
        .where('source_kind', 'in', CONVERSATION_KINDS)
        .execute();
      await tx
        .deleteFrom('memory_observations')
        .where('tenant_id', '=', person.tenantId)
        .where('user_id', '=', person.userId)
        .where('source_kind', 'in', CONVERSATION_KINDS)
        .where('entity_id', 'in', (eb) =>
          eb.selectFrom('memory_entities').select('id').where('owner', '=', person.userId),
        )
        .execute();
      await tx
        .deleteFrom('memory_entities')
        .where('tenant_id', '=', person.tenantId)
        .where('owner', '=', person.userId)
        .where('source_kind', 'in', CONVERSATION_KINDS)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('memory_observations')
                .select('memory_observations.id')
                .whereRef('memory_observations.entity_id', '=', 'memory_entities.id'),
            ),
          ),
        )
        .execute();
    }),
});

export type PersonalStore = ReturnType<typeof createPersonalStore>;

const forgetSelf = async (tx: Queryable, person: Person): Promise<void> => {
  await tx
    .deleteFrom('memory_entities')
    .where('tenant_id', '=', person.tenantId)
    .where('subject_user_id', '=', person.userId)
    .execute();
};
