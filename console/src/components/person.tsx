import { useQuery } from '@tanstack/react-query';
import { useApi } from '../lib/api.ts';
import { useMay, useMe } from '../lib/me.ts';

const STALE_MS = 300_000;

/**
 * Who an id is, in words: "you", the name where the API gives it (`users:read`), else "a person". Nothing is read for null.
 */
export const usePersonName = (id: string | null): string => {
  const api = useApi();
  const me = useMe();
  const mayRead = useMay('users:read');
  const { data } = useQuery({
    queryKey: ['people', id],
    queryFn: ({ signal }) => api.users.get(id ?? '', { signal }),
    meta: { what: 'names of people' },
    enabled: mayRead && id !== null && id !== me.sub,
    staleTime: STALE_MS,
    retry: false,
  });
  if (id === me.sub) return 'you';
  return data?.name || data?.email || 'a person';
};

/** The name, with the id in its tooltip. */
export const Person = ({ id }: { id: string }) => <span title={id}>{usePersonName(id)}</span>;

/** An agent's name; its id while that is not known. Nothing is read for null. */
export const useAgentName = (id: string | null): string => {
  const api = useApi();
  const mayRead = useMay('agents:read');
  const { data } = useQuery({
    queryKey: ['agents', 'list'],
    queryFn: ({ signal }) => api.agents.list({ limit: 100 }, { signal }),
    meta: { what: 'names of agents' },
    enabled: mayRead && id !== null,
    staleTime: STALE_MS,
  });
  return data?.find((agent) => agent.id === id)?.name ?? id ?? '';
};

/** An agent's name, without its id's small letters. */
export const AgentName = ({ id }: { id: string }) => <span>{useAgentName(id)}</span>;
