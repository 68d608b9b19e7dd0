import type { Generated } from 'kysely';

export interface DocumentRow {
  id: string;
  tenant_id: string;
  user_id: string;
  /** `indexing`, `ready`, `deleting`: see the state table in features/knowledge/store.ts. */
  status: string;
  title: string;
  filename: string | null;
  content_type: string;
  size_bytes: number;
  sha256: string;
  language: string | null;
  page_count: number | null;
  chunk_count: number;
  /** `private`, `tenant` or `role`. */
  visibility: string;
  /** JSON object. */
  metadata: string;
  /** Title and file name in folded form, for `q` of the list. */
  folded_name: string;
  /** The document's text, which chunk offsets count in. */
  text: string;
  /** Number of the model in `embedding_models` whose vectors the chunks have. */
  model_n: number;
  chunking_version: number;
  created_at: number;
  indexed_at: number | null;
  /** Name in the source that the document comes from; unique within its owner. */
  external_id: string | null;
  version: Generated<number>;
  /** The generation of chunks that readers see. */
  generation: Generated<number>;
  /** Set of the roles that may read it, with visibility `role` (`roleSet` in features/knowledge/rules.ts). */
  reader_roles: Generated<number>;
  /** 1: an administrator vouches for these bytes and this title; another of either sets it back to 0. */
  trusted: Generated<number>;
  /** JSON list of the pages that show something and have no text. */
  unread_pages: Generated<string>;
  /** JSON list of what the reader left out on purpose: `{what, count}`. */
  left_out: Generated<string>;
  /** JSON object of the fields that a PATCH has set, each with an id of that moment. */
  patched: Generated<string | null>;
}

/** What each version of a document was; the bytes of earlier ones are not kept. */
export interface DocumentVersionRow {
  document_id: string;
  version: number;
  title: string;
  sha256: string;
  size_bytes: number;
  created_at: number;
}

/** Top-level metadata in a form that can be filtered by: one row for each value, one for each element of an array. */
export interface DocumentFactRow {
  document_id: string;
  key: string;
  /** JSON of the value. */
  value: string;
}

export interface ChunkRow {
  /** Row number that the text and vector indexes know the chunk by; given by the database. */
  seq: Generated<number>;
  id: string;
  document_id: string;
  tenant_id: string;
  ordinal: number;
  start_offset: number;
  end_offset: number;
  page: number | null;
  /** JSON array, outermost heading first. */
  heading_path: string;
  /** Head of the table whose rows the chunk begins with; null where the chunk shows it. */
  table_head: string | null;
  text: string;
  generation: Generated<number>;
}

/** Chunks that no reader sees: on their way in or out. The ranking indexes pass over them. */
export interface HiddenGenerationRow {
  document_id: string;
  generation: number;
  created_at: number;
}

export interface EmbeddingModelRow {
  n: number;
  id: string;
  dimensions: number;
  created_at: number;
}

/** SQLite only: the full-text table of each tenant, `chunk_terms_<n>`. */
export interface ChunkTermsTableRow {
  tenant_id: string;
  n: number;
  /** 0 while the words still have to come from the one table of an earlier release. */
  moved: number;
}

/** Words of one page that is a picture; `settings` are the languages by which they were recognised. */
export interface RecognizedPageRow {
  tenant_id: string;
  sha256: string;
  settings: string;
  page: number;
  /** JSON of the parser. */
  text: string;
  created_at: number;
}

/** A file on its way in; the state table is in features/knowledge/uploads.store.ts. */
export interface DocumentUploadRow {
  id: string;
  tenant_id: string;
  user_id: string;
  /** Of the document that it becomes, or whose content it replaces. */
  document_id: string;
  external_id: string | null;
  /** `queued`, `processing` or `failed`. */
  status: string;
  sha256: string;
  size_bytes: number;
  /** JSON of what came beside the bytes. */
  request: string;
  request_id: string;
  pages_done: number | null;
  pages: number | null;
  chunks_done: number;
  chunks: number | null;
  /** How often it was begun. */
  attempts: number;
  /** Not before this, epoch ms. */
  run_at: number;
  /** Who works on it, until when without another word. */
  lease: string | null;
  lease_until: number | null;
  /** JSON `{code, message, details}` of one that failed. */
  error: string | null;
  created_at: number;
  updated_at: number;
}

/** Vectors of an upload that are done, so that nothing is embedded and paid twice. */
export interface DocumentUploadVectorRow {
  upload_id: string;
  batch: number;
  /** Of the model and the texts. */
  digest: string;
  vectors: Buffer;
}

export interface KnowledgeTables {
  document_uploads: DocumentUploadRow;
  document_upload_vectors: DocumentUploadVectorRow;
  recognized_pages: RecognizedPageRow;
  documents: DocumentRow;
  document_versions: DocumentVersionRow;
  document_facts: DocumentFactRow;
  chunks: ChunkRow;
  hidden_generations: HiddenGenerationRow;
  embedding_models: EmbeddingModelRow;
  chunk_terms_tables: ChunkTermsTableRow;
}
