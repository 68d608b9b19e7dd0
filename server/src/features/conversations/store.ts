import type { Along, Db, Tx } from '../../db/db.ts';
import type { ConversationRow, PictureRow } from '../../db/tables/chat.ts';
import type { Scope } from '../../kernel/caller.ts';
import { picturesOf } from './attachments.rules.ts';
import type { forkOf } from './fork.rules.ts';
import type { GramSearch } from './gram-search.ts';
import { gramsOf } from './grams.store.ts';
import { createMessageReads } from './messages.store.ts';
import { createConversationPages } from './pages.store.ts';
import { createPersonStore } from './person.store.ts';
import { copyPictures, picturesIn, readPictures } from './pictures.store.ts';
import { within } from './scope.store.ts';
import { pickBranch } from './tree.store.ts';

const ROWS_AT_ONCE = 500;

export const createConversationStore = (db: Db, search: Omit<GramSearch, 'close'> | null = null) => ({
  insert: (row: ConversationRow) =>
    db.write(async (tx) => {
      await tx.insertInto('conversations').values(row).execute();
    }),

  find: (scope: Scope, id: string): Promise<ConversationRow | undefined> =>
    within(db.read, scope).selectAll().where('id', '=', id).executeTakeFirst(),
  ...createConversationPages(db, search),
  ...createMessageReads(db),
  ...createPersonStore(db),

  /** Sets fields of a conversation within the scope; undefined where it is not there. `first` is for a conversation known to be. */
  update: (
    scope: Scope,
    id: string,
    values: Partial<ConversationRow>,
    along: { first?: Along | undefined; note?: Along | undefined } = {},
  ): Promise<ConversationRow | undefined> =>
    db.write(async (tx) => {
      await along.first?.(tx);
      let query = tx
        .updateTable('conversations')
        .set(values)
        .where('id', '=', id)
        .where('tenant_id', '=', scope.tenantId);
      if (scope.reach === 'own') query = query.where('user_id', '=', scope.userId);
      const row = await query.returningAll().executeTakeFirst();
      if (row !== undefined) await along.note?.(tx);
      return row;
    }),

  folders: async (scope: Scope, status: string | undefined): Promise<{ name: string; count: number }[]> => {
    let query = within(db.read, scope).where('folder', 'is not', null);
    query =
      status === undefined ? query.where('status', '<>', 'unlisted') : query.where('status', '=', status);
    const rows = await query
      .select((e) => ['folder', e.fn.countAll<number>().as('n')])
      .groupBy('folder')
      .execute();
    // By code point, whatever order the engine has.
    return rows
      .map(({ folder, n }) => ({ name: folder ?? '', count: Number(n) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  },

  /** How many conversations it was of. */
  renameFolder: (
    { tenantId, userId }: Scope,
    { name, to }: { name: string; to: string | null },
    now: number,
  ): Promise<number> =>
    db.write(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('conversations')
        .set({ folder: to, updated_at: now })
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', userId)
        .where('folder', '=', name)
        .executeTakeFirst();
      return Number(numUpdatedRows);
    }),

  /**
   * Deletes those of these that are within the scope and have no run that goes on, waits or is asked about, with all that is
   * in them; `note` is written for each. `busy`: those that have one.
   */
  deleteForGood: (
    scope: Scope,
    ids: readonly string[],
    note: (tx: Tx, id: string) => Promise<void>,
  ): Promise<{ deleted: string[]; busy: string[] }> =>
    db.write(async (tx) => {
      let query = tx
        .selectFrom('conversations')
        .select('id')
        .where('id', 'in', ids)
        .where('tenant_id', '=', scope.tenantId);
      if (scope.reach === 'own') query = query.where('user_id', '=', scope.userId);
      // Locked in one order, so that no run begins in them, and two of these do not wait for each other.
      const held = db.dialect === 'sqlite' ? query : query.orderBy('id').forUpdate();
      const found = (await held.execute()).map((row) => row.id);
      if (found.length === 0) return { deleted: [], busy: [] };
      const open = await tx
        .selectFrom('runs')
        .select('conversation_id')
        .where('conversation_id', 'in', found)
        .where('finished_at', 'is', null)
        .execute();
      const busy = new Set(open.map((row) => row.conversation_id));
      const deleted = found.filter((id) => !busy.has(id));
      // Messages, runs with their steps and the answers kept of them, feedback, summaries and marks of imports go with it by their foreign keys.
      if (deleted.length > 0) {
        const dropThem = await gramsOf(tx, deleted);
        await tx.deleteFrom('conversations').where('id', 'in', deleted).execute();
        await dropThem(tx);
      }
      for (const id of deleted) await note(tx, id);
      return { deleted, busy: [...busy] };
    }),

  /** For an update: makes the branch through a message the active one, down to its newest leaf. */
  picking:
    (conversationId: string, messageId: string): Along =>
    (tx) =>
      pickBranch(tx, db.dialect, conversationId, messageId),

  /** A conversation with messages of another one. */
  insertFork: ({ from, conversation, messages }: { from: string } & ReturnType<typeof forkOf>, note: Along) =>
    db.write(async (tx) => {
      await tx.insertInto('conversations').values(conversation).execute();
      for (let at = 0; at < messages.length; at += ROWS_AT_ONCE)
        await tx
          .insertInto('messages')
          .values(messages.slice(at, at + ROWS_AT_ONCE))
          .execute();
      const pictures = new Set(messages.flatMap(picturesOf).map(({ id }) => id));
      await copyPictures(tx, from, conversation.id, [...pictures]);
      await note(tx);
    }),

  async picture(conversationId: string, id: string): Promise<PictureRow | undefined> {
    const [found] = await readPictures(db.read, conversationId, [id]);
    return found;
  },

  picturesIn: (conversationId: string) => picturesIn(db.read, conversationId),
});

export type ConversationStore = ReturnType<typeof createConversationStore>;
