import { useInfiniteQuery } from '@tanstack/react-query';
import type { Page } from 'pentarch-sdk';

/**
 * A list of the API, page by page over its cursor, in the form that DataTable takes.
 *
 * const rows = useCursorList(['knowledge', 'documents', filter], (cursor, signal) =>
 *   api.knowledge.listDocuments({ ...filter, limit: 50, cursor }, { signal }));
 */
export const useCursorList = <T>(
  queryKey: readonly unknown[],
  read: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<T>>,
) => {
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });
  const pages = query.data?.pages;
  return {
    data: pages?.flatMap((page) => page.items),
    error: query.error,
    /** Further rows could not be read; those so far stand. */
    moreFailed: query.isFetchNextPageError,
    total: pages?.[0]?.total,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  };
};
