import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Citation, DocumentChunk } from 'pentarch-sdk';
import { useApi } from '../../lib/api.ts';
import { useCursorList } from '../../lib/cursor-list.ts';

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

const save = (name: string, type: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
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
        save(`conversation-${id}.${json ? 'json' : 'md'}`, json ? 'application/json' : 'text/markdown', text);
      },
    }),
  };
};

export const useProposal = (id: string) => {
  const api = useApi();
  return useQuery({
    queryKey: ['governance', 'proposal', id],
    queryFn: ({ signal }) => api.governance.getProposal(id, { signal }),
  });
};

export const useVote = (id: string) => {
  const api = useApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: { vote: 'approve' | 'reject' | 'abstain'; reason?: string }) =>
      api.governance.voteOnProposal(id, body),
    onSuccess: (proposal) => queryClient.setQueryData(['governance', 'proposal', id], proposal),
  });
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
