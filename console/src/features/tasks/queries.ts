import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { CreateTaskRequest, ListTasksQuery, Task, UpdateTaskRequest } from 'pentarch-sdk';
import { useApi } from '../../lib/api.ts';
import { useCursorList } from '../../lib/cursor-list.ts';

/** Reads and writes of this feature; pages hold no calls of their own. */

export const STATUSES = [
  'scheduled',
  'queued',
  'running',
  'awaiting_approval',
  'completed',
  'failed',
  'cancelled',
] as const satisfies readonly Task['status'][];

/** States in which a task may have a time to come. */
const OPEN = ['scheduled', 'running', 'queued', 'awaiting_approval'] as const;
const MAX_SCHEDULES = 1_000;

export const useTasks = (filter: Pick<ListTasksQuery, 'status' | 'agent_id'>) => {
  const api = useApi();
  return useCursorList(['tasks', 'list', filter], (cursor, signal) =>
    api.tasks.list({ ...filter, limit: 50, ...(cursor === undefined ? {} : { cursor }) }, { signal }),
  );
};

/** All that has a time to come, or rests. */
export const useSchedules = () => {
  const api = useApi();
  return useQuery({
    queryKey: ['tasks', 'schedules'],
    queryFn: async ({ signal }) => {
      const found: Task[] = [];
      for (const status of OPEN) {
        for await (const task of api.tasks.listAll({ status, limit: 100 }, { signal })) {
          if (task.next_run_at !== null || task.paused) found.push(task);
          if (found.length >= MAX_SCHEDULES) return found;
        }
      }
      return found;
    },
  });
};

/** Nothing is read without an id. */
export const useTask = (id: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['tasks', 'one', id],
    queryFn: ({ signal }) => api.tasks.get(id, { signal }),
    enabled: id !== '',
  });
};

export const useRuns = (id: string) => {
  const api = useApi();
  return useCursorList(['tasks', 'runs', id], (cursor, signal) =>
    api.tasks.listRuns(id, { limit: 10, ...(cursor === undefined ? {} : { cursor }) }, { signal }),
  );
};

/** What went on in a run: the tools that were used in its conversation. */
export const useSteps = (conversationId: string | null) => {
  const api = useApi();
  return useQuery({
    queryKey: ['tasks', 'steps', conversationId],
    queryFn: ({ signal }) => api.conversations.get(conversationId ?? '', { signal }),
    enabled: conversationId !== null,
  });
};

export const useAgentNames = () => {
  const api = useApi();
  return useQuery({
    queryKey: ['agents', 'list'],
    queryFn: ({ signal }) => api.agents.list({ limit: 100 }, { signal }),
    meta: { what: 'names of agents' },
    staleTime: 300_000,
  });
};

export const useTaskActions = () => {
  const api = useApi();
  const queryClient = useQueryClient();
  const onSettled = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['tasks'] });
  return {
    create: useMutation({ mutationFn: (body: CreateTaskRequest) => api.tasks.create(body), onSettled }),
    update: useMutation({
      mutationFn: ({ id, body }: { id: string; body: UpdateTaskRequest }) => api.tasks.update(id, body),
      onSettled,
    }),
    cancel: useMutation({ mutationFn: (id: string) => api.tasks.cancel(id), onSettled }),
    retry: useMutation({ mutationFn: (id: string) => api.tasks.retry(id), onSettled }),
    remove: useMutation({ mutationFn: (id: string) => api.tasks.delete(id), onSettled }),
  };
};
