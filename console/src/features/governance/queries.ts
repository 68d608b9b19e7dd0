import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import type { CreateProposalRequest, ListProposalsQuery } from 'pentarch-sdk';
import { useApi } from '../../lib/api.ts';
import { useProposalChanged } from '../../lib/proposals.ts';

/** Reads and writes of this feature; pages hold no calls of their own. */

const PAGE = 50;

/** The list is a bare array: a full page may have another behind it. */
export const useProposals = (status: ListProposalsQuery['status']) => {
  const api = useApi();
  const query = useInfiniteQuery({
    queryKey: ['governance', 'list', status ?? 'all'],
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      api.governance.listProposals(
        { page: pageParam, limit: PAGE, ...(status === undefined ? {} : { status }) },
        { signal },
      ),
    getNextPageParam: (last, _pages, page) => (last.length < PAGE ? undefined : page + 1),
  });
  return {
    data: query.data?.pages.flat(),
    error: query.error,
    moreFailed: query.isFetchNextPageError,
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  };
};

export const useCreate = () => {
  const api = useApi();
  return useMutation({
    mutationFn: (proposal: CreateProposalRequest) => api.governance.createProposal(proposal),
    onSuccess: useProposalChanged(),
  });
};
