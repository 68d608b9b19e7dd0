import { queryOptions, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Citation, Client, DocumentChunk, Message, Model } from 'pentarch-sdk';
import { useApi } from '../../lib/api.ts';
import { useCursorList } from '../../lib/cursor-list.ts';
import { useMay } from '../../lib/me.ts';
import { saveFile } from '../../lib/text.ts';
import { SAMPLE_TEXT, SAMPLE_TITLE } from './sample.ts';

/** Reads and writes of this feature. */

export type Shelf = 'active' | 'archived';

export interface Listing {
  status: Shelf;
  q: string;
  /** '' is any, and none. */
  folder: string;
  /** Absent: pinned or not. */
  pinned?: boolean;
}

export const useConversations = ({ status, q, folder, pinned }: Listing) => {
  const api = useApi();
  return useCursorList(['chat', 'list', status, q, folder, pinned ?? null], (cursor, signal) =>
    api.conversations.list(
      {
        limit: pinned === true ? 100 : 30,
        status,
        ...(q === '' ? {} : { q }),
        ...(folder === '' ? {} : { folder }),
        ...(pinned === undefined ? {} : { pinned }),
        ...(cursor === undefined ? {} : { cursor }),
      },
      { signal },
    ),
  );
};

/** Names of the folders, of active and archived conversations together. */
export const useFolders = (): readonly string[] => {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['chat', 'list', 'folders'],
    queryFn: ({ signal }) => api.conversations.listFolders({}, { signal }),
    meta: { what: 'the folders' },
  });
  return data?.items.map((one) => one.name) ?? NO_NAMES;
};
const NO_NAMES: readonly string[] = [];

export const useConversation = (id: string | undefined) => {
  const api = useApi();
  return useQuery({
    queryKey: ['chat', 'conversation', id],
    queryFn: ({ signal }) => api.conversations.get(id ?? '', { signal }),
    enabled: id !== undefined,
  });
};

const NO_MODELS: readonly Model[] = [];

/**
 * Models that a person may choose from, the default first. The built-in one, which answers without a model, is no choice
 * beside a real one.
 */
const modelList = (api: Client) =>
  queryOptions({
    queryKey: ['models', 'chat'],
    queryFn: async ({ signal }) => {
      const { items } = await api.models.list({ limit: 100 }, { signal });
      return items.filter((one) => one.default || one.provider !== 'builtin');
    },
    meta: { what: 'the models to choose from' },
    staleTime: 60_000,
  });

export const useModels = (): readonly Model[] => {
  const { data } = useQuery({ ...modelList(useApi()), enabled: useMay('agents:read') });
  return data ?? NO_MODELS;
};

/** The same for a file that is chosen before they are there. */
export const useLoadedModels = (): (() => Promise<readonly Model[]>) => {
  const api = useApi();
  const queryClient = useQueryClient();
  const mayRead = useMay('agents:read');
  return async () =>
    mayRead ? queryClient.ensureQueryData(modelList(api)).catch(() => NO_MODELS) : NO_MODELS;
};

/** How many messages come with the conversation itself: the newest. */
export const WITH_CONVERSATION = 200;

/**
 * All messages from the newest backwards, read when somebody asks for the earlier ones: the newest of them stand in the
 * conversation too, so that nothing is missing where both meet, whatever is written meanwhile.
 */
export const useEarlier = (id: string | undefined, wanted: boolean) => {
  const api = useApi();
  const query = useInfiniteQuery({
    queryKey: ['chat', 'earlier', id],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api.conversations.listMessages(
        id ?? '',
        { limit: 100, order: 'desc', ...(pageParam === undefined ? {} : { cursor: pageParam }) },
        { signal },
      ),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    enabled: id !== undefined && wanted,
  });
  return {
    /** Oldest first. */
    messages: query.data?.pages.flatMap((page) => page.items).toReversed() ?? [],
    error: query.error,
    hasMore: query.data === undefined || query.hasNextPage,
    loading: query.isFetching,
    more: (): void => void query.fetchNextPage(),
  };
};

/** Earlier messages before those of the conversation; what is in both is there once, as the conversation has it. */
export const joined = (earlier: readonly Message[], newest: readonly Message[]): readonly Message[] => {
  const known = new Set(newest.map((one) => one.id));
  return [...earlier.filter((one) => !known.has(one.id)), ...newest];
};

/** What a newcomer would miss. Parts that cannot be read count as set up: nothing is shown then. */
export const useSetUp = () => {
  const api = useApi();
  const mayRead = useMay('knowledge:read');
  const mayReadModels = useMay('agents:read');
  return useQuery({
    queryKey: ['chat', 'set-up'],
    meta: { what: 'what is set up' },
    queryFn: async ({ signal }) => {
      const [models, documents, sample] = await Promise.all([
        mayReadModels ? api.models.list({ limit: 100 }, { signal }) : null,
        mayRead ? api.knowledge.listDocuments({ limit: 1 }, { signal }) : null,
        mayRead ? api.knowledge.listDocuments({ limit: 1, q: SAMPLE_TITLE }, { signal }) : null,
      ]);
      return {
        builtin: models?.items.some((one) => one.default && one.provider === 'builtin') ?? false,
        documents: documents?.total ?? 1,
        sample: sample !== null && sample.total > 0,
      };
    },
  });
};

export const useLoadSample = () => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () =>
      api.knowledge.createDocument({
        title: SAMPLE_TITLE,
        content: SAMPLE_TEXT,
        content_type: 'text/markdown',
      }),
    onSuccess: async () => {
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['chat', 'set-up'] }),
        queryClient.invalidateQueries({ queryKey: ['knowledge'] }),
      ]);
    },
  });
};

/** As many as one call deletes. */
const AT_ONCE = 100;

export const useConversationActions = () => {
  const api = useApi();
  const queryClient = useQueryClient();
  const onSettled = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['chat'] });
  return {
    rename: useMutation({
      mutationFn: ({ id, title }: { id: string; title: string }) => api.conversations.update(id, { title }),
      onSettled,
    }),
    pin: useMutation({
      mutationFn: ({ id, pinned }: { id: string; pinned: boolean }) =>
        api.conversations.update(id, { pinned }),
      onSettled,
    }),
    /** One after the other: what was done before a refusal stays done. */
    move: useMutation({
      mutationFn: async ({ ids, folder }: { ids: readonly string[]; folder: string | null }) => {
        for (const id of ids) await api.conversations.update(id, { folder });
      },
      onSettled,
    }),
    archive: useMutation({
      mutationFn: async (ids: readonly string[]) => {
        for (const id of ids) await api.conversations.archive(id);
      },
      onSettled,
    }),
    restore: useMutation({
      mutationFn: async (ids: readonly string[]) => {
        for (const id of ids) await api.conversations.restore(id);
      },
      onSettled,
    }),
    /** Ids of those that are still there, since a run of theirs has not ended. */
    remove: useMutation({
      mutationFn: async (ids: readonly string[]): Promise<string[]> => {
        const busy: string[] = [];
        for (let at = 0; at < ids.length; at += AT_ONCE) {
          const { failed } = await api.conversations.delete({ ids: ids.slice(at, at + AT_ONCE) });
          busy.push(...failed.filter((one) => one.code === 'CONFLICT').map((one) => one.id));
        }
        return busy;
      },
      onSuccess: (busy, ids) => {
        for (const id of ids)
          if (!busy.includes(id)) queryClient.removeQueries({ queryKey: ['chat', 'conversation', id] });
      },
      onSettled: () => queryClient.invalidateQueries({ queryKey: ['chat', 'list'] }),
    }),
    renameFolder: useMutation({
      mutationFn: (body: { name: string; to: string | null }) => api.conversations.renameFolder(body),
      onSettled,
    }),
    download: useMutation({
      mutationFn: async ({ id, format }: { id: string; format: 'json' | 'markdown' }) => {
        const text = await api.conversations.export(id, { format });
        const json = format === 'json';
        saveFile(
          `conversation-${id}.${json ? 'json' : 'md'}`,
          json ? 'application/json' : 'text/markdown',
          text,
        );
      },
    }),
  };
};

export type ConversationActions = ReturnType<typeof useConversationActions>;

/** The passage that a citation names; null where the document no longer has it. */
export const usePassage = (citation: Citation | undefined) => {
  const api = useApi();
  return useQuery({
    queryKey: ['chat', 'passage', citation?.document_id, citation?.chunk_id],
    enabled: citation !== undefined,
    queryFn: async ({ signal }): Promise<DocumentChunk | null> => {
      const chunks = api.knowledge.listDocumentChunksAll(
        citation?.document_id ?? '',
        { limit: 100 },
        { signal },
      );
      for await (const chunk of chunks) if (chunk.id === citation?.chunk_id) return chunk;
      return null;
    },
  });
};
