import { type Static, Type } from 'typebox';
import { ROLES } from '../../kernel/caller.ts';
import { LEFT_OUT_KINDS } from '../../kernel/parser.ts';
import {
  AnyObject,
  Nullable,
  Page,
  PageQuery,
  Strict,
  StringEnum,
  Timestamp,
  Uuid,
} from '../../kernel/schema.ts';

/** Wire types of the contract, section 8. */

export const VISIBILITIES = ['private', 'tenant', 'role'] as const;

const Metadata = () =>
  AnyObject({ description: 'Free fields, up to 32 KiB; `tags` (a list of strings) can be filtered by' });
const Title = (options: Record<string, unknown> = {}) =>
  Type.String({ minLength: 1, maxLength: 500, pattern: '\\S', ...options });
const ExternalId = () =>
  Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: '^[^\\u0000]*$',
    description: 'A name of the source; the same again replaces the content of the document in place',
  });
const VisibilityField = () =>
  StringEnum(VISIBILITIES, {
    description:
      'private: its owner; tenant: everybody of the tenant may read it; role: those of the tenant with one of `roles`. Operators and admins read all of the tenant',
  });
const Trusted = () =>
  Type.Boolean({
    description:
      'An administrator vouches for the document as it is (`knowledge:manage`): what is read of it does not mark a conversation. Other content or another title sets it back',
  });
const ReaderRoles = (options: { minItems?: number } = {}) =>
  Type.Array(StringEnum(ROLES), {
    ...options,
    maxItems: ROLES.length,
    description: 'Who may read it with the visibility role',
  });

export const DocumentWire = Type.Object({
  id: Uuid(),
  title: Type.String(),
  filename: Nullable(Type.String()),
  content_type: Type.String({ description: 'Detected from the bytes' }),
  size_bytes: Type.Integer(),
  sha256: Type.String(),
  language: Nullable(Type.String({ description: 'ISO 639-1' })),
  chunk_count: Type.Integer(),
  page_count: Nullable(Type.Integer()),
  visibility: VisibilityField(),
  roles: ReaderRoles(),
  metadata: Metadata(),
  created_by: Type.String(),
  created_at: Timestamp(),
  indexed_at: Nullable(Timestamp()),
  external_id: Nullable(Type.String({ description: 'Name in the source that it comes from' })),
  version: Type.Integer({ description: 'From 1; another with each replacement of the content' }),
  trusted: Type.Boolean({
    description: 'An administrator vouches for it: what is read of it does not mark a conversation',
  }),
  unread_pages: Type.Array(Type.Integer(), {
    description: 'Pages that show something and have no text that can be read (scans, pictures), from 1',
  }),
  left_out: Type.Array(
    Type.Object({
      what: StringEnum(LEFT_OUT_KINDS),
      count: Type.Integer({ description: 'How often it was met' }),
    }),
    { description: 'What the file holds and was left out on purpose: it is not searched' },
  ),
  status: StringEnum(['processing', 'indexed', 'failed'], {
    description:
      'Of its newest upload. A document whose content is being replaced is found and read in its present version all the while',
  }),
  progress: Nullable(
    Type.Object(
      {
        pages_done: Nullable(Type.Integer({ description: 'Pages read; null in types without pages' })),
        pages: Nullable(Type.Integer({ description: 'Of how many, once that is known' })),
        chunks_done: Type.Integer({ description: 'Passages with their vectors' }),
        chunks: Nullable(Type.Integer({ description: 'Of how many, once the file is read' })),
      },
      { description: 'How far the reading is; null: indexed' },
    ),
  ),
  error: Nullable(
    Type.Object(
      { code: Type.String(), message: Type.String(), details: AnyObject() },
      { description: 'Why the upload has failed, as an error of the API' },
    ),
  ),
});
export type DocumentWire = Static<typeof DocumentWire>;

/** Newest first. */
export const VersionWire = Type.Object({
  version: Type.Integer(),
  title: Type.String(),
  sha256: Type.String(),
  size_bytes: Type.Integer(),
  created_at: Timestamp(),
});
export const VersionList = Type.Object({ items: Type.Array(VersionWire) });

/** The most used first. */
export const TagList = Type.Object({
  items: Type.Array(
    Type.Object({
      tag: Type.String(),
      documents: Type.Integer({ description: 'Documents with this tag that the caller may read' }),
    }),
  ),
});

export const DocumentPage = Page(DocumentWire);

export const DocumentParams = Strict({
  id: Type.String({ minLength: 1, maxLength: 64, description: 'Document id' }),
});

export const DocumentListQuery = Strict({
  ...PageQuery,
  tags: Type.Optional(
    Type.String({ maxLength: 1000, description: 'Comma-separated; documents with any of them' }),
  ),
  content_type: Type.Optional(
    Type.String({
      maxLength: 500,
      description: 'Comma-separated, e.g. `pdf` or `application/pdf`; any of them',
    }),
  ),
  q: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'Part of the title or file name' }),
  ),
  status: Type.Optional(
    StringEnum(['indexed', 'processing', 'failed'], {
      description:
        'indexed: what can be found and of which no upload is on its way or has failed (without a status: all that can be found); processing, failed: own uploads that are read in the background (operators and admins: those of the tenant), as far as is known of them before they are read',
    }),
  ),
});

/** A document as JSON, in place of a form. */
export const DocumentCreate = Strict({
  title: Type.Optional(Title({ description: 'Needed with `content`' })),
  content: Type.Optional(
    Type.String({ minLength: 1, description: 'The text itself; files are uploaded as a form' }),
  ),
  url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2048,
      description: 'In place of `content`: a public http or https address to read the document from',
    }),
  ),
  external_id: Type.Optional(ExternalId()),

  content_type: Type.Optional(
    Type.String({ maxLength: 200, description: '`markdown`, `text/html`, …; decides among text formats' }),
  ),
  metadata: Type.Optional(Metadata()),
  visibility: Type.Optional(VisibilityField()),
  roles: Type.Optional(ReaderRoles({ minItems: 1 })),
  trusted: Type.Optional(Trusted()),
});

/** Fields of the upload form beside `file`, after `metadata` has been read as JSON. */
export const DocumentForm = Strict({
  title: Type.Optional(Title()),
  external_id: Type.Optional(ExternalId()),
  metadata: Type.Optional(Metadata()),
  visibility: Type.Optional(VisibilityField()),
  roles: Type.Optional(ReaderRoles({ minItems: 1 })),
  trusted: Type.Optional(Trusted()),
});

/** The form as it goes over the wire, for the document. */
export const DocumentUpload = Strict({
  file: Type.String({ format: 'binary' }),
  title: Type.Optional(Title()),
  metadata: Type.Optional(Type.String({ description: 'A JSON object' })),
  visibility: Type.Optional(VisibilityField()),
  trusted: Type.Optional(Trusted()),
});

export const DocumentPatch = Strict(
  {
    title: Type.Optional(Title()),
    metadata: Type.Optional(Metadata()),
    visibility: Type.Optional(VisibilityField()),
    roles: Type.Optional(ReaderRoles({ minItems: 1 })),
    trusted: Type.Optional(Trusted()),
    seen_version: Type.Optional(
      Type.Integer({
        minimum: 1,
        description: 'The version that was looked at; with another present one 409',
      }),
    ),
  },
  { minProperties: 1 },
);

export const ContentQuery = Strict({
  format: Type.Optional(
    StringEnum(['original', 'text'], {
      description: 'original (default): the bytes as uploaded; text: the text read from them',
    }),
  ),
});

export const ChunkWire = Type.Object({
  id: Uuid(),
  document_id: Uuid(),
  ordinal: Type.Integer({ description: 'From 0, in reading order' }),
  content: Type.String(),
  page: Nullable(Type.Integer({ description: 'From 1; null in types without pages' })),
  heading_path: Type.Array(Type.String(), { description: 'Title and headings above, outermost first' }),
  start: Type.Integer({
    description: 'Offset into the text (`…/content?format=text`), in UTF-16 code units',
  }),
  end: Type.Integer({ description: 'Exclusive' }),
});

export const ChunkPage = Page(ChunkWire);

export const SearchFiltersWire = Strict({
  document_ids: Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: 100 })),
  content_types: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      minItems: 1,
      maxItems: 20,
      description: 'e.g. `pdf` or `application/pdf`; any of them',
    }),
  ),
  tags: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), { minItems: 1, maxItems: 50, description: 'Any of them' }),
  ),
  created_after: Type.Optional(Timestamp()),
  created_before: Type.Optional(Timestamp()),
  metadata: Type.Optional(
    AnyObject({ maxProperties: 20, description: 'Fields that must be equal; a list contains the value' }),
  ),
});
export type SearchFiltersWire = Static<typeof SearchFiltersWire>;

export const SearchRequest = Strict({
  query: Type.String({ minLength: 1, maxLength: 4096 }),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Default 10' })),
  filters: Type.Optional(SearchFiltersWire),
  include_memories: Type.Optional(Type.Boolean({ description: 'Memory entities too (default false)' })),
});

export const SearchResultWire = Type.Object({
  type: StringEnum(['document', 'memory']),
  id: Type.String({ description: 'Chunk id, or memory entity id' }),
  score: Type.Number({ description: '0–1, comparable within an answer' }),
  document_id: Nullable(Type.String()),
  chunk_id: Nullable(Type.String()),
  title: Type.String(),
  content: Type.String(),
  page: Nullable(Type.Integer()),
  highlights: Type.Array(Type.String(), {
    description: 'Stretches of the content with most of the words, as plain text',
  }),
  metadata: Metadata(),
});

export const SearchResponse = Type.Object({
  query: Type.String(),
  results: Type.Array(SearchResultWire),
  took_ms: Type.Integer(),
});
