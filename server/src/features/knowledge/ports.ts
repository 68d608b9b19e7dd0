import type { Scope } from '../../kernel/caller.ts';
import type { Visibility } from './rules.ts';

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
  metadata: Record<string, unknown>;
  createdAt: number;
  indexedAt: number | null;
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

export interface MemoryHit {
  id: string;
  title: string;
  content: string;
  /** 0–1. */
  score: number;
  metadata: Record<string, unknown>;
}

/** The memory feature's search, for `include_memories`. */
export type SearchMemories = (scope: Scope, query: string, limit: number) => Promise<MemoryHit[]>;
