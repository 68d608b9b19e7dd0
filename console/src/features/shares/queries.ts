import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Conversation } from 'pentarch-sdk';
import { useApi } from '../../lib/api.ts';

/** Reads and writes of this feature. */

export type Audience = 'tenant' | 'link';

/** More than a person can use of one conversation. */
const SHOWN = 100;

const keyOf = (id: string | undefined) => ['shares', id] as const;

export const useShares = (id: string | undefined) => {
  const api = useApi();
  return useQuery({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => api.conversations.listShares(id ?? '', { limit: SHOWN }, { signal }),
    enabled: id !== undefined,
  });
};

export const useShareActions = (conversation: Pick<Conversation, 'id'> | null) => {
  const api = useApi();
  const queries = useQueryClient();
  const id = conversation?.id ?? '';
  const onSettled = () => queries.invalidateQueries({ queryKey: keyOf(id) });
  return {
    share: useMutation({
      mutationFn: ({ audience, days }: { audience: Audience; days: number }) =>
        api.conversations.share(id, {
          audience,
          expires_at: new Date(Date.now() + days * 86_400_000).toISOString(),
        }),
      onSettled,
    }),
    revoke: useMutation({
      mutationFn: (shareId: string) => api.conversations.revokeShare(id, shareId),
      onSettled,
    }),
  };
};

export const useSharedConversation = (token: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['shares', 'shown', token],
    queryFn: ({ signal }) => api.conversations.openShare(token, { signal }),
    retry: false,
  });
};
