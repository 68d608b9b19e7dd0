import { type Static, type TSchema, Type } from 'typebox';
import { REASONING_EFFORTS } from '../../kernel/model.ts';
import { AnyObject, AnyValue, Nullable, Strict, StringEnum } from '../../kernel/schema.ts';

/**
 * Wire types of the OpenAI-compatible door. What is known but has no meaning here is taken and left alone, so that
 * existing clients work; what would change the answer and cannot be done is refused by `request.rules.ts`.
 */
const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema));
const ignored = (schema: TSchema) => Maybe(Type.Unsafe<unknown>({ ...schema, description: 'Has no effect' }));
const refused = (what: string) => Type.Optional(AnyValue({ description: `Not supported: ${what}` }));

/** Its other fields are dropped before the handler and named in `x-pentarch-ignored` (`unknownFields` of the route). */
const Lenient = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: true });
const StopText = Type.String({ minLength: 1, maxLength: 256 });

const ContentPart = Type.Object(
  { type: Type.String({ maxLength: 64 }), text: Type.Optional(Type.String()) },
  {
    additionalProperties: true,
    description:
      'Parts of type text, and of people image_url with a data: URL; addresses, audio and files are refused',
  },
);

export const ChatMessage = Type.Object(
  {
    role: StringEnum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
    content: Maybe(Type.Union([Type.String(), Type.Array(ContentPart, { maxItems: 256 })])),
    name: Type.Optional(Type.String({ maxLength: 256 })),
  },
  { additionalProperties: true },
);
export type ChatMessage = Static<typeof ChatMessage>;

export const ChatCompletionRequest = Lenient({
  model: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'pentarch finds the agent by itself; pentarch/athena addresses one',
  }),
  messages: Type.Array(ChatMessage, { minItems: 1, maxItems: 1_000 }),
  stream: Maybe(Type.Boolean()),
  stream_options: Maybe(
    Type.Object(
      { include_usage: Type.Optional(Type.Boolean()), include_obfuscation: Type.Optional(Type.Boolean()) },
      { additionalProperties: true },
    ),
  ),
  max_tokens: Maybe(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  max_completion_tokens: Maybe(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  temperature: Maybe(Type.Number({ minimum: 0, maximum: 2 })),
  user: Maybe(
    Type.String({ maxLength: 512, description: 'Kept with the conversation; no rights come from it' }),
  ),
  metadata: Maybe(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: 16,
      additionalProperties: { type: 'string', maxLength: 512 },
      description:
        'Kept with the conversation. conversation_id goes on with a stored one, whose history then counts',
    }),
  ),
  n: Maybe(Type.Integer({ minimum: 1, maximum: 128, description: '1' })),
  response_format: Maybe(
    AnyObject({
      description:
        '{"type": "text"}, {"type": "json_object"} or {"type": "json_schema", "json_schema": {name, schema}}',
    }),
  ),
  stop: Maybe(
    Type.Union([StopText, Type.Array(StopText, { maxItems: 4 })], {
      description: 'The answer ends before the first of them, where the provider has it',
    }),
  ),
  logprobs: Maybe(Type.Boolean()),
  top_logprobs: Maybe(Type.Integer()),
  modalities: Maybe(Type.Array(Type.String(), { maxItems: 8 })),
  tools: Maybe(
    Type.Array(AnyValue({ description: '{type: "function", function: {name, description, parameters}}' }), {
      description: 'Tools that the client runs itself: a call of one ends the completion with tool_calls',
    }),
  ),
  tool_choice: Type.Optional(
    AnyValue({ description: '"none", "auto", "required" or {type: "function", function: {name}}' }),
  ),
  functions: refused('but with the function_call "none": send tools'),
  function_call: refused('but "none" and "auto"'),
  audio: refused('audio'),
  prediction: refused('predicted outputs'),
  web_search_options: refused('web search'),
  top_p: Maybe(Type.Number({ minimum: 0, maximum: 1 })),
  frequency_penalty: ignored(Type.Number()),
  presence_penalty: ignored(Type.Number()),
  logit_bias: ignored(AnyObject()),
  seed: Maybe(Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })),
  store: Maybe(
    Type.Boolean({
      description:
        'true: the call’s conversation is listed among the caller’s. false: nothing of it is stored but its costs. Absent: stored, and not listed',
    }),
  ),
  service_tier: ignored(Type.String()),
  parallel_tool_calls: Maybe(
    Type.Boolean({ description: 'false: at most one call of the client’s tools in an answer' }),
  ),
  reasoning_effort: Maybe(StringEnum(REASONING_EFFORTS)),
  verbosity: ignored(Type.String()),
  safety_identifier: ignored(Type.String()),
  prompt_cache_key: ignored(Type.String()),
  prompt_cache_retention: ignored(Type.String()),
});
export type ChatCompletionRequest = Static<typeof ChatCompletionRequest>;

export const CompletionUsage = Type.Object({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  prompt_tokens_details: Type.Object({ cached_tokens: Type.Integer() }),
  completion_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
});
export type CompletionUsage = Static<typeof CompletionUsage>;

export const Extension = Type.Object(
  {
    conversation_id: Type.String(),
    run_id: Type.String(),
    agent_id: Type.String(),
    cost_usd: Type.Number(),
    citations: Type.Array(AnyObject()),
    tool_calls: Type.Array(AnyObject()),
    proposals: Type.Array(Type.String()),
  },
  { description: 'What the platform knows beyond the protocol' },
);
export type Extension = Static<typeof Extension>;

export const FINISH = ['stop', 'length', 'tool_calls'] as const;

const HandedCall = Type.Object({
  id: Type.String(),
  type: StringEnum(['function']),
  function: Type.Object({ name: Type.String(), arguments: Type.String({ description: 'JSON' }) }),
});
export type HandedCall = Static<typeof HandedCall>;

export const ChatCompletion = Type.Object({
  id: Type.String(),
  object: StringEnum(['chat.completion']),
  created: Type.Integer({ description: 'Epoch seconds' }),
  model: Type.String(),
  choices: Type.Array(
    Type.Object({
      index: Type.Integer(),
      message: Type.Object({
        role: StringEnum(['assistant']),
        content: Nullable(Type.String({ description: 'null where there are only calls' })),
        refusal: Nullable(Type.String()),
        tool_calls: Type.Optional(Type.Array(HandedCall)),
      }),
      logprobs: Nullable(AnyObject()),
      finish_reason: StringEnum(FINISH),
      native_finish_reason: Type.String({
        description: 'stop, length, tool_calls, cancelled, awaiting_approval or cost_exceeded',
      }),
    }),
  ),
  usage: CompletionUsage,
  pentarch: Extension,
});
export type ChatCompletion = Static<typeof ChatCompletion>;

export const Model = Type.Object({
  id: Type.String(),
  object: StringEnum(['model']),
  created: Type.Integer({ description: 'Epoch seconds' }),
  owned_by: Type.String(),
});
export type Model = Static<typeof Model>;
export const ModelList = Type.Object({ object: StringEnum(['list']), data: Type.Array(Model) });
export const ModelParams = Strict({ id: Type.String({ minLength: 1, maxLength: 200 }) });
export const ModelNameParams = Strict({ name: Type.String({ minLength: 1, maxLength: 200 }) });

export const MAX_INPUTS = 256;

export const EmbeddingRequest = Lenient({
  model: Type.String({ minLength: 1, maxLength: 200 }),
  input: Type.Union([Type.String(), Type.Array(AnyValue(), { minItems: 1 })], {
    description: `A text or up to ${MAX_INPUTS} texts; lists of token numbers are refused`,
  }),
  encoding_format: Maybe(StringEnum(['float', 'base64'])),
  dimensions: Maybe(Type.Integer({ minimum: 1, description: 'The dimensions of the model, or absent' })),
  user: Maybe(Type.String({ maxLength: 512 })),
});
export type EmbeddingRequest = Static<typeof EmbeddingRequest>;

export const EmbeddingList = Type.Object({
  object: StringEnum(['list']),
  data: Type.Array(
    Type.Object({
      object: StringEnum(['embedding']),
      index: Type.Integer(),
      embedding: Type.Unsafe<number[] | string>({
        anyOf: [{ type: 'array', items: { type: 'number' } }, { type: 'string' }],
        description: 'Numbers, or little-endian float32 in base64',
      }),
    }),
  ),
  model: Type.String(),
  usage: Type.Object({ prompt_tokens: Type.Integer(), total_tokens: Type.Integer() }),
});
