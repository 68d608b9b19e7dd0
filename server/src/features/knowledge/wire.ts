import type { Static } from 'typebox';
import type { Role } from '../../kernel/caller.ts';
import { iso, isoOrNull } from '../../kernel/clock.ts';
import { type FieldFault, invalid } from '../../kernel/errors.ts';
import type {
  DocumentVersion,
  KnowledgeDocument,
  SearchFilters,
  Sharing,
  StoredChunk,
  WaitingUpload,
} from './ports.ts';
import {
  canonicalJson,
  contentTypeFault,
  factsOf,
  fullContentType,
  titleOf,
  type Visibility,
} from './rules.ts';
import type { ChunkWire, DocumentWire, SearchFiltersWire, SearchResultWire, VersionWire } from './schema.ts';
import type { SearchResult } from './search.service.ts';
import { fold, foldedName } from './terms.rules.ts';

/** Between the wire's names and the inside's. */

/** How the upload stands that is to become the document or its next version. */
const uploadWire = (waiting: WaitingUpload | null): Pick<DocumentWire, 'status' | 'progress' | 'error'> => {
  if (waiting === null) return { status: 'indexed', progress: null, error: null };
  const { pagesDone, pages, chunksDone, chunks } = waiting.progress;
  return {
    status: waiting.failed ? 'failed' : 'processing',
    progress: { pages_done: pagesDone, pages, chunks_done: chunksDone, chunks },
    error: waiting.error,
  };
};

/** Of a file that is no document yet: what is known of it before it is read. */
const waitingWire = (waiting: WaitingUpload): DocumentWire => {
  const { request } = waiting;
  return {
    id: waiting.documentId,
    title: titleOf(request.title, null, request.filename, ''),
    filename: request.filename,
    content_type: request.declaredType ?? 'application/octet-stream',
    size_bytes: waiting.sizeBytes,
    sha256: waiting.sha256,
    language: null,
    chunk_count: 0,
    page_count: null,
    visibility: request.sharing?.visibility ?? 'private',
    roles: [...(request.sharing?.readerRoles ?? [])],
    metadata: request.metadata ?? {},
    created_by: waiting.userId,
    created_at: iso(waiting.createdAt),
    indexed_at: null,
    external_id: waiting.externalId,
    version: 1,
    trusted: false,
    unread_pages: [],
    left_out: [],
    ...uploadWire(waiting),
  };
};

/** The filters of the list, for what is no row of `documents` yet: as they hold for a document (read.store.ts). */
export const isListed = (
  wire: Pick<DocumentWire, 'title' | 'filename' | 'content_type' | 'metadata'>,
  by: { tags: readonly string[]; contentTypes: readonly string[]; q: string | undefined },
): boolean => {
  const { tags, contentTypes, q } = by;
  const tagged = new Set(factsOf(wire.metadata).flatMap((f) => (f.key === 'tags' ? [f.value] : [])));
  return (
    (tags.length === 0 || tags.some((tag) => tagged.has(canonicalJson(tag)))) &&
    (contentTypes.length === 0 || contentTypes.includes(fullContentType(wire.content_type))) &&
    (q === undefined || foldedName(wire.title, wire.filename).includes(fold(q)))
  );
};

export const shownWire = (
  shown:
    | { document: KnowledgeDocument; waiting: WaitingUpload | null }
    | { document: null; waiting: WaitingUpload },
): DocumentWire =>
  shown.document === null ? waitingWire(shown.waiting) : documentWire(shown.document, shown.waiting);

export const documentWire = (
  document: KnowledgeDocument,
  waiting: WaitingUpload | null = null,
): DocumentWire => ({
  id: document.id,
  title: document.title,
  filename: document.filename,
  content_type: document.contentType,
  size_bytes: document.sizeBytes,
  sha256: document.sha256,
  language: document.language,
  chunk_count: document.chunkCount,
  page_count: document.pageCount,
  visibility: document.visibility,
  roles: [...document.readerRoles],
  metadata: document.metadata,
  created_by: document.userId,
  created_at: iso(document.createdAt),
  indexed_at: isoOrNull(document.indexedAt),
  external_id: document.externalId,
  version: document.version,
  trusted: document.trusted,
  unread_pages: [...document.unreadPages],
  left_out: document.leftOut.map(({ what, count }) => ({ what, count })),
  ...uploadWire(waiting),
});

export const versionWire = (version: DocumentVersion): Static<typeof VersionWire> => ({
  version: version.version,
  title: version.title,
  sha256: version.sha256,
  size_bytes: version.sizeBytes,
  created_at: iso(version.createdAt),
});

export const chunkWire = (chunk: StoredChunk): Static<typeof ChunkWire> => ({
  id: chunk.id,
  document_id: chunk.documentId,
  ordinal: chunk.ordinal,
  content: chunk.text,
  page: chunk.page,
  heading_path: chunk.headingPath,
  start: chunk.start,
  end: chunk.end,
});

export const resultWire = (result: SearchResult): Static<typeof SearchResultWire> => {
  if (result.type === 'memory') {
    const { id, score, title, content, highlights, metadata } = result;
    return {
      type: 'memory',
      id,
      score,
      document_id: null,
      chunk_id: null,
      title,
      content,
      page: null,
      highlights,
      metadata,
    };
  }
  const { passage, score, highlights } = result.hit;
  return {
    type: 'document',
    id: passage.chunkId,
    score,
    document_id: passage.documentId,
    chunk_id: passage.chunkId,
    title: passage.title,
    content: passage.text,
    page: passage.page,
    highlights,
    metadata: passage.metadata,
  };
};

/** Undefined when the request says nothing of who may read. Throws VALIDATION_ERROR. */
export const sharingOf = (wire: {
  visibility?: Visibility | undefined;
  roles?: readonly Role[] | undefined;
}): Sharing | undefined => {
  const { visibility, roles } = wire;
  if (visibility === 'role') {
    if (roles === undefined)
      throw invalid({ field: '/roles', reason: 'is required with the visibility role' });
    return { visibility, readerRoles: roles };
  }
  if (roles !== undefined)
    throw invalid({ field: '/roles', reason: 'must stand with the visibility role only' });
  return visibility === undefined ? undefined : { visibility, readerRoles: [] };
};

const time = (text: string | undefined, field: string): number | undefined => {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw invalid({ field, reason: 'must be a valid date-time' });
  return ms;
};

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** Filters that no document could ever pass: a mistake of the caller, which an empty answer would hide. */
const filterFaults = ({ document_ids = [], content_types = [] }: SearchFiltersWire): FieldFault[] => [
  ...document_ids.flatMap((id, i) =>
    UUID.test(id) ? [] : [{ field: `/filters/document_ids/${i}`, reason: 'must be the id of a document' }],
  ),
  ...content_types.flatMap((type, i) => {
    const reason = contentTypeFault(type);
    return reason === null ? [] : [{ field: `/filters/content_types/${i}`, reason }];
  }),
];

/** Null when nothing narrows. Throws VALIDATION_ERROR. */
export const searchFilters = (wire: SearchFiltersWire | undefined): SearchFilters | null => {
  if (wire === undefined || Object.keys(wire).length === 0) return null;
  const faults = filterFaults(wire);
  if (faults.length > 0) throw invalid(...faults);
  const createdAfter = time(wire.created_after, '/filters/created_after');
  const createdBefore = time(wire.created_before, '/filters/created_before');
  return {
    ...(wire.document_ids ? { documentIds: wire.document_ids } : {}),
    ...(wire.content_types ? { contentTypes: wire.content_types.map(fullContentType) } : {}),
    ...(wire.tags ? { tags: wire.tags } : {}),
    ...(createdAfter === undefined ? {} : { createdAfter }),
    ...(createdBefore === undefined ? {} : { createdBefore }),
    ...(wire.metadata ? { metadata: wire.metadata } : {}),
  };
};

export const commaList = (text: string | undefined): string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const MAX_METADATA_BYTES = 32 * 1024;

/** Faults of metadata that its schema does not see. */
export const metadataFaults = (metadata: Record<string, unknown> | undefined): FieldFault[] => {
  if (metadata === undefined) return [];
  if (Buffer.byteLength(canonicalJson(metadata)) > MAX_METADATA_BYTES) {
    return [{ field: '/metadata', reason: 'must have at most 32 KiB' }];
  }
  return [];
};
