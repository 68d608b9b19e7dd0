import { useQuery } from '@tanstack/react-query';
import type { Proposal } from 'pentarch-sdk';
import { useApi } from './api.ts';
import { useLiveRefresh } from './live.ts';
import { useMay, useMe } from './me.ts';
import { useSelfApproval } from './server-switches.ts';

/** Whether a proposal that waits for a person waits for this one. */
export const useNeedsMe = (): ((proposal: Proposal) => boolean) => {
  const { sub } = useMe();
  const mayVote = useMay('governance:vote');
  const mayDecideOwn = useSelfApproval();
  return ({ asks_requester: asks, requested_by: by }) =>
    asks ? by === sub : mayVote && (by !== sub || mayDecideOwn);
};

/** The most that are looked at, and told. */
const MOST = 100;

/** How many decisions wait for this person. */
export const useWaitingDecisions = (): number => {
  const api = useApi();
  const mayRead = useMay('governance:read');
  const needsMe = useNeedsMe();
  const { data } = useQuery({
    // Below the key of the lists: what is decided there is seen here.
    queryKey: ['governance', 'list', 'waiting'],
    queryFn: ({ signal }) =>
      api.governance.listProposals({ status: 'awaiting_human', limit: MOST }, { signal }),
    meta: { what: 'the number of decisions that wait for you' },
    enabled: mayRead,
  });
  useLiveRefresh(['proposal.'], ['governance', 'list', 'waiting']);
  return data?.filter(needsMe).length ?? 0;
};
