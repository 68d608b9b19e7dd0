/** The document-parsing port: bytes in, text with positions out. The adapter runs parsers in a limited child process. */
export interface ParsedDocument {
  /** Detected from the bytes, not the name: `application/pdf`, `text/markdown`, … */
  contentType: string;
  title: string | null;
  /** ISO 639-1, null when too short to tell. */
  language: string | null;
  pageCount: number | null;
  /** Pages that show something and have no text, from 1, in order; left out where there are none. */
  unreadPages?: number[];
  /** In reading order. */
  blocks: DocumentBlock[];
  /** What the reader left out on purpose; absent: nothing. */
  leftOut?: LeftOut[];
}

/** One kind of what is not read, and how often it was met. */
export interface LeftOut {
  what: LeftOutKind;
  count: number;
}

export const LEFT_OUT_KINDS = [
  'hidden_text',
  'deleted_text',
  'hidden_rows',
  'hidden_columns',
  'hidden_sheets',
  'hidden_slides',
  'readings',
  'pictures',
  'attachments',
  'embedded_files',
  'comments',
  'navigation',
  'chapters',
  'far_cells',
  'page_furniture',
] as const;
export type LeftOutKind = (typeof LEFT_OUT_KINDS)[number];

export interface DocumentBlock {
  /** `code` and `table` blocks are kept whole by the chunker as far as they fit. */
  kind: 'heading' | 'text' | 'list' | 'table' | 'code';
  text: string;
  /** From 1; null in types without pages. */
  page: number | null;
  /** Heading level 1–6, for `heading`. */
  level?: number;
}

export type ParseFault =
  | 'empty'
  | 'encrypted'
  | 'broken'
  | 'no_text'
  | 'unsupported_type'
  | 'too_large'
  | 'timeout';

export class ParseError extends Error {
  readonly fault: ParseFault;
  constructor(fault: ParseFault, message: string) {
    super(message);
    this.name = 'ParseError';
    this.fault = fault;
  }
}

export interface DocumentParser {
  /** Throws `ParseError`. `filename` and `declaredType` only decide among text formats; tenants take turns. */
  parse(
    bytes: Uint8Array,
    hints: {
      filename: string | null;
      declaredType: string | null;
      tenantId: string;
      /** Nobody wants it any more. */
      signal?: AbortSignal;
      /** Told of pages that are read, where the file has pages and that takes its time. */
      onPages?(done: number, of: number): void;
    },
  ): Promise<ParsedDocument>;
  close(): Promise<void>;
}

/** Where text recognition keeps its pages, as text of its own form. */
export interface PageMemory {
  get(key: PageKey): Promise<string | null>;
  put(key: PageKey, text: string): Promise<void>;
}

export interface PageKey {
  tenantId: string;
  /** Of the file's bytes. */
  sha256: string;
  /** By what it was recognised: other settings give another text. */
  settings: string;
  page: number;
}

/** Files by name in an archive. Both throw `ParseError`: broken, encrypted, too_large. */
export type OpenArchive = (bytes: Uint8Array) => { names: string[]; read(name: string): Uint8Array | null };
