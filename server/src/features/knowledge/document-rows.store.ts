import type { Selectable } from 'kysely';
import type { DocumentRow } from '../../db/tables/knowledge.ts';
import type { LeftOut } from '../../kernel/parser.ts';
import type { KnowledgeDocument } from './ports.ts';
import { type Patched, rolesIn, type Visibility } from './rules.ts';

/** Document rows to documents, without the text, which lists do not need. */

export const COLUMNS = [
  'documents.id',
  'documents.tenant_id',
  'documents.user_id',
  'documents.title',
  'documents.filename',
  'documents.content_type',
  'documents.size_bytes',
  'documents.sha256',
  'documents.language',
  'documents.page_count',
  'documents.chunk_count',
  'documents.visibility',
  'documents.metadata',
  'documents.created_at',
  'documents.indexed_at',
  'documents.external_id',
  'documents.version',
  'documents.reader_roles',
  'documents.trusted',
  'documents.unread_pages',
  'documents.left_out',
  'documents.patched',
] as const;

type ListedRow = Omit<
  Selectable<DocumentRow>,
  'status' | 'folded_name' | 'text' | 'model_n' | 'chunking_version' | 'generation'
>;

/** What this feature itself wrote as JSON. */
export const json = <T>(text: string): T => JSON.parse(text) as T;

export const patchedIn = (text: string | null): Patched => (text === null ? {} : json<Patched>(text));

export const toVisibility = (text: string): Visibility =>
  text === 'tenant' || text === 'role' ? text : 'private';

export const toDocument = (row: ListedRow): KnowledgeDocument => ({
  id: row.id,
  tenantId: row.tenant_id,
  userId: row.user_id,
  title: row.title,
  filename: row.filename,
  contentType: row.content_type,
  sizeBytes: row.size_bytes,
  sha256: row.sha256,
  language: row.language,
  pageCount: row.page_count,
  chunkCount: row.chunk_count,
  visibility: toVisibility(row.visibility),
  readerRoles: rolesIn(row.reader_roles),
  metadata: json(row.metadata),
  createdAt: row.created_at,
  indexedAt: row.indexed_at,
  externalId: row.external_id,
  version: row.version,
  trusted: row.trusted === 1,
  unreadPages: json<number[]>(row.unread_pages),
  leftOut: json<LeftOut[]>(row.left_out),
  patched: patchedIn(row.patched),
});
