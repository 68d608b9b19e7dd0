import type { Db } from '../../db/db.ts';
import type { FeedbackRow } from '../../db/tables/chat.ts';
import { dropKeysOf } from '../../http/idempotency.store.ts';
import { dropGrams } from './grams.store.ts';

/** What a person has said of answers, and the end of all that is kept of their conversations. */
export const createPersonStore = (db: Db) => ({
  saveFeedback: (row: FeedbackRow) =>
    db.write(async (tx) => {
      await tx
        .insertInto('message_feedback')
        .values(row)
        .onConflict((c) =>
          c
            .columns(['message_id', 'user_id'])
            .doUpdateSet({ rating: row.rating, comment: row.comment, created_at: row.created_at }),
        )
        .execute();
    }),

  idsOf: async (tenantId: string, userId: string): Promise<string[]> => {
    const rows = await db.read
      .selectFrom('conversations')
      .select('id')
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .execute();
    return rows.map((row) => row.id);
  },

  /** What a person said of answers, oldest first. */
  feedbackOf: (tenantId: string, userId: string) =>
    db.read
      .selectFrom('message_feedback as f')
      .innerJoin('messages as m', 'm.id', 'f.message_id')
      .select(['m.conversation_id', 'f.message_id', 'f.rating', 'f.comment', 'f.created_at'])
      .where('f.tenant_id', '=', tenantId)
      .where('f.user_id', '=', userId)
      .orderBy('f.created_at')
      .orderBy('f.message_id')
      .execute(),

  /** Erases all of a person's conversations with everything in them; how many there were. */
  eraseOf: (tenantId: string, userId: string) =>
    db.write(async (tx) => {
      const ids = tx
        .selectFrom('conversations')
        .select('id')
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', userId);
      await tx
        .deleteFrom('message_feedback')
        .where((w) =>
          w.or([
            w('user_id', '=', userId),
            w('message_id', 'in', tx.selectFrom('messages').select('id').where('conversation_id', 'in', ids)),
          ]),
        )
        .execute();
      await dropKeysOf(tx, userId);
      await tx.deleteFrom('messages').where('conversation_id', 'in', ids).execute();
      await tx.deleteFrom('runs').where('conversation_id', 'in', ids).execute();
      const gone = await tx
        .deleteFrom('conversations')
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      await dropGrams(tx, { tenantId, userId }, '');
      return Number(gone.numDeletedRows);
    }),
});
