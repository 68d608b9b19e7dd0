import { Type } from 'typebox';
import { contentDisposition } from '../../http/content-disposition.ts';
import { locationOf } from '../../http/location.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { Page } from '../../kernel/schema.ts';
import {
  Conversation,
  ConversationParams,
  ConversationWithMessages,
  CreateConversation,
  DeleteConversations,
  DeletedConversations,
  DeleteQuery,
  ExportQuery,
  Feedback,
  FeedbackBody,
  Folders,
  ForkBody,
  ListConversations,
  ListedConversation,
  ListFolders,
  ListMessages,
  Message,
  MessageParams,
  PatchConversation,
  PictureParams,
  RenamedFolder,
  RenameFolder,
} from './schema.ts';
import type { ConversationService } from './service.ts';

const tag = 'Conversations';

const itemRoutes = (conversations: ConversationService): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/conversations',
    operationId: 'listConversations',
    summary: 'The caller’s conversations, newest first',
    tag,
    access: 'conversations:read',
    query: ListConversations,
    responses: { 200: Page(ListedConversation) },
    handler: ({ caller, query }) => conversations.list(caller, query),
  }),
  route({
    method: 'POST',
    path: '/conversations',
    operationId: 'createConversation',
    summary: 'Start a conversation',
    tag,
    access: 'conversations:write',
    body: CreateConversation,
    responses: { 201: Conversation },
    handler: async ({ caller, body, request, reply }) => {
      const conversation = await conversations.create(caller, body);
      reply.header('location', locationOf(request, `/conversations/${conversation.id}`));
      return conversation;
    },
  }),
  route({
    method: 'GET',
    path: '/conversations/:id',
    operationId: 'getConversation',
    summary: 'A conversation with its newest 200 messages',
    tag,
    access: 'conversations:read',
    params: ConversationParams,
    responses: { 200: ConversationWithMessages },
    handler: ({ caller, params }) => conversations.get(caller, params.id),
  }),
  route({
    method: 'PATCH',
    path: '/conversations/:id',
    operationId: 'updateConversation',
    summary: 'Rename, pin or file a conversation, replace its metadata or pick its branch',
    tag,
    access: 'conversations:write',
    params: ConversationParams,
    body: PatchConversation,
    responses: { 200: Conversation },
    handler: ({ caller, params, body }) => conversations.patch(caller, params.id, body),
  }),
  route({
    method: 'DELETE',
    path: '/conversations/:id',
    operationId: 'archiveConversation',
    summary: 'Archive a conversation, or delete it for good',
    tag,
    access: 'conversations:write',
    params: ConversationParams,
    query: DeleteQuery,
    audit: {
      action: { plain: 'conversation.archived', query: 'permanent', asked: 'conversation.deleted' },
      targetType: 'conversation',
      target: 'id',
    },
    responses: { 204: null },
    handler: ({ caller, params, query, note }) =>
      query.permanent === true
        ? conversations.deleteForGood(caller, params.id, note)
        : conversations.archive(caller, params.id, note),
  }),
];

const lifeRoutes = (conversations: ConversationService): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/conversations/delete',
    operationId: 'deleteConversations',
    summary: 'Delete conversations for good, archived or not',
    description:
      'Each by itself: what is not there, or has a run that has not ended, is named among `failed`.',
    tag,
    access: 'conversations:write',
    body: DeleteConversations,
    audit: { action: 'conversation.deleted', targetType: 'conversation', each: true },
    responses: { 200: DeletedConversations },
    handler: ({ caller, body, noteOn }) => conversations.deleteMany(caller, body.ids, noteOn),
  }),
  route({
    method: 'POST',
    path: '/conversations/:id/restore',
    operationId: 'restoreConversation',
    summary: 'Take a conversation out of the archive',
    tag,
    access: 'conversations:write',
    params: ConversationParams,
    audit: { action: 'conversation.restored', targetType: 'conversation', target: 'id' },
    responses: { 200: Conversation },
    handler: ({ caller, params, note }) => conversations.restore(caller, params.id, note),
  }),
  route({
    method: 'POST',
    path: '/conversations/:id/fork',
    operationId: 'forkConversation',
    summary: 'Start a conversation with the messages of another one, up to one of them',
    tag,
    access: 'conversations:write',
    params: ConversationParams,
    body: ForkBody,
    audit: { action: 'conversation.forked', targetType: 'conversation', target: 'id' },
    responses: { 201: Conversation },
    handler: async ({ caller, params, body, note, request, reply }) => {
      const conversation = await conversations.fork(caller, params.id, body.message_id, note);
      reply.header('location', locationOf(request, `/conversations/${conversation.id}`));
      return conversation;
    },
  }),
];

const folderRoutes = (conversations: ConversationService): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/conversations/folders',
    operationId: 'listFolders',
    summary: 'Folders of the caller’s conversations, with how many each holds',
    tag,
    access: 'conversations:read',
    query: ListFolders,
    responses: { 200: Folders },
    handler: ({ caller, query }) => conversations.folders(caller, query.status),
  }),
  route({
    method: 'POST',
    path: '/conversations/folders/rename',
    operationId: 'renameFolder',
    summary: 'Rename a folder of the caller’s, or take it away',
    description:
      'All conversations of the folder, archived or not, stand in `to` then, which may exist already; null: in none. Conversations are never deleted by it.',
    tag,
    access: 'conversations:write',
    body: RenameFolder,
    responses: { 200: RenamedFolder },
    handler: ({ caller, body }) => conversations.renameFolder(caller, body.name, body.to),
  }),
];

const messageRoutes = (conversations: ConversationService): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/conversations/:id/messages',
    operationId: 'listMessages',
    summary: 'The messages of a conversation, oldest first: its active branch, or all branches',
    tag,
    access: 'conversations:read',
    params: ConversationParams,
    query: ListMessages,
    responses: { 200: Page(Message) },
    handler: ({ caller, params, query }) => conversations.messages(caller, params.id, query),
  }),
  route({
    method: 'GET',
    path: '/conversations/:id/pictures/:picture_id',
    operationId: 'getPicture',
    summary: 'A picture of a message',
    description: 'The bytes without metadata, for whoever may read the conversation',
    tag,
    access: 'conversations:read',
    params: PictureParams,
    responses: { 200: null },
    produces: 'application/octet-stream',
    handler: async ({ caller, params, reply }) => {
      const picture = await conversations.picture(caller, { id: params.id, pictureId: params.picture_id });
      // Never a page of its own, whatever a browser takes it for.
      return reply
        .header('content-type', picture.media_type)
        .header('content-disposition', contentDisposition(picture.name))
        .header('content-security-policy', "default-src 'none'; sandbox")
        .send(Buffer.from(picture.bytes));
    },
  }),
  route({
    method: 'GET',
    path: '/conversations/:id/export',
    operationId: 'exportConversation',
    summary: 'A conversation as a file',
    tag,
    access: 'conversations:read',
    params: ConversationParams,
    query: ExportQuery,
    produces: ['application/json', 'text/markdown'],
    audit: { action: 'conversation.exported', targetType: 'conversation', target: 'id' },
    responses: {
      200: Type.Unsafe<string>({
        description:
          'The conversation: as JSON with the messages of all branches, as Markdown with those of the active one',
      }),
    },
    handler: async ({ caller, params, query, reply }) => {
      const format = query.format ?? 'json';
      const { type, body } = await conversations.export(caller, params.id, format);
      const extension = format === 'json' ? 'json' : 'md';
      return reply
        .type(type)
        .header('content-disposition', `attachment; filename="conversation-${params.id}.${extension}"`)
        .serializer((text: unknown) => String(text))
        .send(body);
    },
  }),
  route({
    method: 'POST',
    path: '/messages/:id/feedback',
    operationId: 'rateMessage',
    summary: 'Rate an answer',
    tag,
    access: 'conversations:write',
    params: MessageParams,
    body: FeedbackBody,
    responses: { 200: Feedback },
    handler: ({ caller, params, body }) => conversations.feedback(caller, params.id, body),
  }),
];

export const conversationRoutes = (conversations: ConversationService): AnyRoute[] => [
  ...itemRoutes(conversations),
  ...lifeRoutes(conversations),
  ...folderRoutes(conversations),
  ...messageRoutes(conversations),
];
