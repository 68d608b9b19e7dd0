import { parseArgs } from 'node:util';
import { estimatePromptTokens, estimateTokens } from '../server/src/kernel/tokens.ts';
import { answerFiles, answerQuestions, uploadAnswerFiles } from '../server/test/support/answer-set.ts';
import type { Client } from '../server/test/support/client.ts';
import { startTestProvider, type TestRequest } from '../server/test/support/provider.ts';
import { startServer } from '../server/test/support/server.ts';

/**
 * What a message costs before a word is answered: tokens of the prompt by kind of request, as the provider gets it, and which
 * share of the prompts of ten turns a cache of prefixes can keep (tools, then messages, as providers order them). Counted by
 * the estimate of the platform (four characters a token), since every provider counts otherwise.
 *
 *   node bench/tokens.ts           figures, and exits with 1 where an aim is missed
 *   node bench/tokens.ts --tools   also the tools that were offered, with their tokens
 */

const AIMS = { hello: 700, document: 1_400, kept: 0.85 };

const { values } = parseArgs({ options: { tools: { type: 'boolean', default: false } } });

/** Of the files and questions of `bench/answers.ts`. */
const QUESTIONS = 40;
const TALK = [
  'Hello',
  'I am planning the launch of our new product, a small pump for gardens. What should come first?',
  'Who should be part of the team?',
  'And how long will it take, roughly?',
  'We have a fair in May. Is that too early?',
  'What are the three largest risks?',
  'Which of them can we do nothing about?',
  'Write a short note for the team about that.',
  'Make it friendlier, please.',
  'Thanks, that helps. What is left to be done today?',
];
const ANSWER =
  'Here is what I would do first: name one person who decides, write down what the launch shall reach, and ask each department for its dates. '.repeat(
    3,
  );

const promptOf = ({ body }: TestRequest) => ({
  messages: (body.messages ?? []).map(({ content }) => ({
    role: 'user' as const,
    content: String(content ?? ''),
  })),
  tools: (body.tools ?? []).map((tool) => ({
    name: tool.function.name,
    description: tool.function.description ?? '',
    inputSchema: (tool.function.parameters ?? {}) as Record<string, unknown>,
  })),
});

const tokensOf = (request: TestRequest): { all: number; tools: number } => {
  const prompt = promptOf(request);
  const all = estimatePromptTokens(prompt);
  return { all, tools: all - estimatePromptTokens({ messages: prompt.messages }) };
};

/** The prompt in the order in which providers read it. */
const textOf = ({ body }: TestRequest): string =>
  JSON.stringify(body.tools ?? []) +
  (body.messages ?? []).map(({ role, content }) => `\n${role}: ${String(content ?? '')}`).join('');

const commonPrefix = (a: string, b: string): number => {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  return i;
};

/** The longest beginning of each prompt that an earlier one had too, of all prompts. `before`: what others have asked. */
const keptShare = (requests: readonly TestRequest[], before: readonly TestRequest[]): number => {
  const earlier = before.map(textOf);
  let [kept, all] = [0, 0];
  for (const text of requests.map(textOf)) {
    const longest = Math.max(0, ...earlier.map((one) => commonPrefix(one, text)));
    kept += estimateTokens(text.slice(0, longest));
    all += estimateTokens(text);
    earlier.push(text);
  }
  return kept / all;
};

const provider = await startTestProvider();
const server = await startServer({
  env: { MODEL: 'compatible/test-model', COMPATIBLE_BASE_URL: provider.url, MCP_BUILTIN: 'on' },
});

const isAnswer = (request: TestRequest): boolean =>
  String(request.body.messages?.[0]?.content).startsWith('You are part of Pentarch');

const say = async (client: Client, message: string, agent: string, conversation?: string) => {
  const before = provider.requests.length;
  const answer = await client.post('/api/v1/chat', {
    message,
    context: { agent_id: agent },
    ...(conversation === undefined ? {} : { conversation_id: conversation }),
  });
  if (answer.status !== 200) throw new Error(`chat answered ${answer.status}: ${answer.text}`);
  const request = provider.requests.slice(before).find(isAnswer);
  if (request === undefined) throw new Error('the model was not asked');
  return { request, conversation: answer.json<{ conversation_id: string }>().conversation_id };
};

/** Alone, and where somebody else has asked the agent before: caches are the organisation's, not a conversation's. */
const converse = async (
  client: Client,
  agent: string,
  turns: readonly string[],
): Promise<[number, number]> => {
  const before = provider.requests.filter(isAnswer);
  const requests: TestRequest[] = [];
  let conversation: string | undefined;
  for (const turn of turns) {
    const said = await say(client, turn, agent, conversation);
    conversation = said.conversation;
    requests.push(said.request);
  }
  return [keptShare(requests, []), keptShare(requests, before)];
};

const out = (line: string): boolean => process.stdout.write(`${line}\n`);

try {
  provider.always({ text: ANSWER });
  const client = await server.signIn();
  const files = [...answerFiles('tuning'), ...answerFiles('reporting')];
  await uploadAnswerFiles(server.url, client.token ?? '', files);
  const questions = answerQuestions('tuning').map(({ text }) => text);

  const kinds = [
    ['hello', 'zeus', 'hello'],
    ['reminder', 'chronos', 'Remind me tomorrow at nine to call the bank'],
    ['mail', 'hermes', 'Write a mail to the team about the move of the office'],
    ['costs', 'prometheus', 'What did the agents cost this month?'],
    ['memory', 'memorix', 'What do you know about me?'],
    ['servers', 'hephaestus', 'Which MCP servers are connected?'],
  ] as const;
  out('prompt tokens by kind of request (of them tools, number of tools)');
  const counted = new Map<string, number>();
  for (const [kind, agent, message] of kinds) {
    const { request } = await say(client, message, agent);
    const { all, tools } = tokensOf(request);
    counted.set(kind, all);
    out(
      `  ${kind.padEnd(9)} ${agent.padEnd(11)} ${String(all).padStart(6)}  (${tools}, ${request.body.tools?.length ?? 0})`,
    );
    if (values.tools)
      for (const tool of promptOf(request).tools)
        out(`      ${String(estimateTokens(JSON.stringify(tool))).padStart(5)}  ${tool.name}`);
  }
  const ofQuestions: number[] = [];
  for (const question of questions.slice(0, QUESTIONS))
    ofQuestions.push(tokensOf((await say(client, question, 'athena')).request).all);
  const document = Math.round(ofQuestions.reduce((sum, n) => sum + n, 0) / ofQuestions.length);
  const most = Math.max(...ofQuestions);
  out(
    `  document  athena      ${String(document).padStart(6)}  (mean of ${ofQuestions.length} questions; most ${most})`,
  );
  const talk = await converse(client, 'zeus', TALK);
  const documents = await converse(client, 'athena', questions.slice(0, TALK.length));
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const line = ([alone, shared]: [number, number]): string =>
    `${percent(shared)} (${percent(alone)} where the first turn finds nothing)`;
  out('share of the prompts of ten turns that a cache of prefixes can keep');
  out(`  talk with zeus              ${line(talk)}`);
  out(`  document questions, athena  ${line(documents)}`);
  const met = (counted.get('hello') ?? 0) < AIMS.hello && document < AIMS.document && talk[1] >= AIMS.kept;
  out(
    `hello under ${AIMS.hello}, a document question under ${AIMS.document}, at least ${AIMS.kept * 100} % of the talk kept: ${met ? 'reached' : 'not reached'}`,
  );
  process.exitCode = met ? 0 : 1;
} finally {
  await server.close();
  await provider.close();
}
