import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isSignedOut, mayRetryQuery } from './errors.ts';

/** One cache for all reads. Keys begin with the feature's id: `['agents', 'list']`. */
export const newQueryClient = (signedOut: () => void): QueryClient => {
  const onError = (error: unknown): void => {
    if (isSignedOut(error)) signedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: { staleTime: 15_000, retry: mayRetryQuery, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
};
