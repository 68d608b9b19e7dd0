import { notifyManager, type Query, useQueryClient } from '@tanstack/react-query';
import { NotFoundError } from 'pentarch-sdk';
import { useCallback, useSyncExternalStore } from 'react';
import { isSignedOut, isUnanswered } from './errors.ts';

/** What of the page that is shown could not be read, though the rest of it stands. */
export interface FailedReads {
  /** Names of what is missing, each once. */
  readonly missing: readonly string[];
  /** Something is shown as it was read before, and could not be read anew. */
  readonly isOld: boolean;
  readonly error: unknown;
  readonly isReading: boolean;
  readonly retry: () => void;
}

/** The next rows of a list: the list itself says that they did not come. */
const isOfMore = (query: Query): boolean => {
  const meta: unknown = query.state.fetchMeta;
  return typeof meta === 'object' && meta !== null && 'fetchMore' in meta && Boolean(meta.fetchMore);
};

/**
 * A read that has failed while it is on the page, and of which the page itself says nothing: one that is not the page's
 * main matter (its `meta` names it), or one that was read before. Of those, a lost connection has its own line.
 */
const isUntold = (query: Query): boolean => {
  const { error, data } = query.state;
  if (error === null || !query.isActive() || isOfMore(query)) return false;
  if (error instanceof NotFoundError || isSignedOut(error)) return false;
  return data === undefined ? query.meta?.what !== undefined : !isUnanswered(error);
};

export const useFailedReads = (): FailedReads | null => {
  const queryClient = useQueryClient();
  const cache = queryClient.getQueryCache();
  const subscribe = useCallback(
    (listener: () => void) => cache.subscribe(notifyManager.batchCalls(listener)),
    [cache],
  );
  // Text, since what is compared must be the same as long as nothing changes.
  const state = useSyncExternalStore(subscribe, () =>
    cache
      .findAll({ predicate: isUntold })
      .map((query) => `${query.queryHash} ${query.state.fetchStatus} ${query.state.errorUpdateCount}`)
      .join('\n'),
  );
  if (state === '') return null;
  const failed = cache.findAll({ predicate: isUntold });
  const without = failed.filter((query) => query.state.data === undefined);
  return {
    missing: [...new Set(without.flatMap((query) => query.meta?.what ?? []))],
    isOld: failed.length > without.length,
    error: failed[0]?.state.error,
    isReading: failed.some((query) => query.state.fetchStatus === 'fetching'),
    retry: () => void queryClient.refetchQueries({ predicate: isUntold }),
  };
};
