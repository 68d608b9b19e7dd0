import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type {
  ChangeMyPasswordRequest,
  CreateApiKeyRequest,
  CreatePersonalTokenRequest,
  MemoryPreference,
  NotificationPreferencesCategories,
  SetMemoryPreferenceRequest,
} from 'pentarch-sdk';
import { useApi } from '../../lib/api.ts';
import { useCursorList } from '../../lib/cursor-list.ts';

/** Reads and writes of one's own account. */

const PAGE = 50;
export type Category = keyof NotificationPreferencesCategories;
export type Channel = keyof NotificationPreferencesCategories['tasks'];

/** A write after which everything under `key` is read anew. */
const useWrite = <In, Out>(key: readonly string[], write: (input: In) => Promise<Out>) => {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: write,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: key }),
  });
};

export const useRename = () => {
  const api = useApi();
  return useWrite(['session', 'me'], (name: string) => api.users.updateMe({ name }));
};
export const useChangePassword = () => {
  const api = useApi();
  return useWrite(['settings', 'sessions'], (body: ChangeMyPasswordRequest) =>
    api.users.changeMyPassword(body),
  );
};

export const useTokens = () => {
  const api = useApi();
  return useCursorList(['settings', 'tokens'], (cursor, signal) =>
    api.users.listPersonalTokens({ limit: PAGE, ...(cursor && { cursor }) }, { signal }),
  );
};
export const useCreateToken = () => {
  const api = useApi();
  return useWrite(['settings', 'tokens'], (body: CreatePersonalTokenRequest) =>
    api.users.createPersonalToken(body),
  );
};
export const useDeleteToken = () => {
  const api = useApi();
  return useWrite(['settings', 'tokens'], (id: string) => api.users.deletePersonalToken(id));
};

export const useApiKeys = () => {
  const api = useApi();
  return useCursorList(['settings', 'keys'], (cursor, signal) =>
    api.auth.listApiKeys({ limit: PAGE, ...(cursor && { cursor }) }, { signal }),
  );
};
export const useCreateApiKey = () => {
  const api = useApi();
  return useWrite(['settings', 'keys'], (body: CreateApiKeyRequest) => api.auth.createApiKey(body));
};
export const useRotateApiKey = () => {
  const api = useApi();
  return useWrite(['settings', 'keys'], (id: string) => api.auth.rotateApiKey(id, {}));
};
export const useDeleteApiKey = () => {
  const api = useApi();
  return useWrite(['settings', 'keys'], (id: string) => api.auth.deleteApiKey(id));
};

export const useSessions = () => {
  const api = useApi();
  return useQuery({
    queryKey: ['settings', 'sessions'],
    queryFn: ({ signal }) => api.users.listMySessions({ signal }),
  });
};
export const useEndSession = () => {
  const api = useApi();
  return useWrite(['settings', 'sessions'], (id: string) => api.users.endMySession(id));
};

export const useInbox = (unreadOnly: boolean) => {
  const api = useApi();
  return useCursorList(['settings', 'notifications', unreadOnly], (cursor, signal) =>
    api.notifications.list(
      { limit: PAGE, ...(unreadOnly && { unread: true }), ...(cursor && { cursor }) },
      { signal },
    ),
  );
};
export const useRead = () => {
  const api = useApi();
  return useWrite(['settings', 'notifications'], (id: string) => api.notifications.read(id));
};
export const useReadAll = () => {
  const api = useApi();
  return useWrite(['settings', 'notifications'], () => api.notifications.readAll());
};

export type PreferenceName = SetMemoryPreferenceRequest['name'];

export const usePreferences = () => {
  const api = useApi();
  return useQuery({
    queryKey: ['memory', 'preferences'],
    queryFn: async ({ signal }) => {
      const all: MemoryPreference[] = [];
      for await (const one of api.memory.listPreferencesAll({ limit: 100 }, { signal })) all.push(one);
      return all;
    },
  });
};

/** The memory holds them, so its pages are read anew too. */
export const usePreferenceActions = () => {
  const api = useApi();
  return {
    set: useWrite(['memory'], (body: SetMemoryPreferenceRequest) => api.memory.setPreference(body)),
    correct: useWrite(['memory'], ({ held, text }: { held: MemoryPreference; text: string }) =>
      api.memory.correctObservation(held.entity_id, held.id, { text }),
    ),
    remove: useWrite(['memory'], (held: MemoryPreference) =>
      api.memory.deleteObservation(held.entity_id, held.id),
    ),
  };
};

export const useChannels = () => {
  const api = useApi();
  return useQuery({
    queryKey: ['settings', 'channels'],
    queryFn: ({ signal }) => api.notifications.getPreferences({ signal }),
  });
};
export const useSetChannel = () => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (change: { category: Category; channel: Channel; on: boolean }) =>
      api.notifications.updatePreferences({
        categories: { [change.category]: { [change.channel]: change.on } },
      }),
    onSuccess: (changed) => queryClient.setQueryData(['settings', 'channels'], changed),
  });
};
