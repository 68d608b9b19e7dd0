import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { contentDisposition } from '../../http/content-disposition.ts';
import { fingerprintOf, type Idempotency, idempotencyKey, replayOwner } from '../../http/idempotency.ts';
import { replayAnswer } from '../../http/mount.ts';
import { uploadPreference } from '../../http/prefer.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { type Caller, readScope } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { invalid, notFound } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import { pageRequest, pageResult } from '../../kernel/pagination.ts';
import { PageQuery, Strict } from '../../kernel/schema.ts';
import type { DocumentsService } from './documents.service.ts';
import type { FetchDocument } from './fetch-document.ts';
import type { UploadInput } from './ports.ts';
import { downloadName, fullContentType } from './rules.ts';
import {
  ChunkPage,
  ContentQuery,
  DocumentCreate,
  DocumentListQuery,
  DocumentPage,
  DocumentParams,
  DocumentPatch,
  DocumentUpload,
  DocumentWire,
  SearchRequest,
  SearchResponse,
  TagList,
  VersionList,
} from './schema.ts';
import type { SearchService } from './search.service.ts';
import type { KnowledgeStore } from './store.ts';
import { readUpload } from './upload-body.ts';
import {
  chunkWire,
  commaList,
  isListed,
  metadataFaults,
  resultWire,
  searchFilters,
  sharingOf,
  shownWire,
  versionWire,
} from './wire.ts';

export interface RouteDeps {
  documents: DocumentsService;
  search: SearchService;
  store: KnowledgeStore;
  idempotency: Idempotency;
  clock: Clock;
  fetchDocument: FetchDocument;
  /** How long an upload is waited for that does not say it. */
  uploadWaitS: number;
}

const tag = 'Knowledge';

/** Ids are UUIDs; whatever else stands there names nothing. */
const documentId = (params: { id: string }): string => {
  if (!isUuid(params.id)) throw notFound('document');
  return params.id;
};

/** The body's identity under an `Idempotency-Key`: the hash of its parts (contract, section 14). */
const uploadFingerprint = (request: FastifyRequest, input: UploadInput): string => {
  const { bytes, ...parts } = input;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return fingerprintOf('POST', request.routeOptions.url ?? '', { ...parts, sha256 });
};

const upload = async (
  { documents, uploadWaitS }: Pick<RouteDeps, 'documents' | 'uploadWaitS'>,
  input: UploadInput,
  { caller, request, reply }: { caller: Caller; request: FastifyRequest; reply: FastifyReply },
) => {
  const { waitMs, applied } = uploadPreference(request.headers.prefer, uploadWaitS);
  const uploaded = await documents.upload(caller, input, { requestId: request.id, waitMs });
  const wire = shownWire(uploaded);
  reply
    .code(uploaded.waiting === null ? 201 : 202)
    .header('location', `${request.routeOptions.url}/${wire.id}`);
  if (applied !== null) reply.header('preference-applied', applied);
  return wire;
};

/** Headers that belong to the answer, also when it is given again. */
const replayed = (reply: FastifyReply): Record<string, string> =>
  Object.fromEntries(
    ['location', 'preference-applied'].flatMap((name) => {
      const value = reply.getHeader(name);
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );

const listRoute = ({ store, documents }: RouteDeps): AnyRoute =>
  route({
    method: 'GET',
    path: '/knowledge/documents',
    operationId: 'listDocuments',
    summary: 'Indexed documents, newest first',
    tag,
    access: 'knowledge:read',
    query: DocumentListQuery,
    responses: { 200: DocumentPage },
    async handler({ caller, query }) {
      const page = pageRequest(query);
      const scope = readScope(caller);
      const tags = commaList(query.tags);
      const contentTypes = commaList(query.content_type).map(fullContentType);
      if (query.status === 'processing' || query.status === 'failed') {
        const { shown, total } = await documents.waiting(scope, query.status === 'failed', page, (one) =>
          isListed(shownWire(one), { tags, contentTypes, q: query.q }),
        );
        const result = pageResult(page, shown, total, ({ waiting }) => waiting);
        return { ...result, items: result.items.map(shownWire) };
      }
      const { documents: found, total } = await store.list(scope, page, {
        ...(tags.length > 0 ? { tags } : {}),
        ...(contentTypes.length > 0 ? { contentTypes } : {}),
        ...(query.q === undefined ? {} : { q: query.q }),
        ...(query.status === undefined ? {} : { settled: true }),
      });
      const result = pageResult(page, found, total, (d) => ({ createdAt: d.createdAt, id: d.id }));
      return { ...result, items: (await documents.withUploads(scope, result.items)).map(shownWire) };
    },
  });

const createRoute = ({ idempotency, fetchDocument, ...deps }: RouteDeps): AnyRoute =>
  route({
    method: 'POST',
    path: '/knowledge/documents',
    operationId: 'createDocument',
    summary: 'Upload and index a document',
    description:
      'multipart/form-data with `file` and optionally `title`, `metadata` (JSON), `visibility` and `roles` (with commas); or JSON {title, content, content_type?, metadata?, visibility?, roles?, trusted?} or {url, …}, where the server reads a public address itself. With `external_id` the same name again replaces the content in place, as a new version. With 201 the document is searchable. What takes longer than `Prefer: wait=N` seconds (default 10; 0 to 300), and everything with `Prefer: respond-async`, is 202: the document is in `processing`, and goes on in the background to `indexed` or `failed`. The same bytes of the same owner give the first document again. What cannot be read is refused with 422 and a reason (empty, encrypted, broken, no_text, unsupported_type, too_large, timeout; of an address also address_refused, unreachable, bad_status).',
    tag,
    access: 'knowledge:write',
    consumes: ['multipart/form-data', 'application/json'],
    uploads: { 'multipart/form-data': DocumentUpload, 'application/json': DocumentCreate },
    idempotency: 'own',
    responses: { 201: DocumentWire, 202: DocumentWire },
    async handler({ caller, request, reply }) {
      const key = idempotencyKey(request.headers['idempotency-key']);
      const input = await readUpload(request, fetchDocument);
      if (key === null) return upload(deps, input, { caller, request, reply });
      return idempotency.once<FastifyReply>(
        { callerId: replayOwner(caller), key, fingerprint: uploadFingerprint(request, input) },
        async () => {
          const document = await upload(deps, input, { caller, request, reply });
          const body = String(reply.serialize(document));
          return {
            send: () =>
              reply
                .serializer((text: unknown) => String(text))
                .type('application/json; charset=utf-8')
                .send(body),
            answer: {
              status: reply.statusCode,
              headers: replayed(reply),
              body,
            },
          };
        },
        (answer) => replayAnswer(reply, answer),
      );
    },
  });

const getRoute = ({ documents }: RouteDeps): AnyRoute =>
  route({
    method: 'GET',
    path: '/knowledge/documents/:id',
    operationId: 'getDocument',
    summary: 'One document',
    tag,
    access: 'knowledge:read',
    params: DocumentParams,
    responses: { 200: DocumentWire },
    handler: async ({ caller, params }) =>
      shownWire(await documents.shown(readScope(caller), documentId(params))),
  });

const updateRoute = ({ documents }: RouteDeps): AnyRoute =>
  route({
    method: 'PATCH',
    path: '/knowledge/documents/:id',
    operationId: 'updateDocument',
    summary: 'Change title, metadata or visibility, or vouch for the document',
    tag,
    access: 'knowledge:write',
    params: DocumentParams,
    body: DocumentPatch,
    responses: { 200: DocumentWire },
    async handler({ caller, params, body }) {
      const faults = metadataFaults(body.metadata);
      if (faults.length > 0) throw invalid(...faults);
      const title = body.title?.trim();
      const sharing = sharingOf(body);
      return shownWire(
        await documents.change(caller, documentId(params), {
          ...(title === undefined ? {} : { title }),
          ...(body.metadata === undefined ? {} : { metadata: body.metadata }),
          ...(sharing === undefined ? {} : { sharing }),
          ...(body.trusted === undefined ? {} : { trusted: body.trusted }),
          ...(body.seen_version === undefined ? {} : { seenVersion: body.seen_version }),
        }),
      );
    },
  });

const deleteRoute = ({ documents }: RouteDeps): AnyRoute =>
  route({
    method: 'DELETE',
    path: '/knowledge/documents/:id',
    operationId: 'deleteDocument',
    summary: 'Delete a document (text, vectors and bytes), or take back an upload that is still read',
    tag,
    access: 'knowledge:write',
    params: DocumentParams,
    audit: { action: 'document.deleted', targetType: 'document', target: 'id' },
    responses: { 204: null },
    handler: ({ caller, params, note }) => documents.remove(caller, documentId(params), note),
  });

const retryRoute = ({ documents }: RouteDeps): AnyRoute =>
  route({
    method: 'POST',
    path: '/knowledge/documents/:id/retry',
    operationId: 'retryDocument',
    summary: 'Read a file again whose upload has failed',
    description: '409 where none has failed. The bytes are kept for 30 days, and are not sent again.',
    tag,
    access: 'knowledge:write',
    params: DocumentParams,
    responses: { 202: DocumentWire },
    handler: async ({ caller, params, reply }) => {
      reply.code(202);
      return shownWire(await documents.retry(caller, documentId(params)));
    },
  });

const contentRoute = ({ documents, store }: RouteDeps): AnyRoute =>
  route({
    method: 'GET',
    path: '/knowledge/documents/:id/content',
    operationId: 'getDocumentContent',
    summary: 'The bytes as uploaded, or the text read from them',
    tag,
    access: 'knowledge:read',
    params: DocumentParams,
    query: ContentQuery,
    responses: { 200: null },
    produces: 'application/octet-stream',
    async handler({ caller, params, query, reply }) {
      const scope = readScope(caller);
      const id = documentId(params);
      if (query.format === 'text') {
        const { document } = await documents.readable(scope, id);
        const text = await store.text(scope, document.id);
        if (text === null) throw notFound('document');
        return reply.type('text/plain; charset=utf-8').send(text);
      }
      const { document, bytes } = await documents.bytes(scope, id);
      // Always as an attachment: somebody else's HTML never runs on this origin.
      return reply
        .header('content-type', document.contentType)
        .header('content-disposition', contentDisposition(downloadName(document)))
        .header('etag', `"${document.sha256}"`)
        .send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    },
  });

const tagsRoute = ({ store }: RouteDeps): AnyRoute =>
  route({
    method: 'GET',
    path: '/knowledge/tags',
    operationId: 'listDocumentTags',
    summary: 'The tags of documents, the collections of this platform, with how many documents each has',
    tag,
    access: 'knowledge:read',
    responses: { 200: TagList },
    async handler({ caller }) {
      return { items: await store.tags(readScope(caller)) };
    },
  });

const versionsRoute = ({ documents, store }: RouteDeps): AnyRoute =>
  route({
    method: 'GET',
    path: '/knowledge/documents/:id/versions',
    operationId: 'listDocumentVersions',
    summary: 'What the versions of a document were, newest first',
    tag,
    access: 'knowledge:read',
    params: DocumentParams,
    responses: { 200: VersionList },
    async handler({ caller, params }) {
      const { document } = await documents.shown(readScope(caller), documentId(params));
      return { items: document === null ? [] : (await store.versions(document.id)).map(versionWire) };
    },
  });

const chunksRoute = ({ documents, store }: RouteDeps): AnyRoute =>
  route({
    method: 'GET',
    path: '/knowledge/documents/:id/chunks',
    operationId: 'listDocumentChunks',
    summary: 'The passages of a document, in reading order',
    tag,
    access: 'knowledge:read',
    params: DocumentParams,
    query: Strict(PageQuery),
    responses: { 200: ChunkPage },
    async handler({ caller, params, query }) {
      const page = pageRequest(query);
      const { document } = await documents.shown(readScope(caller), documentId(params));
      const chunks = document === null ? [] : await store.chunks(document.id, page);
      const result = pageResult(page, chunks, document?.chunkCount ?? 0, (c) => ({
        createdAt: c.ordinal,
        id: c.id,
      }));
      return { ...result, items: result.items.map(chunkWire) };
    },
  });

const searchRoute = ({ search, clock }: RouteDeps): AnyRoute =>
  route({
    method: 'POST',
    path: '/knowledge/search',
    operationId: 'searchKnowledge',
    modelNames: { request: 'SearchRequest', response: 'SearchResponse' },
    summary: 'Hybrid search over documents and, on request, memories',
    tag,
    access: 'knowledge:read',
    body: SearchRequest,
    responses: { 200: SearchResponse },
    async handler({ caller, body }) {
      const startedAt = clock.now();
      const results = await search.search({
        scope: readScope(caller),
        query: body.query,
        limit: body.limit ?? 10,
        filters: searchFilters(body.filters),
        includeMemories: body.include_memories ?? false,
      });
      return { query: body.query, results: results.map(resultWire), took_ms: clock.now() - startedAt };
    },
  });

export const knowledgeRoutes = (deps: RouteDeps): AnyRoute[] => [
  listRoute(deps),
  createRoute(deps),
  getRoute(deps),
  updateRoute(deps),
  deleteRoute(deps),
  retryRoute(deps),
  contentRoute(deps),
  tagsRoute(deps),
  versionsRoute(deps),
  chunksRoute(deps),
  searchRoute(deps),
];
