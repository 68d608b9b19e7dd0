import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Document, UpdateDocumentRequest } from 'pentarch-sdk';
import { useApi } from '../../lib/api.ts';
import { useCursorList } from '../../lib/cursor-list.ts';

/** Reads and writes of this feature; pages hold no calls of their own. */

const PAGE = 30;

export interface DocumentFilter {
  q: string;
  /** As the API's filter takes it, e.g. `pdf`; '' for all. */
  type: string;
}

export const useDocuments = ({ q, type }: DocumentFilter) => {
  const api = useApi();
  return useCursorList(['knowledge', 'documents', q, type], (cursor, signal) =>
    api.knowledge.listDocuments(
      {
        limit: PAGE,
        ...(q === '' ? {} : { q }),
        ...(type === '' ? {} : { content_type: type }),
        ...(cursor === undefined ? {} : { cursor }),
      },
      { signal },
    ),
  );
};

/** Files that are still read, and those that could not be. */
export const useReading = () => {
  const api = useApi();
  return useQuery({
    queryKey: ['knowledge', 'reading'],
    queryFn: async ({ signal }) => {
      const [processing, failed] = await Promise.all([
        api.knowledge.listDocuments({ status: 'processing', limit: 50 }, { signal }),
        api.knowledge.listDocuments({ status: 'failed', limit: 50 }, { signal }),
      ]);
      return [...processing.items, ...failed.items];
    },
    // Events say it sooner; this is for who has no socket.
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'processing') ? 5_000 : false,
  });
};

const useChangedReading = () => {
  const queryClient = useQueryClient();
  return () => {
    void queryClient.invalidateQueries({ queryKey: ['knowledge'] });
  };
};

export const useRetryDocument = () => {
  const api = useApi();
  return useMutation({
    mutationFn: (id: string) => api.knowledge.retryDocument(id),
    onSuccess: useChangedReading(),
  });
};

/** Takes an upload back that is no document yet. */
export const useCancelReading = () => {
  const api = useApi();
  return useMutation({
    mutationFn: (id: string) => api.knowledge.deleteDocument(id),
    onSuccess: useChangedReading(),
  });
};

export const useDocument = (id: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['knowledge', 'document', id],
    queryFn: ({ signal }) => api.knowledge.getDocument(id, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'processing' ? 5_000 : false),
  });
};

export const useChunks = (id: string) => {
  const api = useApi();
  return useCursorList(['knowledge', 'chunks', id], (cursor, signal) =>
    api.knowledge.listDocumentChunks(
      id,
      { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) },
      { signal },
    ),
  );
};

/** The text that was read from the file. */
export const useDocumentText = (id: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['knowledge', 'text', id],
    queryFn: async ({ signal }) =>
      (await api.knowledge.getDocumentContent(id, { format: 'text' }, { signal })).text(),
  });
};

/** Passages; nothing is asked while `query` is empty. */
export const useSearch = (query: string, memories: boolean) => {
  const api = useApi();
  return useQuery({
    queryKey: ['knowledge', 'search', query, memories],
    queryFn: ({ signal }) =>
      api.knowledge.search({ query, limit: 20, include_memories: memories }, { signal }),
    enabled: query !== '',
    placeholderData: keepPreviousData,
  });
};

export const useUpdateDocument = (id: string) => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (change: UpdateDocumentRequest) => api.knowledge.updateDocument(id, change),
    onSuccess: (changed) => {
      queryClient.setQueryData<Document>(['knowledge', 'document', id], changed);
      void queryClient.invalidateQueries({ queryKey: ['knowledge', 'documents'] });
    },
  });
};

export const useDeleteDocument = (id: string) => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => api.knowledge.deleteDocument(id),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: ['knowledge', 'documents'] });
      void queryClient.invalidateQueries({ queryKey: ['knowledge', 'search'] });
    },
  });
};

/** Hands the bytes as they were uploaded to the browser's download. */
export const useDownload = () => {
  const api = useApi();
  return useMutation({
    mutationFn: async (document: Document) => {
      const blob = await api.knowledge.getDocumentContent(document.id, { format: 'original' });
      const address = URL.createObjectURL(blob);
      const link = window.document.createElement('a');
      link.href = address;
      link.download = document.filename ?? document.title;
      link.click();
      // After the click was handled: the browser has its own hold of the bytes by then.
      setTimeout(() => URL.revokeObjectURL(address), 0);
    },
  });
};
