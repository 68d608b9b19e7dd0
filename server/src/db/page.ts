import { type SelectQueryBuilder, sql } from 'kysely';
import type { CursorPosition, PageRequest } from '../kernel/pagination.ts';

/** The order of every list: by creation, then by id, so that a cursor is a place even where many rows share an instant. */

/** Rows behind a cursor: older ones (`<`) of a list that is newest first, newer ones (`>`) of one that is oldest first. */
const beyond = ({ createdAt, id }: CursorPosition, side: '<' | '>') =>
  sql<boolean>`(created_at, id) ${sql.raw(side)} (${createdAt}, ${id})`;

interface Count {
  /** Text on PostgreSQL. */
  total: number | string;
}

/** How many rows a query has. */
const countOf = async <DB, TB extends keyof DB, O>(query: SelectQueryBuilder<DB, TB, O>): Promise<number> => {
  const counting = query.clearSelect().select(sql`count(*)`.as('total')).$castTo<Count>();
  const [row] = await counting.execute();
  return Number(row?.total ?? 0);
};

/** One page of a query on one table: up to `limit + 1` rows for `pageResult`, and the number of all. */
export const listPage = async <DB, TB extends keyof DB, O>(
  query: SelectQueryBuilder<DB, TB, O>,
  page: PageRequest,
  order: 'asc' | 'desc' = 'desc',
): Promise<{ rows: O[]; total: number }> => {
  const ordered = query
    .orderBy(sql`created_at`, order)
    .orderBy(sql`id`, order)
    .limit(page.limit + 1);
  const rows =
    page.after === null
      ? ordered.offset((page.page - 1) * page.limit)
      : ordered.where(beyond(page.after, order === 'desc' ? '<' : '>'));
  const [found, total] = await Promise.all([rows.execute(), countOf(query)]);
  return { rows: found, total };
};
