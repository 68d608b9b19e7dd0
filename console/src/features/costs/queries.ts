import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import type { CostLimits, CostUsage, GetCostUsageQuery, SetCostLimitsRequest } from 'pentarch-sdk';
import { useState } from 'react';
import { useApi } from '../../lib/api.ts';
import { saveFile } from '../../lib/text.ts';

/** Reads and writes of this feature; pages hold no calls of their own. */

const EVERY_MS = 30_000;

/** Nothing is asked while a period of one's own has no beginning or end. */
export const useUsage = (query: GetCostUsageQuery) => {
  const api = useApi();
  return useQuery({
    queryKey: ['costs', 'usage', query],
    queryFn: ({ signal }) => api.costs.getUsage(query, { signal }),
    enabled: query.period !== 'custom' || (query.from !== undefined && query.to !== undefined),
    placeholderData: keepPreviousData,
    refetchInterval: EVERY_MS,
  });
};

/** People beyond the first page that stands in the figures, read when somebody asks for them. */
export const useFurtherUsers = (query: GetCostUsageQuery, usage: CostUsage) => {
  const api = useApi();
  const first = usage.by_user ?? [];
  const total = usage.users_total ?? first.length;
  const [wanted, setWanted] = useState(false);
  const {
    data,
    error,
    isFetchingNextPage,
    isFetching,
    isFetchNextPageError,
    hasNextPage,
    fetchNextPage,
    refetch,
  } = useInfiniteQuery({
    queryKey: ['costs', 'users', query],
    initialPageParam: 2,
    queryFn: ({ pageParam, signal }) => api.costs.getUsage({ ...query, users_page: pageParam }, { signal }),
    getNextPageParam: (last, _pages, page) => ((last.by_user?.length ?? 0) === 0 ? undefined : page + 1),
    enabled: wanted && total > first.length,
  });
  const known = new Set(first.map((one) => one.user_id));
  // Who has spent meanwhile may have moved from one page to the next.
  const further = (data?.pages ?? [])
    .flatMap((page) => page.by_user ?? [])
    .filter(({ user_id: id }) => {
      const isNew = !known.has(id);
      known.add(id);
      return isNew;
    });
  const users = [...first, ...further];
  return {
    users,
    total,
    rows: {
      error,
      hasMore: users.length < total && (data === undefined || hasNextPage),
      loadingMore: isFetchingNextPage || (isFetching && data === undefined),
      moreFailed: isFetchNextPageError || (error !== null && data === undefined),
      loadMore: (): void => {
        if (!wanted) setWanted(true);
        else if (data === undefined) void refetch();
        else void fetchNextPage();
      },
    },
  };
};

export const useLimits = () => {
  const api = useApi();
  return useQuery({
    queryKey: ['costs', 'limits'],
    queryFn: ({ signal }) => api.costs.getLimits({ signal }),
    refetchInterval: EVERY_MS,
  });
};

const MOST_SUBJECTS = 100;

/** Whom a limit can be for, by name; null where there are too many people for one list. */
export const useSubjects = (scope: 'user' | 'agent') => {
  const api = useApi();
  return useQuery({
    queryKey: ['costs', 'subjects', scope],
    queryFn: async ({ signal }): Promise<{ value: string; label: string }[] | null> => {
      if (scope === 'agent') {
        const agents = await api.agents.list({ limit: MOST_SUBJECTS }, { signal });
        return agents.map(({ id, name }) => ({ value: id, label: name }));
      }
      const { items, next_cursor: more } = await api.users.list({ limit: MOST_SUBJECTS }, { signal });
      if (more !== null) return null;
      return items.map(({ id, name, email }) => ({
        value: id,
        label: name === '' ? email : `${name} (${email})`,
      }));
    },
    // Who was added a moment ago is there.
    staleTime: 0,
    meta: { what: scope === 'user' ? 'the users to choose from' : 'the agents to choose from' },
  });
};

export const useSetLimits = () => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (change: SetCostLimitsRequest) => api.costs.setLimits(change),
    onSuccess: (changed) => {
      queryClient.setQueryData<CostLimits>(['costs', 'limits'], changed);
      void queryClient.invalidateQueries({ queryKey: ['costs', 'usage'] });
    },
  });
};

/** Hands the metered calls of the period to the browser's download. */
export const useExport = () => {
  const api = useApi();
  return useMutation({
    mutationFn: async (query: GetCostUsageQuery) => {
      const text = await api.costs.exportUsage(query);
      saveFile(`costs-${query.period ?? 'month'}.csv`, 'text/csv', text);
    },
  });
};
