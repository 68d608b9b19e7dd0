import type { FastifyReply } from 'fastify';
import { locationOf } from '../../http/location.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { Page } from '../../kernel/schema.ts';
import {
  ConversationParams,
  CreatedShare,
  CreateShare,
  ListShares,
  Share,
  SharedConversation,
  ShareParams,
  TokenParams,
} from './schema.ts';
import type { Shares } from './service.ts';

const tag = 'Conversations';

/** Whoever finds the address keeps it to themselves: search engines and other sites are told nothing. */
const unseen = (reply: FastifyReply): void => {
  reply.header('x-robots-tag', 'noindex, nofollow, noarchive').header('referrer-policy', 'no-referrer');
};

const ownRoutes = (shares: Shares): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/conversations/:id/shares',
    operationId: 'listShares',
    summary: 'How a conversation is shared, newest first',
    tag,
    access: 'conversations:read',
    params: ConversationParams,
    query: ListShares,
    responses: { 200: Page(Share) },
    handler: ({ caller, params, query }) => shares.list(caller, params.id, query),
  }),
  route({
    method: 'POST',
    path: '/conversations/:id/shares',
    operationId: 'shareConversation',
    summary: 'Let others read a conversation as it stands now',
    description:
      'A read-only view of the active branch up to now, or up to a message: words, names of agents and titles of sources; neither costs nor calls of tools. What is said later is not in it.',
    tag,
    access: 'conversations:write',
    params: ConversationParams,
    body: CreateShare,
    audit: { action: 'share.created', targetType: 'share', each: true },
    responses: { 201: CreatedShare },
    handler: async ({ caller, params, body, noteOn, request, reply }) => {
      const share = await shares.create(caller, params.id, body, noteOn);
      reply.header('location', locationOf(request, `/conversations/${params.id}/shares/${share.id}`));
      return share;
    },
  }),
  route({
    method: 'DELETE',
    path: '/conversations/:id/shares/:share_id',
    operationId: 'revokeShare',
    summary: 'End a share: it is read no more, at once',
    tag,
    access: 'conversations:write',
    params: ShareParams,
    audit: { action: 'share.revoked', targetType: 'share', target: 'share_id' },
    responses: { 204: null },
    handler: ({ caller, params, note }) => shares.revoke(caller, params.id, params.share_id, note),
  }),
];

const readerRoutes = (shares: Shares): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/shares/:token',
    operationId: 'openShare',
    summary: 'A conversation that somebody of the tenant has shared',
    tag,
    access: 'conversations:read',
    params: TokenParams,
    responses: { 200: SharedConversation },
    handler: ({ caller, params, request, reply, requestId }) => {
      unseen(reply);
      return shares.open(params.token, { caller, requestId, address: request.ip });
    },
  }),
  route({
    method: 'GET',
    path: '/shares/:token/public',
    operationId: 'openPublicShare',
    summary: 'A conversation that somebody has shared by a link, without a sign-in',
    description: 'Only where the setting SHARE_LINKS allows such links; 404 otherwise.',
    tag,
    access: 'public',
    params: TokenParams,
    responses: { 200: SharedConversation },
    handler: ({ params, request, reply, requestId }) => {
      unseen(reply);
      return shares.open(params.token, { caller: null, requestId, address: request.ip });
    },
  }),
];

export const shareRoutes = (shares: Shares): AnyRoute[] => [...ownRoutes(shares), ...readerRoutes(shares)];
