import type { Queryable } from '../../db/db.ts';
import { gramsOf } from './grams.store.ts';

/**
 * At most `limit` conversations with nothing done in them since `before`, none of whose runs goes on, with messages, runs, shares and
 * feedback (they go with them by their foreign keys). The tenants whose they were, once for each.
 */
const dropBefore = async (
  tx: Queryable,
  { status, since }: { status: 'archived' | 'unlisted'; since: 'archived_at' | 'updated_at' },
  before: number,
  limit: number,
): Promise<string[]> => {
  const rows = await tx
    .selectFrom('conversations')
    .select(['id', 'tenant_id'])
    .where(since, '<', before)
    .where('status', '=', status)
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
  const ids = rows.map((row) => row.id);
  const dropThem = await gramsOf(tx, ids);
  await tx.deleteFrom('conversations').where('id', 'in', ids).execute();
  await dropThem(tx);
  return rows.map((row) => row.tenant_id);
};

export const dropArchivedBefore = (tx: Queryable, before: number, limit: number): Promise<string[]> =>
  dropBefore(tx, { status: 'archived', since: 'archived_at' }, before, limit);

/** Those of calls that asked for no place in the list. */
export const dropUnlistedBefore = (tx: Queryable, before: number, limit: number): Promise<string[]> =>
  dropBefore(tx, { status: 'unlisted', since: 'updated_at' }, before, limit);
