import { type Static, type TSchema, Type } from 'typebox';
import { REASONING_EFFORTS } from '../../kernel/model.ts';
import { AnyObject, AnyValue, Nullable, Strict, StringEnum } from '../../kernel/schema.ts';
import { Extension } from '../openai/index.ts';

/** Wire types of `/v1/responses`. What would change the answer and cannot be done is refused by `request.ts`. */
const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema));
const ignored = (schema: TSchema) => Maybe(Type.Unsafe<unknown>({ ...schema, description: 'Has no effect' }));
const refused = (what: string) => Type.Optional(AnyValue({ description: `Not supported: ${what}` }));

const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 16,
  additionalProperties: { type: 'string', maxLength: 512 },
  description: 'Kept with the conversation',
});

/** Its other fields are dropped before the handler and named in `x-pentarch-ignored` (`unknownFields` of the route). */
export const ResponseRequest = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'pentarch finds the agent by itself; pentarch/athena addresses one',
    }),
    input: Type.Union(
      [
        Type.String({ minLength: 1 }),
        Type.Array(Type.Object({}, { additionalProperties: true }), { minItems: 1, maxItems: 1_000 }),
      ],
      {
        description:
          'A text, or messages, function calls and their outputs; images as data: URLs, files are refused',
      },
    ),
    instructions: Maybe(Type.String()),
    previous_response_id: Maybe(
      Type.String({
        maxLength: 128,
        description: 'Goes on with the conversation of the newest response in it',
      }),
    ),
    conversation: Maybe(
      AnyValue({ description: 'Id of a stored conversation, or {id}; not with previous_response_id' }),
    ),
    stream: Maybe(Type.Boolean()),
    store: Maybe(
      Type.Boolean({
        description:
          'true: the call’s conversation is listed among the caller’s. false: nothing of it is stored but its costs. Absent: stored, and not listed',
      }),
    ),
    tools: Maybe(
      Type.Array(AnyValue({ description: '{type: "function", name, description, parameters}' }), {
        description: 'Tools that the client runs itself: a call of one is an item of the type function_call',
      }),
    ),
    tool_choice: Type.Optional(
      AnyValue({ description: '"none", "auto", "required" or {type: "function", name}' }),
    ),
    parallel_tool_calls: Maybe(Type.Boolean()),
    text: Maybe(
      AnyObject({
        description: 'format: {type: "text"}, {type: "json_object"} or {type: "json_schema", name, schema}',
      }),
    ),
    reasoning: Maybe(
      Type.Object({ effort: Maybe(StringEnum(REASONING_EFFORTS)) }, { additionalProperties: true }),
    ),
    max_output_tokens: Maybe(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    temperature: Maybe(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: Maybe(Type.Number({ minimum: 0, maximum: 1 })),
    metadata: Maybe(Metadata),
    user: Maybe(Type.String({ maxLength: 512 })),
    background: refused('a run goes on when its reader leaves, and is read by its id'),
    prompt: refused('stored prompts'),
    include: ignored(Type.Array(Type.String(), { maxItems: 16 })),
    truncation: ignored(Type.String()),
    stream_options: ignored(AnyObject()),
    service_tier: ignored(Type.String()),
    safety_identifier: ignored(Type.String()),
    prompt_cache_key: ignored(Type.String()),
    prompt_cache_retention: ignored(Type.String()),
    top_logprobs: ignored(Type.Integer()),
    max_tool_calls: ignored(Type.Integer()),
  },
  { additionalProperties: true },
);
export type ResponseRequest = Static<typeof ResponseRequest>;

export const ResponseUsage = Type.Object({
  input_tokens: Type.Integer(),
  input_tokens_details: Type.Object({ cached_tokens: Type.Integer() }),
  output_tokens: Type.Integer(),
  output_tokens_details: Type.Object({ reasoning_tokens: Type.Integer() }),
  total_tokens: Type.Integer(),
});

export const STATUSES = ['in_progress', 'completed', 'incomplete', 'failed'] as const;

export const ResponseAnswer = Type.Object({
  id: Type.String(),
  object: StringEnum(['response']),
  created_at: Type.Integer({ description: 'Epoch seconds' }),
  status: StringEnum(STATUSES),
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  incomplete_details: Nullable(Type.Object({ reason: StringEnum(['max_output_tokens']) })),
  model: Type.String(),
  output: Type.Array(AnyObject({ description: 'Items of the types message and function_call' })),
  usage: Nullable(ResponseUsage),
  instructions: Nullable(Type.String()),
  previous_response_id: Nullable(Type.String()),
  max_output_tokens: Nullable(Type.Integer()),
  metadata: AnyObject(),
  parallel_tool_calls: Type.Boolean(),
  reasoning: Type.Object({ effort: Nullable(Type.String()), summary: Nullable(Type.String()) }),
  store: Type.Boolean(),
  temperature: Nullable(Type.Number()),
  text: Type.Object({ format: AnyObject() }),
  tool_choice: AnyValue(),
  tools: Type.Array(AnyValue()),
  top_p: Nullable(Type.Number()),
  truncation: StringEnum(['disabled']),
  user: Nullable(Type.String()),
  pentarch: Type.Optional(Extension),
});
export type ResponseAnswer = Static<typeof ResponseAnswer>;

export const ResponseParams = Strict({
  id: Type.String({ minLength: 1, maxLength: 128, description: 'Response id' }),
});
/** What other servers add where it is asked for; nothing of it is kept here. */
const INCLUDES = [
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
  'file_search_call.results',
  'message.input_image.image_url',
  'message.output_text.logprobs',
  'reasoning.encrypted_content',
  'web_search_call.action.sources',
  'web_search_call.results',
] as const;
const Include = Type.Optional(
  Type.Union([StringEnum(INCLUDES), Type.Array(StringEnum(INCLUDES), { maxItems: 16 })], {
    description: 'Has no effect, and is named in x-pentarch-ignored',
  }),
);
const includes = { include: Include, 'include[]': Include };
export const ResponseQuery = Strict(includes);
export type ResponseQuery = Static<typeof ResponseQuery>;
export const ResponseDeleted = Type.Object({
  id: Type.String(),
  object: StringEnum(['response']),
  deleted: Type.Boolean(),
});
export const InputItemsQuery = Strict({
  after: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Id of the item before' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
  order: Type.Optional(StringEnum(['asc', 'desc'])),
  ...includes,
});
export const InputItems = Type.Object({
  object: StringEnum(['list']),
  data: Type.Array(
    Type.Object({
      id: Type.String(),
      type: StringEnum(['message']),
      status: StringEnum(['completed']),
      role: StringEnum(['user']),
      content: Type.Array(Type.Object({ type: StringEnum(['input_text']), text: Type.String() })),
    }),
  ),
  first_id: Nullable(Type.String()),
  last_id: Nullable(Type.String()),
  has_more: Type.Boolean(),
});
