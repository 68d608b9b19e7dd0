import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import type { Caller } from '../../../kernel/caller.ts';

/** What agents can be given to do, as prompts of a client: one for each agent that is switched on. */
export interface DoorAgent {
  id: string;
  name: string;
  domain: string;
  charter: string;
  examples: readonly string[];
}

export interface DoorPrompts {
  agents(caller: Caller): Promise<readonly DoorAgent[]>;
}

const PREFIX = 'ask_';
const MAX_TASK = 262_144;
const MAX_COMPLETIONS = 100;
/** As asking an agent. */
const PERMISSION = 'chat:write';

const agentsFor = async (prompts: DoorPrompts, caller: Caller): Promise<readonly DoorAgent[]> =>
  caller.permissions.has(PERMISSION) ? prompts.agents(caller) : [];

const promptOf = ({ id, name, domain, charter }: DoorAgent) => ({
  name: `${PREFIX}${id}`,
  title: `Ask ${name} (${domain})`,
  description: charter,
  arguments: [
    { name: 'task', description: `What ${name} is to do`, required: true },
    { name: 'conversation_id', description: 'Goes on with a conversation', required: false },
  ],
});

const invalid = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message);

const textFor = (agent: DoorAgent, task: string, conversationId: string | undefined): string =>
  [
    `Ask the agent ${agent.name} by the tool pentarch__ask_agent with the agent_id ${agent.id}${conversationId === undefined ? '' : ` and the conversation_id ${conversationId}`}, and give its answer with its sources. The task:`,
    task,
  ].join('\n\n');

export const servePrompts = (server: Server, prompts: DoorPrompts, caller: () => Caller): void => {
  server.setRequestHandler('prompts/list', async ({ params }) => {
    // All come in one page: no cursor is one of ours.
    if (params?.cursor !== undefined) throw invalid('this cursor is not known');
    return { prompts: (await agentsFor(prompts, caller())).map(promptOf) };
  });
  server.setRequestHandler('prompts/get', async ({ params }) => {
    const agent = (await agentsFor(prompts, caller())).find(({ id }) => `${PREFIX}${id}` === params.name);
    if (agent === undefined) throw invalid(`there is no prompt ${params.name}`);
    const { task, conversation_id: conversationId, ...others } = params.arguments ?? {};
    const [other] = Object.keys(others);
    if (other !== undefined) throw invalid(`the prompt has no argument ${other}`);
    if (task === undefined || task.trim() === '') throw invalid('the argument task is missing');
    if (task.length > MAX_TASK) throw invalid(`task must have at most ${MAX_TASK} characters`);
    return {
      description: agent.charter,
      messages: [
        {
          role: 'user' as const,
          content: { type: 'text' as const, text: textFor(agent, task, conversationId) },
        },
      ],
    };
  });
};

/** Tasks that the agent knows as its own and that go on with what is typed. */
export const completeTask = async (
  prompts: DoorPrompts,
  caller: Caller,
  prompt: string,
  typed: string,
): Promise<string[]> => {
  const agent = (await agentsFor(prompts, caller)).find(({ id }) => `${PREFIX}${id}` === prompt);
  const begun = typed.toLowerCase();
  return (agent?.examples ?? [])
    .filter((example) => example.toLowerCase().startsWith(begun))
    .slice(0, MAX_COMPLETIONS);
};
