import { type AnyRoute, route } from '../../../http/route.ts';
import { pageRequest } from '../../../kernel/pagination.ts';
import { ListQuery } from '../schema.ts';
import { ClientParams, NewOauthClient, OauthClientCreated, OauthClientPage } from './schema.ts';
import type { Clients } from './service.ts';

const tag = 'OAuth clients';
const surface = 'v2' as const;

export const clientRoutes = (clients: Clients): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/oauth/clients',
    surface,
    operationId: 'listOauthClients',
    summary: 'Registered clients of the tenant',
    tag,
    access: 'clients:manage',
    query: ListQuery,
    responses: { 200: OauthClientPage },
    handler: ({ caller, query }) => clients.list(caller, pageRequest(query)),
  }),
  route({
    method: 'POST',
    path: '/oauth/clients',
    surface,
    operationId: 'createOauthClient',
    summary: 'Register a client; the secret of a confidential one is shown once',
    tag,
    access: 'clients:manage',
    body: NewOauthClient,
    responses: { 201: OauthClientCreated },
    handler: async ({ caller, body, reply, requestId }) => {
      const client = await clients.create(caller, body, requestId);
      reply.header('cache-control', 'no-store');
      return client;
    },
  }),
  route({
    method: 'DELETE',
    path: '/oauth/clients/:client_id',
    surface,
    operationId: 'deleteOauthClient',
    summary: 'Delete a client; every token fetched through it dies at once',
    tag,
    access: 'clients:manage',
    params: ClientParams,
    responses: { 204: null },
    handler: ({ caller, params, requestId }) => clients.remove(caller, params.client_id, requestId),
  }),
];
