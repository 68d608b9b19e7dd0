import { type Static, Type } from 'typebox';
import { MAX_MESSAGE_CHARACTERS } from '../../kernel/message-limits.ts';
import { MAX_PICTURE_BYTES, MAX_PICTURES, PICTURE_BODY_BYTES } from '../../kernel/picture.ts';
import {
  AnyObject,
  AnyValue,
  Nullable,
  Strict,
  StringEnum,
  Timestamp,
  Usd,
  Uuid,
} from '../../kernel/schema.ts';
import { Citation, FINISH_REASONS, ToolCall, Usage } from '../conversations/index.ts';

export type { FinishReason } from '../conversations/index.ts';

/** Where a run stands (contract, section 14). Transitions: `run-state.rules.ts`. */
export const RUN_STATUSES = [
  'queued',
  'running',
  'awaiting_approval',
  'completed',
  'failed',
  'cancelled',
  'cost_exceeded',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const MAX_CONTEXT_BYTES = 32 * 1024;

/** Of requests with a message, each character of which may be written as two escapes of six bytes, and pictures. */
export const CHAT_BODY_BYTES = PICTURE_BODY_BYTES;

export const MAX_ATTACHMENTS = 100;

const Attachment = Strict({
  document_id: Type.Optional(
    Uuid('A document that the caller can read; one that is a picture is also shown to a model that can see'),
  ),
  image: Type.Optional(
    Type.String({
      minLength: 1,
      // Lines of 76 with their breaks, behind the head of a data: URL.
      maxLength: Math.ceil(((MAX_PICTURE_BYTES / 3) * 4 * 78) / 76) + 64,
      description: `A picture: PNG, JPEG, WebP or GIF of up to ${MAX_PICTURE_BYTES} bytes as base64 or a data: URL. It is stored without its metadata`,
    }),
  ),
  picture_id: Type.Optional(Uuid('A picture of the same conversation, once more')),
  name: Type.Optional(Type.String({ maxLength: 200, description: 'With image: what the file is called' })),
});
const Attachments = Type.Array(Attachment, {
  maxItems: MAX_ATTACHMENTS,
  description: `Each has one of document_id, image and picture_id. Documents that the message is about are looked at first, in all of the conversation; up to ${MAX_PICTURES} pictures are shown to a model that can see, else the message is refused before it costs anything`,
});

export const ChatRequest = Strict({
  message: Type.String({
    minLength: 1,
    maxLength: MAX_MESSAGE_CHARACTERS,
    pattern: '\\S',
    description: 'What the person says; the setting MAX_MESSAGE_CHARS may allow less',
  }),
  conversation_id: Type.Optional(Uuid('Conversation to continue; absent: a new one')),
  parent_message_id: Type.Optional(
    Nullable(
      Uuid(
        'Message of the conversation that this one follows; absent: the last one of the active branch; null: none, a first message',
      ),
    ),
  ),
  context: Type.Optional(
    AnyObject({
      description:
        'Up to 32 KiB. agent_id addresses one agent, model picks a configured model; the rest goes to the agent as data',
    }),
  ),
  attachments: Type.Optional(Attachments),
  store: Type.Optional(
    Type.Boolean({
      description:
        'false: a temporary chat, of which nothing but its costs is stored. It has no conversation, and what was said before comes with it as history. Default true',
    }),
  ),
  history: Type.Optional(
    Type.Array(
      Strict({
        role: StringEnum(['user', 'assistant']),
        content: Type.String({ minLength: 1, maxLength: MAX_MESSAGE_CHARACTERS }),
      }),
      { maxItems: 1_000, description: 'Of a temporary chat: what was said before, oldest first' },
    ),
  ),
  response_schema: Type.Optional(
    AnyObject({
      description:
        'A JSON Schema of up to 32 KiB that the answer has to fit: content is JSON then, and parsed its value',
    }),
  ),
});
export type ChatRequest = Static<typeof ChatRequest>;

export const ChatResponse = Type.Object({
  id: Uuid('Id of the answer'),
  conversation_id: Uuid(
    'Of a temporary chat: what its costs stand under on the ledger; there is no such conversation',
  ),
  parent_id: Nullable(Uuid('Id of the question')),
  content: Type.String(),
  parsed: Type.Optional(
    AnyValue({
      description: 'The value of content, where response_schema was given and the answer is whole',
    }),
  ),
  agent_id: Type.String(),
  tool_calls: Type.Array(ToolCall),
  cost_usd: Usd(),
  run_id: Uuid(),
  finish_reason: StringEnum(FINISH_REASONS),
  usage: Usage,
  citations: Type.Array(Citation),
  proposals: Type.Array(Type.String()),
  metadata: AnyObject({ description: 'model, and built_in where the built-in model answered' }),
  created_at: Timestamp(),
});
export type ChatResponse = Static<typeof ChatResponse>;

export const Run = Type.Object({
  id: Uuid(),
  conversation_id: Uuid(),
  message_id: Uuid('Id of the answer'),
  status: StringEnum(RUN_STATUSES),
  agent_ids: Type.Array(Type.String()),
  usage: Usage,
  cost_usd: Usd(),
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String(), details: AnyObject() })),
  created_at: Timestamp(),
  finished_at: Nullable(Timestamp()),
});
export type Run = Static<typeof Run>;

export const VersionParams = Strict({ id: Uuid('Conversation id'), message_id: Uuid('Message id') });
const chosen = {
  model: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'A configured model; absent: as before' }),
  ),
  agent_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'The agent to answer; absent: as before' }),
  ),
};
export const RegenerateBody = Strict(chosen);
export const EditBody = Strict({
  message: ChatRequest.properties.message,
  attachments: Type.Optional(
    Type.Array(Attachment, {
      maxItems: MAX_ATTACHMENTS,
      description: 'As in a chat request; absent: what was attached before, pictures as well',
    }),
  ),
  ...chosen,
});

export const RunParams = Strict({ id: Uuid('Run id') });
export const InvokeParams = Strict({
  id: Type.String({ minLength: 1, maxLength: 64, description: 'Agent id' }),
});
