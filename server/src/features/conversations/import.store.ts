import type { Db } from '../../db/db.ts';
import type { ConversationImportRow, ConversationRow, MessageRow } from '../../db/tables/chat.ts';

export interface NewImport {
  conversation: ConversationRow;
  messages: MessageRow[];
  mark: ConversationImportRow;
}

/** PostgreSQL takes 65,535 parameters in a statement. */
const ROWS = 500;

export const createImportStore = (db: Db) => ({
  /** Stores those that the person has not imported before, all or none of them; their ids. */
  take: (batch: readonly NewImport[]): Promise<string[]> =>
    db.write(async (tx) => {
      const taken: string[] = [];
      for (const { conversation, messages, mark } of batch) {
        const known = await tx
          .selectFrom('conversation_imports')
          .select('conversation_id')
          .where('tenant_id', '=', mark.tenant_id)
          .where('user_id', '=', mark.user_id)
          .where('source', '=', mark.source)
          .where('source_id', '=', mark.source_id)
          .executeTakeFirst();
        if (known !== undefined) continue;
        await tx.insertInto('conversations').values(conversation).execute();
        const marked = await tx
          .insertInto('conversation_imports')
          .values(mark)
          .onConflict((conflict) => conflict.doNothing())
          .returning('conversation_id')
          .executeTakeFirst();
        if (marked === undefined) {
          // Another import of the same person was faster.
          await tx.deleteFrom('conversations').where('id', '=', conversation.id).execute();
          continue;
        }
        for (let at = 0; at < messages.length; at += ROWS) {
          await tx
            .insertInto('messages')
            .values(messages.slice(at, at + ROWS))
            .execute();
        }
        taken.push(conversation.id);
      }
      return taken;
    }),
});

export type ImportStore = ReturnType<typeof createImportStore>;
