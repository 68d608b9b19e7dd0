import { beforeEach, describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import type { TestProvider, TestReply, TestRequest } from '../../../test/support/provider.ts';
import { withWorld } from '../../../test/support/suite.ts';
import { estimatePromptTokens } from '../../kernel/tokens.ts';

/** A model is told of few tools and finds the others; the beginning of a prompt stays the same over a conversation. */

let provider: TestProvider;
let admin: Client;
const it = withWorld({ env: { MCP_BUILTIN: 'on' } });
it.beforeAll(({ world }) => {
  ({ provider, admin } = world);
});
beforeEach(() => provider.reset());

const toolsOf = (request: TestRequest | undefined): string[] =>
  (request?.body.tools ?? []).map((tool) => tool.function.name);
const told = (request: TestRequest | undefined): string =>
  (request?.body.messages ?? [])
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => String(content))
    .join('\n');
const tokensOf = ({ body }: TestRequest): number =>
  estimatePromptTokens({
    messages: (body.messages ?? []).map(({ content }) => ({ role: 'user', content: String(content) })),
    tools: (body.tools ?? []).map((tool) => ({
      name: tool.function.name,
      description: tool.function.description ?? '',
      inputSchema: tool.function.parameters as Record<string, unknown>,
    })),
  });
/** Of agents: what remembers an earlier turn in the background asks too. */
const asked = (): TestRequest[] =>
  provider.requests.filter(({ body }) =>
    String(body.messages?.[0]?.content).startsWith('You are part of Pentarch'),
  );
/** One for each call of the run; told by how many results there are. */
const answers = (...replies: TestReply[]): void =>
  provider.always(({ body }) => {
    const messages = body.messages ?? [];
    const last = messages.findLastIndex(({ role }) => role === 'user');
    const step = messages.slice(last).filter(({ role }) => role === 'assistant').length;
    return String(messages[0]?.content).startsWith('You are part of Pentarch')
      ? (replies[step] ?? { text: 'Done.' })
      : { text: '{}' };
  });
const call = (name: string, args: object, id = 'c') => ({ id, name, arguments: JSON.stringify(args) });

/** A task that runs at once asks the model as well. */
const LATER = '2099-01-01T09:00:00Z';

interface Answer {
  content: string;
  conversation_id: string;
  tool_calls: { server: string; name: string; status: string; result: unknown; error: string | null }[];
}
const say = async (message: string, agent: string, conversation?: string): Promise<Answer> => {
  const answer = await admin.post('/api/v1/chat', {
    message,
    context: { agent_id: agent },
    ...(conversation === undefined ? {} : { conversation_id: conversation }),
  });
  expect(answer.status).toBe(200);
  return answer.json<Answer>();
};

describe('tools on demand', () => {
  it(req('RUN-40', 'a greeting costs under 700 tokens, tools included'), async () => {
    await say('hello', 'zeus');
    const [request] = asked();
    expect(toolsOf(request)).toEqual(['delegate', 'search_documents', 'list_abilities', 'find_tools']);
    expect(request === undefined ? 0 : tokensOf(request)).toBeLessThan(700);
  });

  it(req('RUN-40', 'what is found is told with the next call, behind what was told before'), async () => {
    answers(
      { toolCalls: [call('find_tools', { query: 'create a reminder task for tomorrow' }, 'a')] },
      { toolCalls: [call('create_task', { description: 'Call the bank', scheduled_at: LATER }, 'b')] },
      { text: 'Done.' },
    );
    const answer = await say('Remind me to call the bank', 'zeus');
    expect(answer.content).toBe('Done.');
    expect(answer.tool_calls).toMatchObject([
      { server: 'pentarch', name: 'find_tools', status: 'completed' },
      { server: 'pentarch', name: 'create_task', status: 'completed' },
    ]);
    const [first, second, third] = asked().map(toolsOf);
    expect(first).not.toContain('create_task');
    expect(second?.slice(0, first?.length)).toEqual(first);
    expect(second).toContain('create_task');
    expect(third).toEqual(second);
    expect(told(asked()[1])).toMatch(/^Added: (\w+, )*create_task/);
  });

  it(req('RUN-40', 'tools of MCP servers are found by what they do'), async () => {
    answers(
      { toolCalls: [call('find_tools', { query: 'what is the current time in Tokyo' })] },
      { text: 'Done.' },
    );
    await say('Late in Tokyo?', 'zeus');
    expect(toolsOf(asked()[1])).toContain('time__get_current_time');
  });

  it(req('RUN-40', 'a tool that was not told is served all the same, and told from then on'), async () => {
    answers({ toolCalls: [call('list_tasks', {})] }, { text: 'None.' });
    const answer = await say('What is planned?', 'zeus');
    expect(answer.tool_calls).toMatchObject([{ name: 'list_tasks', status: 'completed' }]);
    expect(toolsOf(asked()[0])).not.toContain('list_tasks');
    expect(toolsOf(asked()[1])).toContain('list_tasks');
  });

  it(req('RUN-40', 'an agent finds and calls nothing that it may not use'), async () => {
    answers(
      {
        toolCalls: [call('find_tools', { query: 'read the audit trail' }, 'a'), call('read_audit', {}, 'b')],
      },
      { text: 'No.' },
    );
    const answer = await say('What does the audit trail say?', 'memorix');
    expect(answer.tool_calls[0]).toMatchObject({ name: 'find_tools', status: 'completed' });
    expect(JSON.stringify(answer.tool_calls[0]?.result)).not.toContain('audit');
    expect(answer.tool_calls[1]).toMatchObject({ status: 'failed', error: 'there is no tool read_audit' });
    expect(toolsOf(asked()[1])).not.toContain('read_audit');
  });

  it(req('RUN-40', 'an agent is told of all its tools where its tenant wants that'), async () => {
    const set = await admin.patch('/v2/agents/zeus', { all_tools: true });
    expect(set.json()).toMatchObject({ id: 'zeus', all_tools: true });
    await say('hello', 'zeus');
    expect(toolsOf(asked()[0]).length).toBeGreaterThan(30);
    expect(toolsOf(asked()[0])).not.toContain('find_tools');
    expect((await admin.patch('/v2/agents/zeus', { all_tools: false })).json()).toMatchObject({
      all_tools: false,
    });
  });
});

describe('the beginning of a prompt', () => {
  it(
    req('RUN-41', 'is the same in each turn up to what was said last; the time stands with the message'),
    async () => {
      answers({ text: 'Yes.' });
      const { conversation_id: id } = await say('The first question', 'zeus');
      await say('The second question', 'zeus', id);
      const [first, second] = asked();
      expect(second?.body.tools).toEqual(first?.body.tools);
      const [system, question] = first?.body.messages ?? [];
      expect(second?.body.messages?.[0]).toEqual(system);
      expect(String(system?.content)).toMatch(/Today is \w+day, \d{4}-\d\d-\d\d \(UTC\)\.$/);
      expect(String(system?.content)).not.toMatch(/\d\d:\d\d/);
      expect(String(question?.content)).toMatch(
        /^Now: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n\nThe first question$/,
      );
      expect(second?.body.messages?.slice(1, 3).map(({ content }) => content)).toEqual([
        'The first question',
        'Yes.',
      ]);
    },
  );
});
