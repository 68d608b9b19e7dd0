import { useQuery } from '@tanstack/react-query';

/** What the operator of this server allows, as it says itself. */
const read = async (signal: AbortSignal): Promise<ReadonlySet<string>> => {
  const answer = await fetch('/console/config.json', { headers: { accept: 'application/json' }, signal });
  const body: unknown = await answer.json();
  if (typeof body !== 'object' || body === null) return new Set();
  return new Set(Object.entries(body).flatMap(([name, value]) => (value === true ? [name] : [])));
};

const useSwitch = (name: string): boolean =>
  useQuery({
    queryKey: ['server-switches'],
    queryFn: ({ signal }) => read(signal),
    meta: { what: 'what this server allows' },
    staleTime: Number.POSITIVE_INFINITY,
  }).data?.has(name) ?? false;

/** Whether people may decide what they asked for themselves (`ALLOW_SELF_APPROVAL`). */
export const useSelfApproval = (): boolean => useSwitch('self_approval');

/** Whether conversations may be shared with whoever has the link (`SHARE_LINKS`). */
export const useShareLinks = (): boolean => useSwitch('share_links');
