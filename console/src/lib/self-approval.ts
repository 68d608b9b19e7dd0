import { useQuery } from '@tanstack/react-query';

const read = async (signal: AbortSignal): Promise<boolean> => {
  const answer = await fetch('/console/config.json', { headers: { accept: 'application/json' }, signal });
  const body: unknown = await answer.json();
  return typeof body === 'object' && body !== null && 'self_approval' in body && body.self_approval === true;
};

/** Whether this server lets people decide what they asked for themselves (`ALLOW_SELF_APPROVAL`). */
export const useSelfApproval = (): boolean =>
  useQuery({
    queryKey: ['self-approval'],
    queryFn: ({ signal }) => read(signal),
    meta: { what: 'whether you may decide what you asked for yourself' },
    staleTime: Number.POSITIVE_INFINITY,
  }).data ?? false;
