import type { Sampling } from '../../kernel/model.ts';
import type { NewPicture } from '../../kernel/picture.ts';
import type { AnswerForm } from '../chat/index.ts';
import { type DoorRequest, readCompletion, readImage, readSchema, refusal } from '../openai/index.ts';
import type { ResponseRequest } from './schema.ts';

/** A request of the Responses API in the words of the other doors. */

type Item = Record<string, unknown>;

interface Call {
  id: unknown;
  type: 'function';
  function: { name: unknown; arguments: unknown };
}

interface Message {
  role: string;
  content: string;
  tool_calls?: Call[];
  tool_call_id?: unknown;
}

/** What items of a request refer to. */
export interface Known {
  /** Conversation of `previous_response_id`, where there is one. */
  conversationId: string | null;
  /** Text of an earlier answer, by the id of its item; undefined for one that is not the caller's. */
  textOf(itemId: string): string | undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const ROLES = ['user', 'assistant', 'system', 'developer'];
const TEXT_PARTS = ['input_text', 'output_text', 'text'];

/** `pictures` takes the images; without it there may be none. */
const textOfParts = (content: unknown, at: string, pictures?: NewPicture[]): string => {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw refusal(at, 'content must be text or a list of parts', 'invalid_value');
  return content
    .map((part: unknown, i) => {
      const type = isRecord(part) ? text(part.type) : '';
      if (isRecord(part) && TEXT_PARTS.includes(type) && typeof part.text === 'string') return part.text;
      if (type === 'refusal') return '';
      if (isRecord(part) && type === 'input_image' && pictures !== undefined) {
        pictures.push(readImage(part.image_url, `${at}.${i}`));
        return '';
      }
      const what = type === 'input_image' ? 'images' : `content of type ${type.slice(0, 64)}`;
      throw refusal(`${at}.${i}`, `${what} cannot be read by the agents; send text`, 'unsupported_content');
    })
    .filter((part) => part !== '')
    .join('\n');
};

const CALL_ITEM = 'fc_';

/** Of a call that is told by its id alone: the run that made it has its name and its arguments. */
const unnamedCall = (id: unknown): Call => ({
  id,
  type: 'function',
  function: { name: 'call', arguments: '{}' },
});

/** Items as messages: calls belong to the words before them, and outputs come behind their calls. */
const createMessages = (known: Known) => {
  const messages: Message[] = [];
  const shown = new Map<object, readonly NewPicture[]>();
  let unnamed = false;

  const open = (id: unknown): boolean =>
    messages
      .findLast((message) => message.tool_calls !== undefined)
      ?.tool_calls?.some((call) => call.id === id) === true;

  const addCall = (call: Call): void => {
    const last = messages.at(-1);
    if (last?.role === 'assistant') last.tool_calls = [...(last.tool_calls ?? []), call];
    else messages.push({ role: 'assistant', content: '', tool_calls: [call] });
  };

  const addOutput = (item: Item, at: string, others: readonly Item[]): void => {
    if (!open(item.call_id)) {
      unnamed = true;
      // Outputs that stand together answer one turn.
      for (const { call_id: id } of others) if (!open(id)) addCall(unnamedCall(id));
    }
    messages.push({
      role: 'tool',
      tool_call_id: item.call_id,
      content: textOfParts(item.output ?? '', `${at}.output`),
    });
  };

  const addReference = (id: string, at: string): void => {
    if (id.startsWith('rs_')) return;
    if (id.startsWith(CALL_ITEM)) {
      unnamed = true;
      return addCall(unnamedCall(id.slice(CALL_ITEM.length)));
    }
    const said = known.textOf(id);
    if (said === undefined)
      throw refusal(`${at}.id`, `there is no item ${JSON.stringify(id.slice(0, 100))}`, 'invalid_value');
    messages.push({ role: 'assistant', content: said });
  };

  const addSaid = (item: Item, at: string): void => {
    const role = text(item.role);
    const pictures: NewPicture[] = [];
    const content = textOfParts(item.content, `${at}.content`, role === 'user' ? pictures : undefined);
    const message = { role, content };
    messages.push(message);
    if (pictures.length > 0) shown.set(message, pictures);
  };

  return {
    messages,
    /** Images of messages. */
    shown,
    unnamed: () => unnamed,
    add(item: Item, at: string, others: readonly Item[]): void {
      const type = item.type ?? 'message';
      if (type === 'message' && ROLES.includes(text(item.role))) addSaid(item, at);
      else if (type === 'function_call')
        addCall({
          id: item.call_id,
          type: 'function',
          function: { name: item.name, arguments: item.arguments },
        });
      else if (type === 'function_call_output') addOutput(item, at, others);
      else if (type === 'item_reference') addReference(text(item.id), at);
      else if (type !== 'reasoning')
        throw refusal(
          at,
          `items of the type ${text(type).slice(0, 64)} cannot be read here`,
          'unsupported_value',
        );
    },
  };
};

/** The outputs that follow on each other from here. */
const outputsFrom = (items: readonly Item[], from: number): Item[] => {
  const end = items.findIndex((item, i) => i >= from && item.type !== 'function_call_output');
  return items.slice(from, end < 0 ? undefined : end);
};

const toolsOf = (tools: ResponseRequest['tools']): unknown[] =>
  (tools ?? []).map((tool, i) => {
    if (!isRecord(tool) || tool.type !== 'function')
      throw refusal(
        `tools.${i}`,
        'only tools of the type function are supported: the platform has its own',
        'invalid_value',
      );
    const { name, description, parameters } = tool;
    return {
      type: 'function',
      function: {
        name,
        ...(typeof description === 'string' ? { description } : {}),
        ...(isRecord(parameters) ? { parameters } : {}),
      },
    };
  });

const choiceOf = (choice: unknown): unknown =>
  isRecord(choice) && choice.type === 'function'
    ? { type: 'function', function: { name: choice.name } }
    : choice;

const formatOf = (config: ResponseRequest['text']): AnswerForm | null => {
  const format = config?.format;
  if (format === undefined || format === null) return null;
  const type = isRecord(format) ? format.type : undefined;
  if (type === 'text') return null;
  if (type === 'json_object') return { name: 'answer', schema: null };
  if (!isRecord(format) || type !== 'json_schema')
    throw refusal(
      'text.format',
      'text.format must be of type text, json_object or json_schema',
      'invalid_value',
    );
  return readSchema('text.format', format.name, format.schema);
};

const conversationOf = (body: ResponseRequest, known: Known): { conversation_id?: string } => {
  const given: unknown = isRecord(body.conversation) ? body.conversation.id : body.conversation;
  if (given !== undefined && given !== null) {
    if (known.conversationId !== null)
      throw refusal('conversation', 'conversation does not go with previous_response_id', 'invalid_value');
    if (typeof given !== 'string')
      throw refusal('conversation', 'conversation must be an id', 'invalid_value');
    return { conversation_id: given };
  }
  return known.conversationId === null ? {} : { conversation_id: known.conversationId };
};

const samplingOf = (body: ResponseRequest): Sampling => ({
  ...(typeof body.temperature === 'number' ? { temperature: body.temperature } : {}),
  ...(typeof body.top_p === 'number' ? { topP: body.top_p } : {}),
  ...(typeof body.reasoning?.effort === 'string' ? { reasoningEffort: body.reasoning.effort } : {}),
});

const itemsOf = ({ input }: Pick<ResponseRequest, 'input'>): Item[] =>
  typeof input === 'string' ? [{ role: 'user', content: input }] : (input as Item[]);

/** Ids of earlier answers that the request names in place of their text. */
export const referencesIn = (body: Pick<ResponseRequest, 'input'>): string[] =>
  itemsOf(body)
    .filter((item) => item.type === 'item_reference')
    .map((item) => text(item.id))
    .filter((id) => id.startsWith('msg_'));

const refuseUnsupported = (body: ResponseRequest): void => {
  if (body.background === true) throw refusal('background', 'background is not supported: use stream');
  if (body.prompt !== undefined && body.prompt !== null)
    throw refusal('prompt', 'stored prompts are not supported: send instructions');
};

/** Throws VALIDATION_ERROR, which leaves as 400. */
export const readResponses = (body: ResponseRequest, known: Known): DoorRequest => {
  refuseUnsupported(body);
  const items = itemsOf(body);
  const read = createMessages(known);
  for (const [i, item] of items.entries()) read.add(item, `input.${i}`, outputsFrom(items, i));
  const { instructions } = body;
  const completion = readCompletion(
    {
      messages: [
        ...(typeof instructions === 'string' && instructions !== ''
          ? [{ role: 'system', content: instructions }]
          : []),
        // Outputs alone: their run knows what it was asked.
        ...(read.unnamed() && !read.messages.some(({ role }) => role === 'user')
          ? [{ role: 'user', content: '(outputs of functions)' }]
          : []),
        ...read.messages,
      ],
      tools: toolsOf(body.tools),
      tool_choice: choiceOf(body.tool_choice),
      parallel_tool_calls: body.parallel_tool_calls,
      metadata: { ...body.metadata, ...conversationOf(body, known) },
      user: body.user,
    },
    formatOf(body.text),
    read.shown,
  );
  return {
    model: body.model,
    read: completion,
    maxOutputTokens: body.max_output_tokens ?? null,
    sampling: samplingOf(body),
    store: body.store ?? null,
    mustContinue: read.unnamed(),
  };
};
