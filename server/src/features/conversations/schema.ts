import { type Static, Type } from 'typebox';
import { PICTURE_TYPES } from '../../kernel/picture.ts';
import {
  AnyObject,
  AnyValue,
  Nullable,
  PageQuery,
  Strict,
  StringEnum,
  Timestamp,
  Usd,
  Uuid,
} from '../../kernel/schema.ts';
import { TAINT_SOURCES } from '../../kernel/taint.ts';

export const Usage = Type.Object({
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cached_input_tokens: Type.Integer(),
  reasoning_tokens: Type.Integer(),
});
export type Usage = Static<typeof Usage>;

export const ToolCall = Type.Object({
  id: Type.String(),
  agent_id: Nullable(Type.String()),
  server: Type.String(),
  name: Type.String(),
  arguments: AnyObject(),
  status: StringEnum(['completed', 'failed', 'denied', 'awaiting_approval', 'unknown', 'handed_over'], {
    description: 'handed_over: a tool of the client (server "client"), which runs it itself',
  }),
  result: AnyValue({ description: 'What the tool answered; null where it did not' }),
  error: Nullable(Type.String()),
  duration_ms: Type.Integer(),
  cost_usd: Usd(),
});
export type ToolCall = Static<typeof ToolCall>;

export const Citation = Type.Object({
  document_id: Type.String(),
  title: Type.String(),
  chunk_id: Type.String(),
  page: Nullable(Type.Integer()),
  quote: Type.String(),
});
export type Citation = Static<typeof Citation>;

/**
 * How an answer ended. `stop` is said of whole answers only; `tool_calls` only where the client's program has tools of its
 * own (the OpenAI-compatible door).
 */
export const FINISH_REASONS = [
  'stop',
  'length',
  'cancelled',
  'awaiting_approval',
  'cost_exceeded',
  'tool_calls',
  'failed',
  'interrupted',
] as const;
export type FinishReason = (typeof FINISH_REASONS)[number];

export const Attachment = Type.Object({
  document_id: Uuid(),
  title: Type.String({ description: 'Of the document when it was attached' }),
});
export type Attachment = Static<typeof Attachment>;

export const MessagePicture = Type.Object({
  id: Uuid('Its bytes: GET /conversations/{id}/pictures/{picture_id}'),
  name: Type.String(),
  media_type: StringEnum(PICTURE_TYPES),
  width: Type.Integer({ description: 'As it is shown, in pixels' }),
  height: Type.Integer(),
  size_bytes: Type.Integer(),
});
export type MessagePicture = Static<typeof MessagePicture>;

export const PictureParams = Strict({ id: Uuid('Conversation id'), picture_id: Uuid('Picture id') });

export const Message = Type.Object({
  id: Uuid(),
  conversation_id: Uuid(),
  role: StringEnum(['user', 'assistant', 'tool']),
  content: Type.String(),
  agent_id: Nullable(Type.String()),
  tool_calls: Type.Array(ToolCall),
  citations: Type.Array(Citation),
  usage: Nullable(Usage),
  metadata: AnyObject({
    description:
      'For answers: the model, and whether it is the built-in one; for questions: the agent_id, model and attached_documents that were asked for',
  }),
  attachments: Type.Array(Attachment, {
    description: 'Documents that were sent with it; one that has been deleted since is named all the same',
  }),
  pictures: Type.Optional(
    Type.Array(MessagePicture, {
      description: 'Pictures that were sent with it, where there are some; without metadata',
    }),
  ),
  finish_reason: Nullable(
    StringEnum(FINISH_REASONS, {
      description:
        'How the answer ended; on a question only where its run ended without an answer. null where nothing is known, as of imported messages',
    }),
  ),
  error: Nullable(
    Type.Object(
      { code: Type.String(), message: Type.String() },
      { description: 'Why it failed or was interrupted; null otherwise' },
    ),
  ),
  cost_usd: Usd(),
  run_id: Nullable(Uuid()),
  created_at: Timestamp(),
  parent_id: Nullable(
    Uuid('The message that it follows; null for a first one, and while it waits for its turn'),
  ),
  siblings: Type.Object(
    { index: Type.Integer({ description: 'From 0, oldest first' }), count: Type.Integer() },
    {
      description:
        'Its place among the messages that follow the same one: versions of a question or an answer',
    },
  ),
  active: Type.Boolean({ description: 'It stands in the branch that is shown and goes to the model' }),
});
export type Message = Static<typeof Message>;

export const CONVERSATION_STATUSES = ['active', 'archived', 'unlisted'] as const;

const conversationFields = {
  id: Uuid(),
  title: Nullable(Type.String()),
  status: StringEnum(CONVERSATION_STATUSES, {
    description: 'unlisted: of a call of /v1 that asked for no place in the list; restore puts it there',
  }),
  metadata: AnyObject(),
  agent_ids: Type.Array(Type.String()),
  message_count: Type.Integer({ description: 'Of the active branch' }),
  total_cost_usd: Usd(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  archived_at: Nullable(Timestamp()),
  pinned: Type.Boolean(),
  folder: Nullable(Type.String({ description: 'Name of the folder that its owner keeps it in' })),
  taint: Type.Array(StringEnum(TAINT_SOURCES), {
    description:
      'Where untrusted content in it came from; with any, calls that reach out or change own things ask first. Empty: none',
  }),
};

export const Conversation = Type.Object(conversationFields);
export type Conversation = Static<typeof Conversation>;

export const ListedConversation = Type.Object({
  ...conversationFields,
  hit: Type.Optional(
    Type.Object(
      {
        message_id: Nullable(
          Uuid('The newest message of the active branch with these words; null: they are in the title'),
        ),
        snippet: Type.String({ description: 'Where they stand, with some words around; plain text' }),
      },
      { description: 'Of a search alone' },
    ),
  ),
});

export const ConversationWithMessages = Type.Object({
  ...conversationFields,
  active_message_id: Nullable(Uuid('The last message of the active branch that has had its turn')),
  messages: Type.Array(Message, { description: 'The active branch: oldest first, the newest 200' }),
});

const Title = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });

const Folder = Type.String({ minLength: 1, maxLength: 100, pattern: '\\S' });

export const CreateConversation = Strict({
  title: Type.Optional(Nullable(Title)),
  metadata: Type.Optional(AnyObject({ description: 'Up to 16 KiB of your own data' })),
});
export const PatchConversation = Strict(
  {
    title: Type.Optional(Nullable(Title)),
    metadata: Type.Optional(AnyObject()),
    pinned: Type.Optional(Type.Boolean()),
    folder: Type.Optional(Nullable(Folder)),
    active_message_id: Type.Optional(
      Uuid('Picks the branch that leads through this message, down to its newest one; 409 during a turn'),
    ),
  },
  { minProperties: 1 },
);
export type PatchConversation = Static<typeof PatchConversation>;
export const ForkBody = Strict({
  message_id: Uuid('The last message that the new conversation has, with all that it follows'),
});

export const DeleteQuery = Strict({
  permanent: Type.Optional(
    Type.Boolean({ description: 'Deletes it for good, archived or not, with all its messages and runs' }),
  ),
});

export const MAX_DELETED_AT_ONCE = 100;
export const DeleteConversations = Strict({
  ids: Type.Array(Uuid(), { minItems: 1, maxItems: MAX_DELETED_AT_ONCE, uniqueItems: true }),
});
export const DeletedConversations = Type.Object({
  deleted: Type.Array(Uuid(), { description: 'Those that are gone' }),
  failed: Type.Array(
    Type.Object({
      id: Uuid(),
      code: StringEnum(['NOT_FOUND', 'CONFLICT'], { description: 'CONFLICT: a run of it has not ended' }),
    }),
  ),
});

export const ListFolders = Strict({
  status: Type.Optional(
    StringEnum(['active', 'archived'], { description: 'Counts these alone. Default: all' }),
  ),
});
export const Folders = Type.Object({
  items: Type.Array(Type.Object({ name: Type.String(), count: Type.Integer() }), {
    description: 'Folders that hold conversations, by name',
  }),
});
export const RenameFolder = Strict({
  name: Folder,
  to: Nullable(Folder),
});
export const RenamedFolder = Type.Object({
  changed: Type.Integer({ description: 'How many conversations stand in another folder, or in none, now' }),
});

export const ConversationParams = Strict({ id: Uuid('Conversation id') });
export const MessageParams = Strict({ id: Uuid('Message id') });

export const ListConversations = Strict({
  ...PageQuery,
  status: Type.Optional(StringEnum(CONVERSATION_STATUSES, { description: 'Default active' })),
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Searches titles and messages; each conversation has the newest message found as its hit',
    }),
  ),
  pinned: Type.Optional(Type.Boolean({ description: 'true: those that are pinned; false: the others' })),
  folder: Type.Optional(Folder),
  scope: Type.Optional(
    StringEnum(['me', 'tenant'], {
      description: 'tenant: of everybody, for operators and admins. Default me',
    }),
  ),
});
export const ListMessages = Strict({
  ...PageQuery,
  order: Type.Optional(StringEnum(['asc', 'desc'], { description: 'asc: oldest first (default)' })),
  branches: Type.Optional(
    StringEnum(['active', 'all'], {
      description: 'all: with the messages of other branches. Default active',
    }),
  ),
});
export const ExportQuery = Strict({
  format: Type.Optional(StringEnum(['json', 'markdown'], { description: 'Default json' })),
});

export const FeedbackBody = Strict({
  rating: StringEnum(['up', 'down']),
  comment: Type.Optional(Nullable(Type.String({ maxLength: 4_000 }))),
});
export const Feedback = Type.Object({
  message_id: Uuid(),
  rating: StringEnum(['up', 'down']),
  comment: Nullable(Type.String()),
  created_at: Timestamp(),
});

export const ImportReport = Type.Object({
  imported: Type.Integer(),
  skipped: Type.Integer({ description: 'Imported before, or twice in this export' }),
  failed: Type.Integer(),
  conversation_ids: Type.Array(Uuid(), { description: 'Of those that came in' }),
  errors: Type.Array(
    Type.Object({
      index: Type.Integer({ description: 'Place in the export, from 0' }),
      source_id: Nullable(Type.String()),
      title: Nullable(Type.String()),
      reason: Type.String(),
    }),
    { description: 'The first 100' },
  ),
});
export type ImportReport = Static<typeof ImportReport>;
