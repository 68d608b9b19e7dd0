import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type {
  CreateProposalRequest,
  ListProposalsQuery,
  Proposal,
  VoteOnProposalRequest,
} from 'pentarch-sdk';
import { useApi } from '../../lib/api.ts';

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
    hasMore: query.hasNextPage,
    loadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  };
};

/** Nothing is read without an id. */
export const useProposal = (id: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['governance', 'proposal', id],
    queryFn: ({ signal }) => api.governance.getProposal(id, { signal }),
    enabled: id !== '',
  });
};

const useChanged = () => {
  const queryClient = useQueryClient();
  return (changed: Proposal): void => {
    queryClient.setQueryData<Proposal>(['governance', 'proposal', changed.id], changed);
    void queryClient.invalidateQueries({ queryKey: ['governance', 'list'] });
  };
};

export const useVote = (id: string) => {
  const api = useApi();
  return useMutation({
    mutationFn: (vote: VoteOnProposalRequest) => api.governance.voteOnProposal(id, vote),
    onSuccess: useChanged(),
  });
};

export const useCancel = (id: string) => {
  const api = useApi();
  return useMutation({
    mutationFn: () => api.governance.cancelProposal(id),
    onSuccess: useChanged(),
  });
};

export const useCreate = () => {
  const api = useApi();
  return useMutation({
    mutationFn: (proposal: CreateProposalRequest) => api.governance.createProposal(proposal),
    onSuccess: useChanged(),
  });
};
