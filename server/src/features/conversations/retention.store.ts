import type { Queryable } from '../../db/db.ts';

/**
 * Conversations archived before `before`, with messages, runs and feedback (they go with it by their foreign keys); at most
 * `limit`. The tenants whose they were, once for each.
 */
export const dropArchivedBefore = async (tx: Queryable, before: number, limit: number): Promise<string[]> => {
  const rows = await tx
    .selectFrom('conversations')
    .select(['id', 'tenant_id'])
    .where('archived_at', '<', before)
    .where('status', '=', 'archived')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('runs')
            .select('runs.id')
            .whereRef('runs.conversation_id', '=', 'conversations.id')
            .where('runs.finished_at', 'is', null),
        ),
      ),
    )
    .limit(limit)
    .execute();
  if (rows.length === 0) return [];
  await tx
    .deleteFrom('conversations')
    .where(
      'id',
      'in',
      rows.map((row) => row.id),
    )
    .execute();
  return rows.map((row) => row.tenant_id);
};
