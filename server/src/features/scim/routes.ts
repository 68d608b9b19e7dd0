import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AnyRoute, route } from '../../http/route.ts';
import { AppError, notFound } from '../../kernel/errors.ts';
import { type ListQuery, partsOf } from './answers.ts';
import { isObject, type Resource } from './attributes.ts';
import { listOf, providerConfig, resourceTypesOf, schemasOf } from './discovery.ts';
import type { ScimGroups } from './groups.ts';
import type { ScimPeople } from './people.ts';
import {
  DirectoryGroup,
  DirectoryGroupPage,
  DirectoryGroupParams,
  DirectoryGroupQuery,
  DiscoveryId,
  GroupRoles,
  ScimId,
  ScimList,
  ScimParts,
  ScimResource,
} from './schema.ts';

const tag = 'Directory';
const PREFIX = '/scim/v2';

export interface ScimServices {
  people: ScimPeople;
  groups: ScimGroups;
  base(): string;
}

/** Of every route of the protocol: it has a description of its own, and stands in no document of ours. */
const wire = {
  surface: 'root',
  tag,
  access: 'scim:manage',
  undocumented: true,
  idempotency: 'own',
  produces: 'application/scim+json',
} as const;

const TYPE = 'application/scim+json; charset=utf-8';

const sent = (reply: FastifyReply, resource: Resource): Resource => {
  reply.type(TYPE);
  const { meta } = resource;
  if (isObject(meta)) {
    if (typeof meta.version === 'string') reply.header('etag', meta.version);
    if (reply.statusCode === 201 && typeof meta.location === 'string')
      reply.header('location', meta.location);
  }
  return resource;
};

const ifMatch = (request: FastifyRequest): string | undefined => {
  const header = request.headers['if-match'];
  return header === undefined || header === '' ? undefined : header;
};

const discoveryRoutes = ({ base }: ScimServices): AnyRoute[] => [
  route({
    ...wire,
    method: 'GET',
    path: `${PREFIX}/ServiceProviderConfig`,
    operationId: 'scimServiceProviderConfig',
    summary: 'What this SCIM server can do',
    responses: { 200: ScimResource },
    handler: ({ reply }) => sent(reply, providerConfig(base())),
  }),
  ...[
    { name: 'ResourceTypes', all: resourceTypesOf },
    { name: 'Schemas', all: schemasOf },
  ].flatMap(({ name, all }) => [
    route({
      ...wire,
      method: 'GET',
      path: `${PREFIX}/${name}`,
      operationId: `scimList${name}`,
      summary: `${name} of the SCIM server`,
      query: ScimList,
      responses: { 200: ScimResource },
      handler: ({ reply }) => sent(reply, listOf(all(base()))),
    }),
    route({
      ...wire,
      method: 'GET',
      path: `${PREFIX}/${name}/:id`,
      operationId: `scimGet${name}`,
      summary: `One of the ${name}`,
      params: DiscoveryId,
      responses: { 200: ScimResource },
      handler: ({ reply, params }) => {
        const found = all(base()).find(({ id }) => id === params.id);
        if (found === undefined) throw notFound(name);
        return sent(reply, found);
      },
    }),
  ]),
];

/** RFC 7644, section 3.12: what is known and not served is 501. */
const unserved = [
  { method: 'POST', path: '/Bulk', operationId: 'scimBulk', what: 'bulk operations' },
  {
    method: 'POST',
    path: '/.search',
    operationId: 'scimSearch',
    what: 'a search over several resource types',
  },
  { method: 'GET', path: '/Me', operationId: 'scimGetMe', what: '/Me' },
] as const;

const unservedRoutes = (): AnyRoute[] =>
  unserved.map(({ method, path, operationId, what }) =>
    route({
      ...wire,
      method,
      path: `${PREFIX}${path}`,
      operationId,
      summary: 'Not served',
      ...(method === 'POST' ? { body: ScimResource } : {}),
      responses: { 200: ScimResource },
      handler: () => {
        throw new AppError('NOT_IMPLEMENTED', `this server does not serve ${what}`);
      },
    }),
  );

const wordOf = (value: unknown): string | undefined =>
  Array.isArray(value)
    ? value.join(',')
    : typeof value === 'string' || typeof value === 'number'
      ? String(value)
      : undefined;

/** The parameters of a list in the body of `.search` (RFC 7644, section 3.4.3). */
const searchOf = (body: Resource): ListQuery => ({
  filter: wordOf(body.filter),
  startIndex: wordOf(body.startIndex),
  count: wordOf(body.count),
  attributes: wordOf(body.attributes),
  excludedAttributes: wordOf(body.excludedAttributes),
});

const resourceRoutes = (name: 'User' | 'Group', service: ScimPeople | ScimGroups): AnyRoute[] => [
  route({
    ...wire,
    method: 'GET',
    path: `${PREFIX}/${name}s`,
    operationId: `scimList${name}s`,
    summary: `${name}s of the directory`,
    query: ScimList,
    responses: { 200: ScimResource },
    handler: async ({ caller, query, reply }) => sent(reply, await service.list(caller.tenantId, query)),
  }),
  route({
    ...wire,
    method: 'POST',
    path: `${PREFIX}/${name}s/.search`,
    operationId: `scimSearch${name}s`,
    summary: `${name}s of the directory, asked for in a body`,
    body: ScimResource,
    responses: { 200: ScimResource },
    handler: async ({ caller, body, reply }) =>
      sent(reply, await service.list(caller.tenantId, searchOf(body))),
  }),
  route({
    ...wire,
    method: 'POST',
    path: `${PREFIX}/${name}s`,
    operationId: `scimCreate${name}`,
    summary: `Create a ${name}`,
    query: ScimParts,
    body: ScimResource,
    responses: { 201: ScimResource },
    handler: async ({ caller, body, query, reply, requestId }) => {
      // Refused before anything is written.
      partsOf(query);
      return sent(reply, await service.create({ caller, requestId }, body, query));
    },
  }),
  route({
    ...wire,
    method: 'GET',
    path: `${PREFIX}/${name}s/:id`,
    operationId: `scimGet${name}`,
    summary: `One ${name}`,
    params: ScimId,
    query: ScimParts,
    responses: { 200: ScimResource },
    handler: async ({ caller, params, query, reply }) =>
      sent(reply, await service.get(caller.tenantId, params.id, query)),
  }),
  ...(['PUT', 'PATCH'] as const).map((method) =>
    route({
      ...wire,
      method,
      path: `${PREFIX}/${name}s/:id`,
      operationId: `scim${method === 'PUT' ? 'Replace' : 'Patch'}${name}`,
      summary: `Change a ${name}`,
      params: ScimId,
      query: ScimParts,
      body: ScimResource,
      responses: { 200: ScimResource },
      handler: async ({ caller, params, query, body, reply, request, requestId }) => {
        partsOf(query);
        const how = { ...query, ifMatch: ifMatch(request) };
        const act = method === 'PUT' ? service.replace : service.patch;
        return sent(reply, await act({ caller, requestId }, params.id, body, how));
      },
    }),
  ),
  route({
    ...wire,
    method: 'DELETE',
    path: `${PREFIX}/${name}s/:id`,
    operationId: `scimDelete${name}`,
    summary: `Remove a ${name}`,
    params: ScimId,
    responses: { 204: null },
    handler: ({ caller, params, request, requestId }) =>
      service.remove({ caller, requestId }, params.id, ifMatch(request)),
  }),
];

const administratorRoutes = ({ groups }: ScimServices): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/directory/groups',
    surface: 'v2',
    operationId: 'listDirectoryGroups',
    summary: "Groups that the company's directory has sent by SCIM, with the roles that they give",
    tag,
    access: 'users:read',
    query: DirectoryGroupQuery,
    responses: { 200: DirectoryGroupPage },
    handler: ({ caller, query }) => groups.groups(caller, query),
  }),
  route({
    method: 'PUT',
    path: '/directory/groups/:id/roles',
    surface: 'v2',
    operationId: 'setDirectoryGroupRoles',
    summary: 'Give the members of a group roles',
    description:
      "With the first group that gives roles, those of all of the directory's people follow from their groups; who is in none that gives any has the role user.",
    tag,
    access: 'users:manage',
    params: DirectoryGroupParams,
    body: GroupRoles,
    responses: { 200: DirectoryGroup },
    handler: ({ caller, params, body, requestId }) =>
      groups.setRoles({ caller, requestId }, params.id, body.roles),
  }),
];

export const scimRoutes = (services: ScimServices): AnyRoute[] => [
  ...discoveryRoutes(services),
  ...unservedRoutes(),
  ...resourceRoutes('User', services.people),
  ...resourceRoutes('Group', services.groups),
  ...administratorRoutes(services),
];
