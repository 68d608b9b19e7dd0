import type { Server } from '@modelcontextprotocol/server';
import type { Caller } from '../../../kernel/caller.ts';
import { completeTask, type DoorPrompts } from './prompts.ts';
import { completeRecord, type DoorRecords } from './resources.ts';

const MAX_VALUES = 100;

/** What a client may offer while an argument is typed: tasks of an agent, ids of documents and conversations. */
export const serveCompletion = (
  server: Server,
  from: { records: readonly DoorRecords[]; prompts: DoorPrompts },
  caller: () => Caller,
): void => {
  const conversations = (typed: string): Promise<string[]> =>
    completeRecord(from.records, caller(), 'pentarch://conversations/{id}', typed);

  server.setRequestHandler('completion/complete', async ({ params: { ref, argument } }) => {
    let values: string[] = [];
    if (ref.type === 'ref/resource' && argument.name === 'id')
      values = await completeRecord(from.records, caller(), ref.uri, argument.value);
    else if (ref.type === 'ref/prompt' && argument.name === 'task')
      values = await completeTask(from.prompts, caller(), ref.name, argument.value);
    else if (ref.type === 'ref/prompt' && argument.name === 'conversation_id')
      values = await conversations(argument.value);
    return { completion: { values: values.slice(0, MAX_VALUES), hasMore: values.length > MAX_VALUES } };
  });
};
