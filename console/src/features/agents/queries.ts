import { keepPreviousData, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import type { AgentMetrics, AgentStatus, Model, UpdateAgentRequest } from 'pentarch-sdk';
import { useApi } from '../../lib/api.ts';

/** Reads and writes of this feature; pages hold no calls of their own. */

export const WINDOWS = ['1h', '24h', '7d', '30d'] as const;
export type Window = (typeof WINDOWS)[number];
/** The window of the figures that the list itself brings. */
const LIST_WINDOW: Window = '24h';
const EVERY_MS = 30_000;

export const useAgents = () => {
  const api = useApi();
  return useQuery({
    queryKey: ['agents', 'list'],
    queryFn: ({ signal }) => api.agents.list({ limit: 100 }, { signal }),
    refetchInterval: EVERY_MS,
  });
};

export interface Figures {
  /** By agent; those that are still being read, or could not be, are missing. */
  readonly byAgent: ReadonlyMap<string, AgentMetrics>;
  /** Some could not be read. */
  readonly failed: boolean;
}

/** Figures of all agents in one window. */
export const useMetricsOfAll = (agents: readonly AgentStatus[], window: Window): Figures => {
  const api = useApi();
  return useQueries({
    queries: agents.map((agent) => ({
      queryKey: ['agents', 'metrics', agent.id, window],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        api.agents.getMetrics(agent.id, { window }, { signal }),
      meta: { what: 'figures of this window' },
      enabled: window !== LIST_WINDOW,
      staleTime: EVERY_MS,
    })),
    combine: (results) => ({
      byAgent: new Map(
        agents.flatMap((agent, index) => {
          const metrics = window === LIST_WINDOW ? agent.metrics : results[index]?.data;
          return metrics === undefined ? [] : [[agent.id, metrics] as const];
        }),
      ),
      failed:
        window !== LIST_WINDOW && results.some(({ data, error }) => data === undefined && error !== null),
    }),
  });
};

/** The figures of one agent in every window, shortest first. */
export const useMetricsOfOne = (id: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['agents', 'metrics', id, 'all'],
    queryFn: ({ signal }) =>
      Promise.all(WINDOWS.map((window) => api.agents.getMetrics(id, { window }, { signal }))),
    placeholderData: keepPreviousData,
    staleTime: EVERY_MS,
  });
};

export const useUpdateAgent = (id: string) => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (change: UpdateAgentRequest) => api.agents.update(id, change),
    onSuccess: (changed) => {
      queryClient.setQueryData<AgentStatus[]>(['agents', 'list'], (list) =>
        list?.map((agent) => (agent.id === changed.id ? changed : agent)),
      );
    },
  });
};

/** What the settings of the server offer; an agent may have others of its providers too. */
export const useModels = (): readonly Model[] => {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['agents', 'models'],
    queryFn: ({ signal }) => api.models.list({ limit: 100 }, { signal }),
    meta: { what: 'the models to choose from' },
    staleTime: 60_000,
  });
  return data?.items ?? [];
};
