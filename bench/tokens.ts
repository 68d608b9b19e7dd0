import { parseArgs } from 'node:util';
import { estimatePromptTokens, estimateTokens } from '../server/src/kernel/tokens.ts';
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

/** Twelve sections of about 120 words each, so that a search finds more than one prompt wants. */
const HANDBOOK = [
  ['Vacation', 'Employees have 28 days of paid vacation a year. Up to five days move to the next year until 31 March.'],
  ['Notice period', 'The notice period is three months to the end of a quarter, in the first half year two weeks.'],
  ['Travel', 'Train is first class above three hours. Flights are booked by the travel desk two weeks ahead.'],
  ['Expenses', 'Expenses are handed in within 30 days with their receipts; above 500 euros the head of department signs.'],
  ['Home office', 'Home office is possible on three days a week, and is agreed with the team a week ahead.'],
  ['Sick leave', 'Sick leave is reported before nine in the morning; from the third day on a certificate is needed.'],
  ['Training', 'Each employee has a budget of 1,200 euros a year for training, and five days for it.'],
  ['Laptops', 'Laptops are replaced after four years. A lost one is reported to the service desk within an hour.'],
  ['Passwords', 'Passwords have fourteen characters at the least and are kept in the password manager alone.'],
  ['Visitors', 'Visitors sign in at the reception, wear a badge and are never left alone in the laboratory.'],
  ['Fire drills', 'Fire drills are held twice a year. The meeting point is the car park behind hall four.'],
  ['Pensions', 'The company pays four per cent of the salary into the pension fund after the first year.'],
]
  .map(([title, rule]) => {
    const more =
      'The rule holds for all sites and for every kind of contract. Where a works agreement says otherwise, the agreement holds. Questions go to the people office, which answers within two working days and keeps a list of what was asked. Exceptions are written down, are signed by the head of the department, and end with the year in which they were made unless they are renewed. ';
    return `# ${title}\n\n${rule} ${more}${more}`;
  })
  .join('\n\n');

const QUESTIONS = [
  'How many days of vacation do employees have?',
  'What is the notice period?',
  'When is a flight allowed instead of a train?',
  'Until when are expenses handed in?',
  'On how many days is home office possible?',
  'When does a sick person need a certificate?',
  'How large is the budget for training?',
  'After how many years is a laptop replaced?',
  'How long is a password at the least?',
  'What do visitors wear?',
];
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
  messages: (body.messages ?? []).map(({ content }) => ({ role: 'user' as const, content: String(content ?? '') })),
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

/** The longest beginning of each prompt that an earlier one of the conversation had too, of all prompts. */
const keptShare = (requests: readonly TestRequest[]): number => {
  const texts = requests.map(textOf);
  let [kept, all] = [0, 0];
  for (const [n, text] of texts.entries()) {
    const longest = Math.max(0, ...texts.slice(0, n).map((earlier) => commonPrefix(earlier, text)));
    kept += estimateTokens(text.slice(0, longest));
    all += estimateTokens(text);
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

const converse = async (client: Client, agent: string, turns: readonly string[]): Promise<number> => {
  const requests: TestRequest[] = [];
  let conversation: string | undefined;
  for (const turn of turns) {
    const said = await say(client, turn, agent, conversation);
    conversation = said.conversation;
    requests.push(said.request);
  }
  return keptShare(requests);
};

const out = (line: string): boolean => process.stdout.write(`${line}\n`);

try {
  provider.always({ text: ANSWER });
  const client = await server.signIn();
  const uploaded = await client.post('/v2/knowledge/documents', {
    title: 'handbook.md',
    content: HANDBOOK,
    content_type: 'text/markdown',
  });
  if (uploaded.status !== 201) throw new Error(`the upload answered ${uploaded.status}: ${uploaded.text}`);

  const kinds = [
    ['hello', 'zeus', 'hello'],
    ['document', 'athena', 'How many days of vacation do employees have?'],
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
  const talk = await converse(client, 'zeus', TALK);
  const documents = await converse(client, 'athena', QUESTIONS);
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  out('share of the prompts of ten turns that a cache of prefixes can keep, the first turn counted as well');
  out(`  talk with zeus             ${percent(talk)}`);
  out(`  document questions, athena ${percent(documents)}`);
  const met =
    (counted.get('hello') ?? 0) < AIMS.hello &&
    (counted.get('document') ?? 0) < AIMS.document &&
    talk >= AIMS.kept;
  out(
    `hello under ${AIMS.hello}, a document question under ${AIMS.document}, at least ${AIMS.kept * 100} % of the talk kept: ${met ? 'reached' : 'not reached'}`,
  );
  process.exitCode = met ? 0 : 1;
} finally {
  await server.close();
  await provider.close();
}
