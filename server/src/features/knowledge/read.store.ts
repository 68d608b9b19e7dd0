import { sql } from 'kysely';
import { compiled } from '../../db/compiled.ts';
import type { Db, Queryable } from '../../db/db.ts';
import type { Scope } from '../../kernel/caller.ts';
import type { PageRequest } from '../../kernel/pagination.ts';
import { COLUMNS, json, toDocument } from './document-rows.store.ts';
import { filtered, readableDocuments } from './filters.store.ts';
import type { DocumentVersion, KnowledgeDocument, Passage, StoredChunk } from './ports.ts';
import { fold } from './terms.rules.ts';

export interface DocumentQuery {
  /** Any of them. */
  tags?: readonly string[];
  contentTypes?: readonly string[];
  /** Part of title or file name, in any case. */
  q?: string;
  /** Those alone of which no upload that `scope` sees is on its way or has failed. */
  settled?: boolean;
}

interface PassageRow {
  seq: number;
  chunk_id: string;
  id: string;
  title: string;
  content_type: string;
  metadata: string;
  page: number | null;
  heading_path: string;
  ordinal: number;
  text: string;
  trusted: number;
}

const toPassage = (row: PassageRow): Passage => ({
  seq: row.seq,
  chunkId: row.chunk_id,
  documentId: row.id,
  title: row.title,
  contentType: row.content_type,
  metadata: json<Record<string, unknown>>(row.metadata),
  page: row.page,
  headingPath: json<string[]>(row.heading_path),
  ordinal: row.ordinal,
  text: row.text,
  trusted: row.trusted === 1,
});

const anyReady = compiled<{ tenant: string }, { id: string }>((db, p) =>
  db
    .selectFrom('documents')
    .select('id')
    .where('tenant_id', '=', p('tenant'))
    .where('status', '=', sql.lit('ready'))
    .limit(sql.lit(1)),
);

/** Whether there is a document in the tenant, whoever may read it. */
export const createDocumentCheck =
  (db: Db) =>
  async (tenantId: string): Promise<boolean> =>
    (await anyReady(db.read, { tenant: tenantId })).length > 0;

/** Those of these ids that `scope` may read. */
export const createReadSome =
  (db: Db) =>
  async (scope: Scope, ids: readonly string[]): Promise<Map<string, KnowledgeDocument>> => {
    if (ids.length === 0) return new Map();
    const rows = await readableDocuments(db.read, scope)
      .select(COLUMNS)
      .where('documents.id', 'in', [...ids])
      .execute();
    return new Map(rows.map((row) => [row.id, toDocument(row)]));
  };

const hasNoUpload = ({ reach, userId }: Scope) =>
  sql<boolean>`not exists (select 1 from document_uploads u where u.document_id = documents.id
    and u.tenant_id = documents.tenant_id and (u.user_id = ${userId} or ${sql.lit(reach === 'tenant' ? 1 : 0)} = 1))`;

const listed = (db: Queryable, scope: Scope, { tags, contentTypes, q, settled }: DocumentQuery) => {
  let matching = filtered(db, scope, {
    ...(tags ? { tags } : {}),
    ...(contentTypes ? { contentTypes } : {}),
  });
  if (q !== undefined) {
    const pattern = `%${fold(q).replaceAll(/[\\%_]/g, '\\$&')}%`;
    matching = matching.where(sql<boolean>`documents.folded_name like ${pattern} escape '\\'`);
  }
  return settled === true ? matching.where(hasNoUpload(scope)) : matching;
};

/** What readers ask; everything goes through `readable`, but for the owner's own export. */
export const createKnowledgeReads = (db: Db) => ({
  async get(scope: Scope, id: string): Promise<KnowledgeDocument | null> {
    const row = await readableDocuments(db.read, scope)
      .select(COLUMNS)
      .where('documents.id', '=', id)
      .executeTakeFirst();
    return row ? toDocument(row) : null;
  },

  async text(scope: Scope, id: string): Promise<string | null> {
    const row = await readableDocuments(db.read, scope)
      .select('documents.text')
      .where('documents.id', '=', id)
      .executeTakeFirst();
    return row?.text ?? null;
  },

  /** Text, title and trust of one instant. */
  async textToRead(
    scope: Scope,
    id: string,
  ): Promise<{ text: string; title: string; trusted: boolean } | null> {
    const row = await readableDocuments(db.read, scope)
      .select(['documents.text', 'documents.title', 'documents.trusted'])
      .where('documents.id', '=', id)
      .executeTakeFirst();
    return row === undefined ? null : { ...row, trusted: row.trusted === 1 };
  },

  /** Of those of these ids that can be read. */
  async titles(
    scope: Scope,
    ids: readonly string[],
  ): Promise<{ id: string; title: string; trusted: boolean }[]> {
    if (ids.length === 0) return [];
    const rows = await readableDocuments(db.read, scope)
      .select(['documents.id', 'documents.title', 'documents.trusted'])
      .where('documents.id', 'in', [...ids])
      .execute();
    return rows.map(({ trusted, ...row }) => ({ ...row, trusted: trusted === 1 }));
  },

  async list(scope: Scope, page: PageRequest, query: DocumentQuery) {
    const matching = listed(db.read, scope, query);
    const { total } = await matching
      .select((w) => w.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    let rows = matching.select(COLUMNS);
    const { after } = page;
    if (after !== null) {
      rows = rows.where((w) =>
        w.or([
          w('documents.created_at', '<', after.createdAt),
          w.and([w('documents.created_at', '=', after.createdAt), w('documents.id', '<', after.id)]),
        ]),
      );
    } else rows = rows.offset((page.page - 1) * page.limit);
    const found = await rows
      .orderBy('documents.created_at', 'desc')
      .orderBy('documents.id', 'desc')
      .limit(page.limit + 1)
      .execute();
    return { documents: found.map(toDocument), total: Number(total) };
  },

  /** Documents that `scope` may read whose file or title has one of the names, in any case; at most 20, the newest. */
  async idsByName(scope: Scope, names: readonly string[]): Promise<string[]> {
    const folded = names.map(fold);
    const rows = await readableDocuments(db.read, scope)
      .select('documents.id')
      .where((w) =>
        w.or(
          folded.flatMap((name) => {
            const escaped = name.replaceAll(/[\\%_]/g, '\\$&');
            // Kept as title, line break, file name.
            return [
              sql<boolean>`documents.folded_name like ${`%\n${escaped}`} escape '\\'`,
              sql<boolean>`documents.folded_name like ${`${escaped}\n%`} escape '\\'`,
            ];
          }),
        ),
      )
      .orderBy('documents.created_at', 'desc')
      .limit(20)
      .execute();
    return rows.map((row) => row.id);
  },

  /** Tags of documents that `scope` may read, with how many have each: the most used first, at most 1,000. */
  async tags(scope: Scope): Promise<{ tag: string; documents: number }[]> {
    const rows = await readableDocuments(db.read, scope)
      .innerJoin('document_facts', 'document_facts.document_id', 'documents.id')
      .select(['document_facts.value'])
      .select((w) => w.fn.countAll<number>().as('documents'))
      .where('document_facts.key', '=', 'tags')
      .groupBy('document_facts.value')
      .orderBy('documents', 'desc')
      .orderBy('document_facts.value')
      .limit(1_000)
      .execute();
    return rows.flatMap(({ value, documents }) => {
      const tag: unknown = JSON.parse(value);
      return typeof tag === 'string' ? [{ tag, documents: Number(documents) }] : [];
    });
  },

  /** Newest first. */
  async versions(id: string): Promise<DocumentVersion[]> {
    const rows = await db.read
      .selectFrom('document_versions')
      .selectAll()
      .where('document_id', '=', id)
      .orderBy('version', 'desc')
      .limit(100)
      .execute();
    return rows.map((row) => ({
      version: row.version,
      title: row.title,
      sha256: row.sha256,
      sizeBytes: row.size_bytes,
      createdAt: row.created_at,
    }));
  },

  /** In reading order; the cursor's place is the ordinal. */
  async chunks(id: string, page: PageRequest): Promise<StoredChunk[]> {
    let rows = db.read
      .selectFrom('chunks')
      .innerJoin('documents', (join) =>
        join
          .onRef('documents.id', '=', 'chunks.document_id')
          .onRef('documents.generation', '=', 'chunks.generation'),
      )
      .selectAll('chunks')
      .where('chunks.document_id', '=', id);
    if (page.after !== null) rows = rows.where('chunks.ordinal', '>', page.after.createdAt);
    else rows = rows.offset((page.page - 1) * page.limit);
    const found = await rows
      .orderBy('chunks.ordinal')
      .limit(page.limit + 1)
      .execute();
    return found.map((row) => ({
      id: row.id,
      documentId: row.document_id,
      ordinal: row.ordinal,
      start: row.start_offset,
      end: row.end_offset,
      page: row.page,
      headingPath: json(row.heading_path),
      text: row.text,
    }));
  },

  async ofUser(tenantId: string, userId: string): Promise<(KnowledgeDocument & { text: string })[]> {
    const rows = await db.read
      .selectFrom('documents')
      .select([...COLUMNS, 'documents.text'])
      .where('tenant_id', '=', tenantId)
      .where('user_id', '=', userId)
      .where('status', '=', 'ready')
      .orderBy('created_at')
      .execute();
    return rows.map((row) => ({ ...toDocument(row), text: row.text }));
  },

  /** Passages by row number that `scope` may (still) read; the second wall behind the indexes. */
  async passages(scope: Scope, seqs: readonly number[]): Promise<Map<number, Passage>> {
    if (seqs.length === 0) return new Map();
    const rows = await readableDocuments(db.read, scope)
      .innerJoin('chunks', (join) =>
        join
          .onRef('chunks.document_id', '=', 'documents.id')
          .onRef('chunks.generation', '=', 'documents.generation'),
      )
      .select([
        'chunks.seq',
        'chunks.id as chunk_id',
        'chunks.page',
        'chunks.heading_path',
        'chunks.ordinal',
        'chunks.text',
        'documents.id',
        'documents.title',
        'documents.content_type',
        'documents.metadata',
        'documents.trusted',
      ])
      .where('chunks.seq', 'in', seqs)
      .execute();
    return new Map(rows.map((row) => [row.seq, toPassage(row)]));
  },
});
