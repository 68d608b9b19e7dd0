import { type Static, type TSchema, Type } from 'typebox';
import { AnyObject, AnyValue, Nullable, StringEnum } from '../../kernel/schema.ts';
import { Extension } from '../openai/index.ts';

/** Wire types of `/v1/messages`. What would change the answer and cannot be done is refused by `request.ts`. */
const Maybe = <T extends TSchema>(schema: T) => Type.Optional(Nullable(schema));
const ignored = (schema: TSchema) => Maybe(Type.Unsafe<unknown>({ ...schema, description: 'Has no effect' }));

/** Its other fields are dropped before the handler and named in `x-pentarch-ignored` (`unknownFields` of the route). */
const Lenient = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: true });

const Blocks = Type.Array(
  Type.Object({ type: Type.String({ maxLength: 64 }) }, { additionalProperties: true }),
  {
    maxItems: 256,
    description:
      'Blocks of type text, tool_use, tool_result and thinking, and of people image with base64; addresses and documents are refused',
  },
);
const Message = Type.Object(
  {
    role: StringEnum(['user', 'assistant', 'system']),
    content: Type.Union([Type.String(), Blocks]),
  },
  { additionalProperties: true },
);

const asked = {
  model: Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'pentarch finds the agent by itself; pentarch/athena addresses one',
  }),
  messages: Type.Array(Message, { minItems: 1, maxItems: 1_000 }),
  system: Maybe(Type.Union([Type.String(), Blocks])),
  tools: Maybe(
    Type.Array(AnyValue({ description: '{name, description, input_schema}' }), {
      description: 'Tools that the client runs itself: a call of one ends the message with tool_use',
    }),
  ),
  tool_choice: Maybe(AnyObject({ description: 'type auto, any, tool (with name) or none' })),
  output_config: Maybe(
    AnyObject({ description: 'format: {"type": "json_schema", "schema"}; effort: low to max' }),
  ),
  thinking: ignored(AnyObject()),
  cache_control: ignored(AnyObject()),
};

export const MessageRequest = Lenient({
  ...asked,
  max_tokens: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Cap of each model call' }),
  stream: Maybe(Type.Boolean()),
  stop_sequences: Maybe(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 4 })),
  temperature: Maybe(Type.Number({ minimum: 0, maximum: 1 })),
  top_p: Maybe(Type.Number({ minimum: 0, maximum: 1 })),
  metadata: Maybe(
    AnyObject({
      description:
        'user_id is kept with the conversation, no rights come from it; conversation_id goes on with a stored one, whose history then counts',
    }),
  ),
  store: Maybe(
    Type.Boolean({
      description:
        'An addition of this door. true: the call’s conversation is listed among the caller’s. false: nothing of it is stored but its costs. Absent: stored, and not listed',
    }),
  ),
  service_tier: ignored(Type.String()),
  mcp_servers: Type.Optional(AnyValue({ description: 'Not supported: servers of the platform are used' })),
});
export type MessageRequest = Static<typeof MessageRequest>;

export const CountRequest = Lenient(asked);
export type CountRequest = Static<typeof CountRequest>;
export const CountAnswer = Type.Object({
  input_tokens: Type.Integer({ description: 'An estimate of what the request itself has' }),
});

export const STOP_REASONS = ['end_turn', 'max_tokens', 'tool_use'] as const;

const Usage = Type.Object({
  input_tokens: Type.Integer({ description: 'Without those read from a cache' }),
  output_tokens: Type.Integer(),
  cache_creation_input_tokens: Type.Integer(),
  cache_read_input_tokens: Type.Integer(),
});
export type Usage = Static<typeof Usage>;

export const MessageAnswer = Type.Object({
  id: Type.String(),
  type: StringEnum(['message']),
  role: StringEnum(['assistant']),
  model: Type.String(),
  content: Type.Array(AnyObject({ description: 'Blocks of type text and tool_use' })),
  stop_reason: StringEnum(STOP_REASONS),
  stop_sequence: Nullable(Type.String()),
  usage: Usage,
  pentarch: Extension,
});
export type MessageAnswer = Static<typeof MessageAnswer>;
