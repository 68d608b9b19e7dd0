import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type AnyRoute, route } from '../../http/route.ts';
import { AppError } from '../../kernel/errors.ts';
import { pageOfAll, pageRequest } from '../../kernel/pagination.ts';
import type { Preferences } from './preferences.ts';
import {
  Entity,
  EntityInput,
  EntityPage,
  EntityPatch,
  EntityQuery,
  Graph,
  GraphQuery,
  IdParams,
  ImportQuery,
  ImportResult,
  MergeInput,
  ObservationParams,
  ObservationPatch,
  ObservationsInput,
  Preference,
  PreferenceInput,
  PreferencePage,
  PreferenceQuery,
  Relation,
  RelationInput,
  RelationPage,
  RelationPatch,
  RelationQuery,
} from './schema.ts';
import type { MemoryService } from './service.ts';
import type { Transfer } from './transfer.ts';

export const NDJSON = 'application/x-ndjson';
const tag = 'Memory';

/** Address of a record under the prefix that the client used. */
const locate = (request: FastifyRequest, reply: FastifyReply, path: string): void => {
  const prefix = /^(.*?)\/memory\//.exec(request.originalUrl)?.[1] ?? '';
  reply.header('location', `${prefix}/memory/${path}`);
};

const entityRoutes = (service: MemoryService): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/memory/entities',
    operationId: 'listMemoryEntities',
    summary: 'Entities of the knowledge graph, the newest first',
    tag,
    access: 'memory:read',
    query: EntityQuery,
    responses: { 200: EntityPage },
    handler: ({ caller, query }) =>
      service.listEntities(caller, { q: query.q, type: query.type }, pageRequest(query)),
  }),
  route({
    method: 'POST',
    path: '/memory/entities',
    operationId: 'createMemoryEntity',
    summary: 'Make an entity, or add observations to the one of this name and type (200)',
    tag,
    access: 'memory:write',
    body: EntityInput,
    responses: { 201: Entity, 200: Entity },
    async handler({ caller, body, request, reply }) {
      const { created, entity } = await service.putEntity(caller, body);
      locate(request, reply, `entities/${entity.id}`);
      reply.code(created ? 201 : 200);
      return entity;
    },
  }),
  route({
    method: 'GET',
    path: '/memory/entities/:id',
    operationId: 'getMemoryEntity',
    summary: 'One entity',
    tag,
    access: 'memory:read',
    params: IdParams,
    responses: { 200: Entity },
    handler: ({ caller, params }) => service.getEntity(caller, params.id),
  }),
  route({
    method: 'PATCH',
    path: '/memory/entities/:id',
    operationId: 'updateMemoryEntity',
    summary: 'Rename an entity, change its type or importance, or share it with the tenant',
    tag,
    access: 'memory:write',
    params: IdParams,
    body: EntityPatch,
    responses: { 200: Entity },
    handler: ({ caller, params, body }) => service.patchEntity(caller, params.id, body),
  }),
  route({
    method: 'DELETE',
    path: '/memory/entities/:id',
    operationId: 'deleteMemoryEntity',
    summary: 'Delete an entity with its observations and relations',
    tag,
    access: 'memory:write',
    params: IdParams,
    audit: { action: 'memory.entity_deleted', targetType: 'entity', target: 'id' },
    responses: { 204: null },
    handler: ({ caller, params, note }) => service.deleteEntity(caller, params.id, note),
  }),
  route({
    method: 'POST',
    path: '/memory/entities/:id/merge',
    operationId: 'mergeMemoryEntities',
    summary: 'Take another entity of the same owner into this one',
    tag,
    access: 'memory:write',
    params: IdParams,
    body: MergeInput,
    audit: { action: 'memory.entity_merged', targetType: 'entity', target: 'id' },
    responses: { 200: Entity },
    handler: ({ caller, params, body, note }) =>
      service.mergeEntities(caller, params.id, body.entity_id, note),
  }),
];

const observationRoutes = (service: MemoryService): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/memory/entities/:id/observations',
    operationId: 'addMemoryObservations',
    summary: 'Add observations; what was said already is not repeated (200 when nothing is new)',
    tag,
    access: 'memory:write',
    params: IdParams,
    body: ObservationsInput,
    responses: { 201: Entity, 200: Entity },
    async handler({ caller, params, body, request, reply }) {
      const { added, entity } = await service.addObservations(caller, params.id, body);
      locate(request, reply, `entities/${entity.id}`);
      reply.code(added > 0 ? 201 : 200);
      return entity;
    },
  }),
  route({
    method: 'PATCH',
    path: '/memory/entities/:id/observations/:observation_id',
    operationId: 'correctMemoryObservation',
    summary: 'Correct an observation: the earlier wording ends and stays as history',
    tag,
    access: 'memory:write',
    params: ObservationParams,
    body: ObservationPatch,
    responses: { 200: Entity },
    handler: ({ caller, params, body }) =>
      service.correctObservation(caller, params.id, params.observation_id, body.text),
  }),
  route({
    method: 'DELETE',
    path: '/memory/entities/:id/observations/:observation_id',
    operationId: 'deleteMemoryObservation',
    summary: 'Delete an observation for good',
    tag,
    access: 'memory:write',
    params: ObservationParams,
    audit: { action: 'memory.observation_deleted', targetType: 'observation', target: 'observation_id' },
    responses: { 204: null },
    handler: ({ caller, params, note }) =>
      service.deleteObservation(caller, params.id, params.observation_id, note),
  }),
];

const relationRoutes = (service: MemoryService): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/memory/relations',
    operationId: 'listMemoryRelations',
    summary: 'Relations between entities, the newest first',
    tag,
    access: 'memory:read',
    query: RelationQuery,
    responses: { 200: RelationPage },
    handler: ({ caller, query }) =>
      service.listRelations(
        caller,
        { entity_id: query.entity_id, type: query.type, at: query.at },
        pageRequest(query),
      ),
  }),
  route({
    method: 'POST',
    path: '/memory/relations',
    operationId: 'createMemoryRelation',
    summary: 'Tie two entities; the same relation that holds already is answered with 200',
    tag,
    access: 'memory:write',
    body: RelationInput,
    responses: { 201: Relation, 200: Relation },
    async handler({ caller, body, request, reply }) {
      const { created, relation } = await service.putRelation(caller, body);
      locate(request, reply, `relations/${relation.id}`);
      reply.code(created ? 201 : 200);
      return relation;
    },
  }),
  route({
    method: 'GET',
    path: '/memory/relations/:id',
    operationId: 'getMemoryRelation',
    summary: 'One relation',
    tag,
    access: 'memory:read',
    params: IdParams,
    responses: { 200: Relation },
    handler: ({ caller, params }) => service.getRelation(caller, params.id),
  }),
  route({
    method: 'PATCH',
    path: '/memory/relations/:id',
    operationId: 'updateMemoryRelation',
    summary: 'Change a relation, or end it',
    tag,
    access: 'memory:write',
    params: IdParams,
    body: RelationPatch,
    responses: { 200: Relation },
    handler: ({ caller, params, body }) => service.patchRelation(caller, params.id, body),
  }),
  route({
    method: 'DELETE',
    path: '/memory/relations/:id',
    operationId: 'deleteMemoryRelation',
    summary: 'Delete a relation',
    tag,
    access: 'memory:write',
    params: IdParams,
    audit: { action: 'memory.relation_deleted', targetType: 'relation', target: 'id' },
    responses: { 204: null },
    handler: ({ caller, params, note }) => service.deleteRelation(caller, params.id, note),
  }),
  route({
    method: 'GET',
    path: '/memory/graph',
    operationId: 'getMemoryGraph',
    summary: 'What is reachable from an entity in one to three steps',
    tag,
    access: 'memory:read',
    query: GraphQuery,
    responses: { 200: Graph },
    handler: ({ caller, query }) => service.graph(caller, query),
  }),
];

const transferRoutes = (service: MemoryService, transfer: Transfer, maxImportBytes: number): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/memory/export',
    operationId: 'exportMemory',
    summary: 'The own and the shared memory as JSON Lines, in the form of the public MCP memory server',
    tag,
    access: 'memory:read',
    produces: NDJSON,
    audit: { action: 'memory.exported', targetType: 'memory' },
    responses: { 200: Type.String() },
    async handler({ caller, reply }) {
      const lines = await transfer.export(caller);
      return reply
        .type(NDJSON)
        .serializer((text: unknown) => String(text))
        .send(lines);
    },
  }),
  route({
    method: 'POST',
    path: '/memory/import',
    operationId: 'importMemory',
    summary: 'Take JSON Lines in, in the form of the public MCP memory server',
    description: 'Lines that cannot be read, say nothing new, or tie unknown names are counted as skipped.',
    tag,
    access: 'memory:write',
    query: ImportQuery,
    consumes: [NDJSON],
    uploads: { [NDJSON]: Type.String({ description: 'One JSON object a line' }) },
    bodyLimitBytes: maxImportBytes,
    audit: { action: 'memory.imported', targetType: 'memory' },
    responses: { 200: ImportResult },
    handler({ caller, query, request }) {
      // The parser of this content type gives text (http/app.ts); no body at all is an empty one.
      const isLines = request.headers['content-type']?.toLowerCase().startsWith(NDJSON) === true;
      if (!isLines) throw new AppError('UNSUPPORTED_MEDIA_TYPE', `this operation takes ${NDJSON}`);
      const lines = typeof request.body === 'string' ? request.body : '';
      return transfer.import(caller, service.ownerFor(caller, query.visibility), lines);
    },
  }),
];

const preferenceRoutes = (preferences: Preferences): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/memory/preferences',
    operationId: 'listMemoryPreferences',
    summary: 'How the caller wants to be answered, as the agents are told, the newest first',
    description: 'Corrected and deleted as observations of the entity that holds them.',
    tag,
    access: 'memory:read',
    query: PreferenceQuery,
    responses: { 200: PreferencePage },
    handler: async ({ caller, query }) => pageOfAll(await preferences.list(caller), pageRequest(query)),
  }),
  route({
    method: 'POST',
    path: '/memory/preferences',
    operationId: 'setMemoryPreference',
    summary: 'Set how the caller wants to be answered (200 when it was set already)',
    tag,
    access: 'memory:write',
    body: PreferenceInput,
    responses: { 201: Preference, 200: Preference },
    async handler({ caller, body, request, reply }) {
      const { isNew, preference } = await preferences.set(caller, body);
      locate(request, reply, `entities/${preference.entity_id}`);
      reply.code(isNew ? 201 : 200);
      return preference;
    },
  }),
];

export const memoryRoutes = (
  service: MemoryService,
  preferences: Preferences,
  transfer: Transfer,
  maxImportBytes: number,
): AnyRoute[] => [
  ...entityRoutes(service),
  ...observationRoutes(service),
  ...relationRoutes(service),
  ...preferenceRoutes(preferences),
  ...transferRoutes(service, transfer, maxImportBytes),
];
