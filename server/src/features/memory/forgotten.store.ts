import type { Queryable } from '../../db/db.ts';
import { newId } from '../../kernel/ids.ts';

/** Of which message somebody has had a statement removed: what it says shall not come back from it. */
interface SaidIn {
  tenant_id: string;
  user_id: string;
  message_id: string | null;
}

const ROWS_PER_STATEMENT = 500;

export const noteForgotten = async (tx: Queryable, said: readonly SaidIn[], nowMs: number): Promise<void> => {
  const byMessage = new Map(
    said.flatMap(({ tenant_id, user_id, message_id }) =>
      message_id === null
        ? []
        : [
            [
              JSON.stringify([user_id, message_id]),
              { id: newId(), tenant_id, user_id, message_id, created_at: nowMs },
            ] as const,
          ],
    ),
  );
  const rows = [...byMessage.values()];
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT)
    await tx
      .insertInto('memory_forgotten')
      .values(rows.slice(from, from + ROWS_PER_STATEMENT))
      .onConflict((c) => c.doNothing())
      .execute();
};
