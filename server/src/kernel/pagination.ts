import { AppError, invalid } from './errors.ts';

/** What a store needs to answer one page of a newest-first list. */
export interface PageRequest {
  page: number;
  limit: number;
  /** Position after which to go on; set instead of `page`. */
  after: CursorPosition | null;
}

/** The last row of the page before: creation time (epoch ms) and id, the order of every list. */
export interface CursorPosition {
  createdAt: number;
  id: string;
}

export interface PageResult<T> {
  items: T[];
  page: number;
  limit: number;
  total: number;
  has_more: boolean;
  next_cursor: string | null;
}

const encode = (position: CursorPosition): string =>
  btoa(`${position.createdAt}:${position.id}`).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

const decode = (cursor: string): CursorPosition => {
  try {
    const text = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'));
    const match = /^(\d{1,15}):([\w-]{1,64})$/.exec(text);
    if (match?.[1] && match[2]) return { createdAt: Number(match[1]), id: match[2] };
  } catch (error) {
    if (error instanceof AppError) throw error;
  }
  throw invalid({ field: '/cursor', reason: 'is not a cursor of this list' });
};

export const pageRequest = (query: {
  page?: number | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}): PageRequest => {
  if (query.cursor !== undefined && query.page !== undefined) {
    throw invalid({ field: '/cursor', reason: 'cannot be given together with page' });
  }
  return {
    page: query.page ?? 1,
    limit: query.limit ?? 20,
    after: query.cursor === undefined ? null : decode(query.cursor),
  };
};

/** A page of a list that is in memory as a whole; the cursor is the place in the list. */
export const pageOfAll = <T>(all: readonly T[], request: PageRequest): PageResult<T> => {
  const start = request.after === null ? (request.page - 1) * request.limit : request.after.createdAt + 1;
  const rows = all.slice(start, start + request.limit + 1).map((item, i) => ({ item, place: start + i }));
  const page = pageResult(request, rows, all.length, (row) => ({ createdAt: row.place, id: 'place' }));
  return { ...page, items: page.items.map((row) => row.item) };
};

/**
 * Builds the envelope from up to `limit + 1` rows (one more than asked tells whether there is more).
 * `position` gives the place of a row in the order.
 */
export const pageResult = <T>(
  request: PageRequest,
  rows: readonly T[],
  total: number,
  position: (row: T) => CursorPosition,
): PageResult<T> => {
  const items = rows.slice(0, request.limit);
  const last = items.at(-1);
  const hasMore = rows.length > request.limit;
  return {
    items,
    page: request.page,
    limit: request.limit,
    total,
    has_more: hasMore,
    next_cursor: hasMore && last !== undefined ? encode(position(last)) : null,
  };
};
