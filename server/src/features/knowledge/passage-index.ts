import type { Queryable } from '../../db/db.ts';
import type { Scope } from '../../kernel/caller.ts';
import type { SearchFilters } from './ports.ts';
import type { Visibility } from './rules.ts';
import type { QueryTerm } from './terms.rules.ts';

/** A chunk as the two indexes (words and vectors) take it. */
export interface IndexEntry {
  seq: number;
  tenantId: string;
  userId: string;
  visibility: Visibility;
  /** `roleSet` of those that may read it, with visibility `role`. */
  readerRoles: number;
  /** Words (`indexText`) of the title path and of the chunk. */
  titleWords: string;
  words: string;
  vector: Float32Array;
}

export interface EmbeddingModel {
  n: number;
  id: string;
  dimensions: number;
}

export interface Candidate {
  seq: number;
  documentId: string;
}

export type SemanticCandidate = Candidate & { similarity: number };

/** A query as one embedding model sees it. */
export interface QueryVector {
  model: EmbeddingModel;
  vector: Float32Array;
}

/** What is ranked: passages that `scope` may read and `filters` leave, up to `depth` places. */
export interface RankingAsk {
  scope: Scope;
  filters: SearchFilters | null;
  depth: number;
}

/** The ranking indexes of one database engine; `index-sqlite.store.ts` and `index-postgres.store.ts`. */
export interface PassageIndex {
  /** Makes the model's vector table. Throws with advice when the engine lacks what it needs. */
  prepare(tx: Queryable, model: EmbeddingModel): Promise<void>;
  add(tx: Queryable, model: EmbeddingModel, entries: readonly IndexEntry[]): Promise<void>;
  /** Who may read an indexed chunk has changed. */
  share(tx: Queryable, models: readonly EmbeddingModel[], entry: Omit<IndexEntry, 'vector'>): Promise<void>;
  /** From both indexes, whatever model the vectors are of. */
  remove(tx: Queryable, models: readonly EmbeddingModel[], seqs: readonly number[]): Promise<void>;
  /** Drops the vector table of a model that no document has any more. */
  drop(tx: Queryable, model: EmbeddingModel): Promise<void>;
  /** By BM25, best first; no terms find nothing. */
  byWords(ask: RankingAsk, terms: readonly QueryTerm[]): Promise<Candidate[]>;
  /** For each vector: best first, with the cosine to the query. */
  byVectors(ask: RankingAsk, vectors: readonly QueryVector[]): Promise<SemanticCandidate[][]>;
  /** In the background after a start: brings an index of an earlier release into the present form, until `stopped`. */
  renew(stopped: () => boolean): Promise<void>;
  close(): Promise<void>;
}
