import type { Role, Scope } from '../../kernel/caller.ts';
import type { EmbeddingPayer } from '../../kernel/embedder.ts';
import type { LeftOut } from '../../kernel/parser.ts';
import type { Patched, Visibility } from './rules.ts';

/** What services need of the store and of other features. */

export interface KnowledgeDocument {
  id: string;
  tenantId: string;
  userId: string;
  title: string;
  filename: string | null;
  contentType: string;
  sizeBytes: number;
  sha256: string;
  language: string | null;
  pageCount: number | null;
  chunkCount: number;
  visibility: Visibility;
  /** Who may read it, with visibility `role`; else empty. */
  readerRoles: readonly Role[];
  metadata: Record<string, unknown>;
  createdAt: number;
  indexedAt: number | null;
  /** Name in the source that it comes from. */
  externalId: string | null;
  /** From 1; another with each replacement of the content. */
  version: number;
  /** An administrator vouches for it as it is. */
  trusted: boolean;
  /** Pages that show something and have no text, from 1. */
  unreadPages: readonly number[];
  /** What the reader left out on purpose, by kind. */
  leftOut: readonly LeftOut[];
  patched: Patched;
}

/** Who may read a document beside its owner; `readerRoles` is empty but with `role`. */
export interface Sharing {
  visibility: Visibility;
  readerRoles: readonly Role[];
}

export interface UploadInput {
  bytes: Uint8Array;
  /** Cleaned by `cleanFilename`. */
  filename: string | null;
  /** What the client says it is; decides among text formats only. */
  declaredType: string | null;
  title: string | null;
  /** Null: none, or what the document that is replaced has. */
  metadata: Record<string, unknown> | null;
  /** Null: private, or what the document that is replaced has. */
  sharing: Sharing | null;
  /** Name in its source; the same again replaces the content. */
  externalId: string | null;
  /** What an administrator says of it; null: nothing. */
  trusted: boolean | null;
  /** Where in the request the bytes were, for error details: `/file`, `/content` or `/url`. */
  field: string;
}

/** What came beside the bytes of an upload that is read in the background, and who sent it. */
export interface UploadRequest extends Omit<UploadInput, 'bytes' | 'externalId'> {
  callerType: 'person' | 'service';
  /** What a PATCH has set since it came, and when. */
  patched?: Patched;
  /** The last PATCH of it. */
  changed?: string;
}

/** How far the reading of a file is; null: not known, or its kind has no pages. */
export interface UploadProgress {
  pagesDone: number | null;
  pages: number | null;
  chunksDone: number;
  chunks: number | null;
}

/** Why an upload has failed, in the form of an error of the API. */
export interface UploadFault {
  code: string;
  message: string;
  details: Record<string, unknown>;
}

/** An upload that is read in the background. */
export interface WaitingUpload {
  id: string;
  tenantId: string;
  userId: string;
  /** Of the document that it becomes, or whose content it replaces. */
  documentId: string;
  externalId: string | null;
  failed: boolean;
  sha256: string;
  sizeBytes: number;
  request: UploadRequest;
  requestId: string;
  progress: UploadProgress;
  attempts: number;
  error: UploadFault | null;
  createdAt: number;
}

export interface DocumentChanges {
  title?: string;
  metadata?: Record<string, unknown>;
  sharing?: Sharing;
  trusted?: boolean;
  /** Version that the caller has looked at. */
  seenVersion?: number;
}

export interface DocumentVersion {
  version: number;
  title: string;
  sha256: string;
  sizeBytes: number;
  createdAt: number;
}

export interface SearchFilters {
  documentIds?: readonly string[];
  /** Full content types. Any of them. */
  contentTypes?: readonly string[];
  /** Any of them. */
  tags?: readonly string[];
  /** Epoch ms, exclusive. */
  createdAfter?: number;
  createdBefore?: number;
  /** Each must be equal (or, for an array, contained). */
  metadata?: Record<string, unknown>;
}

export interface Passage {
  seq: number;
  chunkId: string;
  documentId: string;
  title: string;
  contentType: string;
  metadata: Record<string, unknown>;
  page: number | null;
  headingPath: string[];
  ordinal: number;
  text: string;
  trusted: boolean;
}

export interface StoredChunk {
  id: string;
  documentId: string;
  ordinal: number;
  start: number;
  end: number;
  page: number | null;
  headingPath: string[];
  text: string;
}

export interface MemorySearchHit {
  id: string;
  title: string;
  content: string;
  /** 0–1. */
  score: number;
  metadata: Record<string, unknown>;
}

/** The memory feature's search, for `include_memories`. */
export type SearchMemories = (scope: Scope, query: string, limit: number) => Promise<MemorySearchHit[]>;

/**
 * Puts a call of the reranker on the ledger: reserves the cost of `boundTokens`, runs the work and settles what it says it
 * read, up to that. Throws COST_EXCEEDED before the provider is called.
 */
export type ChargeEmbedding = <T>(
  call: EmbeddingPayer & { model: string; boundTokens: number },
  work: () => Promise<{ result: T; tokens: number; estimated: boolean }>,
) => Promise<T>;
