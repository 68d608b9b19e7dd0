import { sql } from 'kysely';
import type { SchemaStep } from '../migrate.ts';

/** Rows that carry both a tenant and a reference to a row with a tenant: column, and table referred to. */
const LINKS: readonly (readonly [table: string, column: string, parent: string])[] = [
  ['api_keys', 'user_id', 'users'],
  ['machine_keys', 'user_id', 'users'],
  ['sessions', 'user_id', 'users'],
  ['messages', 'conversation_id', 'conversations'],
  ['runs', 'conversation_id', 'conversations'],
  ['conversation_imports', 'conversation_id', 'conversations'],
  ['message_feedback', 'message_id', 'messages'],
  ['memory_observations', 'entity_id', 'memory_entities'],
  ['memory_relations', 'from_entity_id', 'memory_entities'],
  ['memory_relations', 'to_entity_id', 'memory_entities'],
  ['task_runs', 'task_id', 'tasks'],
  ['webhook_deliveries', 'webhook_id', 'webhooks'],
];

const said = (table: string, column: string): string => `${table}.${column} names a row of another tenant`;

/**
 * What a foreign key over (tenant, id) would hold: a reference stays within its tenant, whatever code writes it. As triggers, since
 * SQLite takes such a key only with the table built anew, and PostgreSQL only with one more index on each table referred to.
 * `chunks` has none: a million rows of one document import would each pay for it.
 */
export const sameTenant: SchemaStep = {
  name: '067-same-tenant',
  async up(db, t) {
    for (const [table, column, parent] of LINKS) {
      const name = `${table}_${column}_tenant`;
      const other = `exists (select 1 from ${parent} as p where p.id = new.${column} and p.tenant_id <> new.tenant_id)`;
      if (t.dialect === 'sqlite') {
        for (const [event, suffix] of [
          ['insert', ''],
          [`update of ${column}`, '_changed'],
        ] as const) {
          await sql
            .raw(
              `create trigger ${name}${suffix} before ${event} on ${table} when ${other}
               begin select raise(abort, '${said(table, column)}'); end`,
            )
            .execute(db);
        }
        continue;
      }
      // After, so that a row that is gone is still the foreign key's fault. The other way round, since row-level security hides rows of others from a bound connection.
      await sql
        .raw(
          `create function ${name}() returns trigger language plpgsql as
           $$ begin
             if not exists (select 1 from ${parent} as p where p.id = new.${column} and p.tenant_id = new.tenant_id)
               then raise exception '${said(table, column)}' using errcode = 'foreign_key_violation'; end if;
             return new;
           end $$`,
        )
        .execute(db);
      await sql
        .raw(
          `create trigger ${name} after insert or update of ${column} on ${table} for each row execute function ${name}()`,
        )
        .execute(db);
    }
  },
};
