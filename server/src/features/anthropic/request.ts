import { estimateTokens } from 'pentarch-prose';
import type { Sampling } from '../../kernel/model.ts';
import type { NewPicture } from '../../kernel/picture.ts';
import { estimatePictureTokens } from '../../kernel/pictures/tokens.ts';
import type { AnswerForm } from '../chat/index.ts';
import {
  type CompletionInput,
  type DoorRequest,
  readCompletion,
  readImage,
  readSchema,
  refusal,
} from '../openai/index.ts';
import type { CountRequest, MessageRequest } from './schema.ts';

/** A request of the Messages API in the words of the other doors. */

type Block = Record<string, unknown>;
type Turn = CompletionInput['messages'][number];
/** Images by the turns that they belong to. */
type Shown = Map<object, readonly NewPicture[]>;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Of an image's source: base64 or an address, which is refused by name. */
const imageOf = ({ source }: Block, at: string): NewPicture => {
  if (!isRecord(source)) return readImage(undefined, at);
  if (source.type === 'url') return readImage(source.url, at);
  return readImage(source.type === 'base64' ? source.data : undefined, at);
};

/** The text of blocks that may hold nothing else; `pictures` takes images where there may be some. */
const textsOf = (content: string | readonly Block[], at: string, pictures?: NewPicture[]): string => {
  if (typeof content === 'string') return content;
  return content
    .map((block, i) => {
      if (block.type === 'text' && typeof block.text === 'string') return block.text;
      if (block.type === 'image' && pictures !== undefined) {
        pictures.push(imageOf(block, `${at}.${i}`));
        return '';
      }
      const what =
        block.type === 'image' || block.type === 'document'
          ? `${block.type}s`
          : `content of type ${textOf(block.type).slice(0, 64)}`;
      throw refusal(`${at}.${i}`, `${what} cannot be read by the agents; send text`, 'unsupported_content');
    })
    .filter((text) => text !== '')
    .join('\n');
};

const resultOf = (block: Block, at: string): Turn => {
  const { content = '', is_error: failed } = block;
  const given =
    typeof content === 'string' ? content : Array.isArray(content) ? content.filter(isRecord) : null;
  if (given === null) throw refusal(`${at}.content`, 'content must be text or blocks', 'invalid_value');
  const text = textsOf(given, `${at}.content`);
  return {
    role: 'tool',
    tool_call_id: block.tool_use_id,
    content: failed === true ? `The tool failed: ${text}` : text,
  };
};

const callOf = (block: Block) => ({
  id: block.id,
  type: 'function',
  function: { name: block.name, arguments: JSON.stringify(block.input ?? {}) },
});

/** Results come before what is said with them, as they answer the turn before. */
const turnsOf = (message: MessageRequest['messages'][number], at: string, shown: Shown): Turn[] => {
  const { role, content } = message;
  if (typeof content === 'string') return [{ role, content }];
  const said: Block[] = [];
  const results: Turn[] = [];
  const calls: ReturnType<typeof callOf>[] = [];
  for (const [i, block] of (content as Block[]).entries()) {
    if (block.type === 'tool_result' && role === 'user') results.push(resultOf(block, `${at}.content.${i}`));
    else if (block.type === 'tool_use' && role === 'assistant') calls.push(callOf(block));
    else if (role === 'assistant' && /^(?:redacted_)?thinking$/.test(textOf(block.type))) continue;
    else said.push(block);
  }
  const pictures: NewPicture[] = [];
  const text = textsOf(said, `${at}.content`, role === 'user' ? pictures : undefined);
  if (calls.length > 0) return [{ role, content: text, tool_calls: calls }];
  const turn = { role, content: text };
  if (pictures.length > 0) shown.set(turn, pictures);
  return [...results, ...(text === '' && pictures.length === 0 && results.length > 0 ? [] : [turn])];
};

const toolsOf = (tools: MessageRequest['tools']): unknown[] =>
  (tools ?? []).map((tool, i) => {
    const kind = isRecord(tool) ? tool.type : undefined;
    if (!isRecord(tool) || (kind !== undefined && kind !== null && kind !== 'custom'))
      throw refusal(
        `tools.${i}`,
        `a tool must be {"name", "description", "input_schema"}; tools of other types are the provider's own`,
        'invalid_value',
      );
    const { name, description, input_schema: parameters } = tool;
    return {
      type: 'function',
      function: { name, ...(description === undefined ? {} : { description }), parameters },
    };
  });

const choiceOf = (choice: MessageRequest['tool_choice']): unknown => {
  if (choice === undefined || choice === null) return undefined;
  switch (choice.type) {
    case 'auto':
    case 'none':
      return choice.type;
    case 'any':
      return 'required';
    case 'tool':
      return { type: 'function', function: { name: choice.name } };
    default:
      throw refusal('tool_choice', 'tool_choice must be of type auto, any, tool or none', 'invalid_value');
  }
};

const EFFORTS: Readonly<Record<string, NonNullable<Sampling['reasoningEffort']>>> = {
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'xhigh',
  max: 'xhigh',
};

const samplingOf = (body: MessageRequest): Sampling => {
  const effort = EFFORTS[textOf(body.output_config?.effort)];
  const stop = body.stop_sequences ?? [];
  return {
    ...(typeof body.temperature === 'number' ? { temperature: body.temperature } : {}),
    ...(typeof body.top_p === 'number' ? { topP: body.top_p } : {}),
    ...(stop.length === 0 ? {} : { stop }),
    ...(effort === undefined ? {} : { reasoningEffort: effort }),
  };
};

const formatOf = (config: MessageRequest['output_config']): AnswerForm | null => {
  const format = config?.format;
  if (format === undefined || format === null) return null;
  if (!isRecord(format) || format.type !== 'json_schema')
    throw refusal(
      'output_config.format',
      'format must be {"type": "json_schema", "schema"}',
      'invalid_value',
    );
  return readSchema('output_config.format', 'answer', format.schema);
};

const MAX_USER_CHARACTERS = 512;

const conversationOf = ({ metadata }: MessageRequest): Pick<CompletionInput, 'user' | 'metadata'> => {
  const { user_id: user, conversation_id: conversation } = metadata ?? {};
  if (textOf(user).length > MAX_USER_CHARACTERS)
    throw refusal('metadata.user_id', `must have at most ${MAX_USER_CHARACTERS} characters`, 'invalid_value');
  return {
    user: textOf(user),
    metadata:
      conversation === undefined || conversation === null ? {} : { conversation_id: String(conversation) },
  };
};

const messagesOf = (
  { system, messages }: Pick<MessageRequest, 'system' | 'messages'>,
  shown: Shown,
): Turn[] => [
  ...(system === undefined || system === null
    ? []
    : [{ role: 'system', content: textsOf(system as string | Block[], 'system') }]),
  ...messages.flatMap((message, i) => turnsOf(message, `messages.${i}`, shown)),
];

/** Throws VALIDATION_ERROR, which leaves as 400. */
export const readMessages = (body: MessageRequest): DoorRequest => {
  if (body.mcp_servers !== undefined && body.mcp_servers !== null)
    throw refusal('mcp_servers', 'mcp_servers are not supported: the platform has its own');
  const shown: Shown = new Map();
  const read = readCompletion(
    {
      messages: messagesOf(body, shown),
      tools: toolsOf(body.tools),
      tool_choice: choiceOf(body.tool_choice),
      parallel_tool_calls: body.tool_choice?.disable_parallel_tool_use !== true,
      ...conversationOf(body),
    },
    formatOf(body.output_config),
    shown,
  );
  return {
    model: body.model,
    read: { ...read, metadata: { ...read.metadata, source: 'anthropic' } },
    maxOutputTokens: body.max_tokens,
    sampling: samplingOf(body),
    store: body.store ?? null,
  };
};

const PER_MESSAGE_TOKENS = 4;

/** About what the request itself has; the agent's own prompt is not the client's. Throws VALIDATION_ERROR. */
export const countTokens = (body: CountRequest): number => {
  const shown: Shown = new Map();
  const turns = messagesOf(body, shown);
  const tools = toolsOf(body.tools);
  const said = turns.reduce(
    (sum, { content, tool_calls: calls }) =>
      sum +
      PER_MESSAGE_TOKENS +
      estimateTokens(textOf(content)) +
      (calls === undefined ? 0 : estimateTokens(JSON.stringify(calls))),
    0,
  );
  const seen = [...shown.values()].flat().reduce((sum, picture) => sum + estimatePictureTokens(picture), 0);
  return said + seen + (tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools)));
};
