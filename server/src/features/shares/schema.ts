import { type Static, Type } from 'typebox';
import {
  Nullable,
  PageQuery,
  ShownOnce,
  Strict,
  StringEnum,
  secretWithheld,
  Timestamp,
  Uuid,
} from '../../kernel/schema.ts';

const AUDIENCES = ['tenant', 'link'] as const;

export const CreateShare = Strict({
  audience: StringEnum(AUDIENCES, {
    description:
      'tenant: whoever is signed in in the tenant and has the link. link: whoever has the link; only where the setting SHARE_LINKS allows it',
  }),
  expires_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'When it can be read no longer; by default in 30 days, at the most SHARE_MAX_DAYS',
    }),
  ),
  up_to_message_id: Type.Optional(
    Uuid(
      'The last message that is shown, with all that it follows; absent: the last one of the active branch',
    ),
  ),
});
export type CreateShare = Static<typeof CreateShare>;

const shareFields = {
  id: Uuid(),
  conversation_id: Uuid(),
  audience: StringEnum(AUDIENCES),
  title: Nullable(Type.String({ description: 'Of the conversation when it was shared' })),
  up_to_message_id: Uuid('The last message that is shown'),
  created_at: Timestamp(),
  expires_at: Timestamp(),
};
export const Share = Type.Object(shareFields);
export type Share = Static<typeof Share>;

export const CreatedShare = Type.Object({
  ...shareFields,
  token: ShownOnce('Opens it at GET shares/{token}; shown only now'),
  url: ShownOnce('The page of the console that shows it; shown only now'),
  secret_withheld: secretWithheld(),
});
export type CreatedShare = Static<typeof CreatedShare>;

export const ConversationParams = Strict({ id: Uuid('Conversation id') });
export const ShareParams = Strict({ id: Uuid('Conversation id'), share_id: Uuid('Share id') });
export const ListShares = Strict(PageQuery);
export const TokenParams = Strict({
  token: Type.String({ minLength: 1, maxLength: 128, description: 'Of the share' }),
});

const SharedCitation = Type.Object({
  title: Nullable(Type.String({ description: 'null: of a document that the reader cannot read' })),
  page: Nullable(Type.Integer()),
});

export const SharedMessage = Type.Object({
  role: StringEnum(['user', 'assistant']),
  content: Type.String(),
  agent_name: Nullable(Type.String()),
  citations: Type.Array(SharedCitation, { description: 'In the order of the marks [1], [2] … in content' }),
  attachments: Type.Array(Nullable(Type.String()), {
    description: 'Titles of documents that were sent with it; null: of one that the reader cannot read',
  }),
  finish_reason: Nullable(Type.String({ description: 'How the answer ended; stop: it is whole' })),
  created_at: Timestamp(),
});
export type SharedMessage = Static<typeof SharedMessage>;

export const SharedConversation = Type.Object({
  title: Nullable(Type.String()),
  audience: StringEnum(AUDIENCES),
  shared_at: Timestamp(),
  expires_at: Timestamp(),
  messages: Type.Array(SharedMessage, { description: 'Oldest first' }),
});
export type SharedConversation = Static<typeof SharedConversation>;
