import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Proposal, VoteOnProposalRequest } from 'pentarch-sdk';
import { useApi } from './api.ts';

/** One proposal: read, and voted on, in the chat, in MCP and in Governance alike. */

export const isOpen = ({ status }: Pick<Proposal, 'status'>): boolean =>
  status === 'voting' || status === 'awaiting_human';

/** Nothing is read without an id. */
export const useProposal = (id: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['governance', 'proposal', id],
    queryFn: ({ signal }) => api.governance.getProposal(id, { signal }),
    enabled: id !== '',
  });
};

/** What the API says of a proposal after a change takes the place of what was read. */
export const useProposalChanged = () => {
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
    onSuccess: useProposalChanged(),
  });
};

/** The answer to a question that a proposal asks the person themselves. */
export const useConfirm = (id: string) => {
  const api = useApi();
  return useMutation({
    mutationFn: (approve: boolean) => api.governance.confirmProposal(id, { approve }),
    onSuccess: useProposalChanged(),
  });
};

/** Closes it for good, undone. */
export const useCancel = (id: string) => {
  const api = useApi();
  return useMutation({
    mutationFn: () => api.governance.cancelProposal(id),
    onSuccess: useProposalChanged(),
  });
};
