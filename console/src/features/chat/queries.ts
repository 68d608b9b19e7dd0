import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Citation, DocumentChunk, Message, Model } from 'pentarch-sdk';
import { useApi } from '../../lib/api.ts';
import { useCursorList } from '../../lib/cursor-list.ts';
import { useMay } from '../../lib/me.ts';
import { saveFile } from '../../lib/text.ts';
import { SAMPLE_TEXT, SAMPLE_TITLE } from './sample.ts';

/** Reads and writes of this feature. */

export type Shelf = 'active' | 'archived';

export const useConversations = (status: Shelf, q: string) => {
  const api = useApi();
  return useCursorList(['chat', 'list', status, q], (cursor, signal) =>
    api.conversations.list(
      {
        limit: 30,
        status,
        ...(q === '' ? {} : { q }),
        ...(cursor === undefined ? {} : { cursor }),
      },
      { signal },
    ),
  );
};

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
export const useModels = (): readonly Model[] => {
  const api = useApi();
  const mayRead = useMay('agents:read');
  const { data } = useQuery({
    queryKey: ['chat', 'models'],
    queryFn: async ({ signal }) => {
      const { items } = await api.models.list({ limit: 100 }, { signal });
      return items.filter((one) => one.default || one.provider !== 'builtin');
    },
    meta: { what: 'the models to choose from' },
    enabled: mayRead,
    staleTime: 60_000,
  });
  return data ?? NO_MODELS;
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

export const useConversationActions = () => {
  const api = useApi();
  const queryClient = useQueryClient();
  const onSuccess = (): Promise<void> => queryClient.invalidateQueries({ queryKey: ['chat'] });
  return {
    rename: useMutation({
      mutationFn: ({ id, title }: { id: string; title: string }) => api.conversations.update(id, { title }),
      onSuccess,
    }),
    archive: useMutation({ mutationFn: (id: string) => api.conversations.archive(id), onSuccess }),
    restore: useMutation({ mutationFn: (id: string) => api.conversations.restore(id), onSuccess }),
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
