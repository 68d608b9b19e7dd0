import { MutationCache, QueryCache, QueryClient, type QueryKey } from '@tanstack/react-query';
import { isSignedOut, mayRetryQuery } from './errors.ts';

declare module '@tanstack/react-query' {
  interface Register {
    /**
     * `what`: how a read is called that is only part of its page ("the names of the agents"), so that the line above the
     * page can say what is missing (app/partial-banner.tsx). A read that the page is about has none: the page shows its error.
     */
    queryMeta: { what?: string };
  }
}

/**
 * One cache for all reads. Keys begin with the feature's id: `['agents', 'list']`. Calls are made whatever the browser says
 * of its network: one that fails says so at once, and what could not be read is read when the server answers again.
 */
export const newQueryClient = (
  signedOut: (error: unknown) => void,
  failed: (error: unknown) => void,
): QueryClient => {
  const onError = (error: unknown): void => {
    if (isSignedOut(error)) signedOut(error);
    else failed(error);
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        retry: mayRetryQuery,
        refetchOnWindowFocus: true,
        // By the connection's own word (app.tsx), which knows more than the browser.
        refetchOnReconnect: false,
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
};

const readNow = (queryClient: QueryClient, queryKey: QueryKey): void => {
  const first = queryClient
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: 'fetching', predicate: ({ state }) => state.data === undefined });
  void queryClient.invalidateQueries({ queryKey });
  for (const query of first) {
    query.promise?.then(
      () => queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true }),
      () => undefined,
    );
  }
};

/** Events of one answer come within some milliseconds: they are one reason to read, not five. */
const TOGETHER_MS = 200;
const waiting = new WeakMap<QueryClient, Set<string>>();

/**
 * Something happened at the server: what is read of it is read anew, a moment later and once for all that happens until then.
 * A first read that is under way may be from before, and is not begun again by an invalidation; so it is followed by another one.
 */
export const readAnew = (queryClient: QueryClient, queryKey: QueryKey): void => {
  const due = waiting.get(queryClient) ?? new Set<string>();
  waiting.set(queryClient, due);
  const key = JSON.stringify(queryKey);
  if (due.has(key)) return;
  due.add(key);
  setTimeout(() => {
    due.delete(key);
    readNow(queryClient, queryKey);
  }, TOGETHER_MS);
};
