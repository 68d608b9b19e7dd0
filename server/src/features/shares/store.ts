import { sql } from 'kysely';
import type { Along, Db, Tx } from '../../db/db.ts';
import { listPage } from '../../db/page.ts';
import type { ConversationRow, ConversationShareRow } from '../../db/tables/chat.ts';
import type { PageRequest } from '../../kernel/pagination.ts';
import { INACTIVE, messagesById, openAnswers, pathTo, QUEUED_FROM, treeOf } from '../conversations/index.ts';

interface Owner {
  tenantId: string;
  userId: string;
}

export const createShareStore = (db: Db) => ({
  conversation: ({ tenantId, userId }: Owner, id: string): Promise<ConversationRow | undefined> =>
    db.read
      .selectFrom('conversations')
      .selectAll()
      .where('id', '=', id)
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .executeTakeFirst(),

  /** The last message of the active branch that has had its turn. */
  async leaf(conversationId: string): Promise<string | null> {
    const row = await db.read
      .selectFrom('messages')
      .select('id')
      .where('conversation_id', '=', conversationId)
      .where('active', '>', INACTIVE)
      .where('created_at', '<', QUEUED_FROM)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row?.id ?? null;
  },

  /** Ids of the messages up to one, the first of all at first; empty where it is not of the conversation. */
  path: async (conversationId: string, messageId: string): Promise<string[]> =>
    pathTo(await treeOf(db.read, conversationId), messageId),

  openAnswers: (conversationId: string) => openAnswers(db, conversationId),

  messages: (conversationId: string, ids: readonly string[]) => messagesById(db, conversationId, ids),

  /** `gone`: the conversation has been deleted meanwhile. `full`: it has so many shares that hold. */
  insert: (
    row: ConversationShareRow,
    most: number,
    note: (tx: Tx) => Promise<void>,
  ): Promise<'made' | 'gone' | 'full'> =>
    db.write(async (tx) => {
      const conversation = tx.selectFrom('conversations').select('id').where('id', '=', row.conversation_id);
      const held = db.dialect === 'sqlite' ? conversation : conversation.forUpdate();
      if ((await held.executeTakeFirst()) === undefined) return 'gone';
      const { n } = await tx
        .selectFrom('conversation_shares')
        .select((e) => e.fn.countAll<number>().as('n'))
        .where('conversation_id', '=', row.conversation_id)
        .where('expires_at', '>', row.created_at)
        .executeTakeFirstOrThrow();
      if (Number(n) >= most) return 'full';
      await tx.insertInto('conversation_shares').values(row).execute();
      await note(tx);
      return 'made';
    }),

  list: (conversationId: string, now: number, page: PageRequest) =>
    listPage(
      db.read
        .selectFrom('conversation_shares')
        .selectAll()
        .where('conversation_id', '=', conversationId)
        .where('expires_at', '>', now),
      page,
    ),

  /** False where there is none. */
  revoke: ({ tenantId, userId }: Owner, conversationId: string, id: string, note: Along): Promise<boolean> =>
    db.write(async (tx) => {
      const gone = await tx
        .deleteFrom('conversation_shares')
        .where('id', '=', id)
        .where('conversation_id', '=', conversationId)
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', userId)
        .returning('id')
        .executeTakeFirst();
      if (gone !== undefined) await note(tx);
      return gone !== undefined;
    }),

  /** The share of a secret, as long as it holds and its person and tenant are active. */
  open: (secretHash: string, now: number): Promise<ConversationShareRow | undefined> =>
    db.read
      .selectFrom('conversation_shares as s')
      .selectAll('s')
      .where('s.secret_hash', '=', secretHash)
      .where('s.expires_at', '>', now)
      .where(
        sql<boolean>`exists (select 1 from users u where u.id = s.user_id and u.tenant_id = s.tenant_id and u.status = 'active')`,
      )
      .where(sql<boolean>`exists (select 1 from tenants t where t.id = s.tenant_id and t.status = 'active')`)
      .executeTakeFirst(),

  /** Of all conversations of a person, oldest first; those that are over too. */
  ofPerson: ({ tenantId, userId }: Owner): Promise<ConversationShareRow[]> =>
    db.read
      .selectFrom('conversation_shares')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .orderBy('created_at')
      .orderBy('id')
      .execute(),

  /** How many went. */
  eraseOf: ({ tenantId, userId }: Owner): Promise<number> =>
    db.write(async (tx) => {
      const gone = await tx
        .deleteFrom('conversation_shares')
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return Number(gone.numDeletedRows);
    }),

  write: <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.write(work),

  dropExpired: (before: number): Promise<void> =>
    db.write(async (tx) => {
      await tx.deleteFrom('conversation_shares').where('expires_at', '<', before).execute();
    }),
});

export type ShareStore = ReturnType<typeof createShareStore>;
