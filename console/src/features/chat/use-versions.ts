import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Message } from 'pentarch-sdk';
import { useApi } from '../../lib/api.ts';
import { isVersionAt } from './branch.ts';

/** Picks versions of the messages of a conversation, and takes it on in a new one. */
export const useVersions = (conversation: string | undefined) => {
  const api = useApi();
  const queryClient = useQueryClient();
  const id = conversation ?? '';
  const find = async (message: Message, index: number): Promise<string> => {
    const all = api.conversations.listMessagesAll(id, { branches: 'all', limit: 100 });
    for await (const one of all) if (isVersionAt(one, message, index)) return one.id;
    throw new Error('this version is not there any more');
  };
  return {
    pick: useMutation({
      mutationFn: async ({ message, index }: { message: Message; index: number }) =>
        api.conversations.update(id, { active_message_id: await find(message, index) }),
      onSettled: () =>
        Promise.all(
          [['conversation', id], ['earlier', id], ['list']].map((key) =>
            queryClient.invalidateQueries({ queryKey: ['chat', ...key] }),
          ),
        ),
    }),
    fork: useMutation({
      mutationFn: (message: Pick<Message, 'id'>) => api.conversations.fork(id, { message_id: message.id }),
      onSuccess: () => queryClient.invalidateQueries({ queryKey: ['chat', 'list'] }),
    }),
  };
};
