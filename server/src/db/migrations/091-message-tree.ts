import { sql } from 'kysely';
import { chainMessages, UNPLACED_FROM } from '../message-chain.ts';
import type { SchemaStep } from '../migrate.ts';

/** A row that a node of the release before writes, or places, follows the message before it. */
const LINK = `
create function messages_link() returns trigger language plpgsql as $$ begin
  if new.created_at >= ${UNPLACED_FROM} then return new; end if;
  select m.id into new.parent_id from messages as m
    where m.conversation_id = new.conversation_id and m.active > 0 and m.id <> new.id
      and m.created_at < ${UNPLACED_FROM} and (m.created_at, m.id) < (new.created_at, new.id)
    order by m.created_at desc, m.id desc limit 1;
  new.active := 1;
  return new;
end $$;
create trigger messages_link_new before insert on messages
  for each row when (new.active = 2) execute function messages_link();
create trigger messages_link_placed before update of created_at on messages
  for each row when (new.active = 2) execute function messages_link()`;

/**
 * Messages as a tree. `active`: 1 in the branch that is shown and goes to the model, 0 in another one, 2 in it and not linked yet
 * (it waits for its turn). What stands there already becomes a chain. The index has all that the tree is read from.
 */
export const messageTree: SchemaStep = {
  name: '091-message-tree',
  async up(db, t) {
    await db.schema.alterTable('messages').addColumn('parent_id', 'text').execute();
    await db.schema
      .alterTable('messages')
      .addColumn('active', t.int, (c) => c.notNull().defaultTo(2))
      .execute();
    await db.schema
      .alterTable('conversations')
      .addColumn('branched', t.int, (c) => c.notNull().defaultTo(0))
      .execute();
    await sql.raw(chainMessages('1 = 1')).execute(db);
    await db.schema.dropIndex('messages_by_conversation').execute();
    await db.schema
      .createIndex('messages_by_branch')
      .on('messages')
      .columns(['conversation_id', 'created_at', 'id', 'active', 'parent_id'])
      .execute();
    if (t.dialect === 'postgres') await sql.raw(LINK).execute(db);
  },
};
