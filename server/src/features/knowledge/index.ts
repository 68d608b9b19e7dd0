import type { Db } from '../../db/db.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import type { AnyRoute } from '../../http/route.ts';
import type { BlobStore } from '../../kernel/blobs.ts';
import { type Caller, ownScope, readScope, type Scope } from '../../kernel/caller.ts';
import { type Clock, iso } from '../../kernel/clock.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import type { Embedder, MeteredEmbedder } from '../../kernel/embedder.ts';
import { notFound } from '../../kernel/errors.ts';
import type { EventSink } from '../../kernel/events.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import { type PageResult, pageRequest, pageResult } from '../../kernel/pagination.ts';
import type { DocumentParser } from '../../kernel/parser.ts';
import type { Reranker } from '../../kernel/reranker.ts';
import type { TableEngine } from '../../kernel/table-sql.ts';
import type { ToolPassage, ToolSource } from '../../kernel/tools.ts';
import { createDocumentsService, type DocumentsDeps } from './documents.service.ts';
import { type ChargedEmbedder, chargedEmbedder, chargedRerank } from './embedding.ts';
import { createFetchDocument } from './fetch-document.ts';
import { createPostgresIndex } from './index-postgres.store.ts';
import { createSqliteIndex } from './index-sqlite.store.ts';
import type { EmbeddingModel } from './passage-index.ts';
import type { ChargeEmbedding, SearchFilters, SearchMemories } from './ports.ts';
import type { PayingScope } from './query-vectors.ts';
import { knowledgeRoutes } from './routes.ts';
import { createSearchService } from './search.service.ts';
import { createKnowledgeStore } from './store.ts';
import { tableTool } from './table-tool.ts';
import { knowledgeTools } from './tools.ts';
import { createUploadStore } from './uploads.store.ts';
import { documentWire, shownWire } from './wire.ts';

export { createStoreBlobs } from './blobs.store.ts';
export { createIndexLoader } from './carry.store.ts';
export type { ChargeEmbedding, SearchFilters, SearchMemories } from './ports.ts';
export { createRecognizedPages } from './recognized.store.ts';

export interface KnowledgeOptions {
  db: Db;
  cluster: Cluster;
  /** Path of the SQLite file, for the search thread; null on PostgreSQL. */
  sqliteFile: string | null;
  blobs: BlobStore;
  parser: DocumentParser;
  embedder: MeteredEmbedder;
  /**
   * The embedder of a model that was used before, so that its documents are found by meaning until they have been indexed
   * again; null where it cannot be asked any more.
   */
  earlierEmbedder?(model: {
    id: string;
    dimensions: number;
  }): (MeteredEmbedder & Pick<Embedder, 'close'>) | null;
  /** For documents by address. */
  http: OutgoingHttp;
  /** Largest document that is read from an address. */
  maxBytes: number;
  /** How long an upload is waited for that does not say it, in seconds (default 10). */
  uploadWaitS?: number;
  /** For `query_table`; without it there is no such tool. */
  tables?: TableEngine | undefined;
  /** Looks again at the best passages of each search. */
  reranker?: Reranker | null | undefined;
  charge: ChargeEmbedding;
  idempotency: Idempotency;
  clock: Clock;
  noteTrust: DocumentsDeps['noteTrust'];
  /** For what open connections alone are told. */
  events?: EventSink;
  /** Waits before the second, third, … attempt to read a file in the background. */
  retryDelaysMs?: readonly number[];
  /** Null leaves memories out of searches. */
  searchMemories: SearchMemories | null;
  /** The turn to index stale documents, over all nodes; null where another node has it. By default it is always ours. */
  turn?(): Promise<(() => Promise<void>) | null>;
  /** Gets faults of background work; the message is for operators. */
  warn(fault: unknown, message: string): void;
}

export interface Knowledge {
  routes: AnyRoute[];
  /** Passages for the agent loop, best first. */
  search(scope: PayingScope, query: string, limit: number, filters?: SearchFilters): Promise<ToolPassage[]>;
  tools: ToolSource;
  /** Title and trust of those of these ids that can be read. */
  documents(
    scope: Scope,
    ids: readonly string[],
  ): Promise<readonly { id: string; title: string; trusted: boolean }[]>;
  /** Of those of these ids that can be read and are pictures: title and bytes, where there are no more than `maxBytes`. */
  pictures(
    scope: Scope,
    ids: readonly string[],
    maxBytes: number,
  ): Promise<readonly { id: string; title: string; bytes: Uint8Array }[]>;
  /** The caller's own documents and those shared with them, newest first. */
  page(
    caller: Caller,
    page: { limit: number; cursor: string | null },
  ): Promise<PageResult<{ id: string; title: string; contentType: string; changedAt: string }>>;
  /** The text of a document, by the rights of its route. Throws NOT_FOUND, and CONFLICT for one that is still read. */
  text(caller: Caller, id: string): Promise<string>;
  /** How many documents a person can read as agents do: their own, and those shared in the tenant. */
  readable(caller: Caller): Promise<number>;
  /** Everything that a person has put in, as JSON values with the documents' text. */
  exportPersonal(tenantId: string, userId: string): Promise<Record<string, unknown>[]>;
  /** Deletes all documents of a person, shared ones too; how many there were. */
  personalIds(tenantId: string, userId: string): Promise<string[]>;
  erasePersonal(tenantId: string, userId: string): Promise<number>;
  /** At start: settles what the last process left half done, then indexes stale documents again in the background. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

/** Each is made once, when a search first needs it. */
const earlierEmbedders = (options: Pick<KnowledgeOptions, 'earlierEmbedder'>) => {
  const made = new Map<number, ChargedEmbedder | null>();
  const open: Pick<Embedder, 'close'>[] = [];
  return {
    of(model: EmbeddingModel): ChargedEmbedder | null {
      const known = made.get(model.n);
      if (known !== undefined) return known;
      const embedder = options.earlierEmbedder?.(model) ?? null;
      if (embedder !== null) open.push(embedder);
      const charged = embedder === null ? null : chargedEmbedder(embedder);
      made.set(model.n, charged);
      return charged;
    },
    async close(): Promise<void> {
      for (const embedder of open) await embedder.close();
    },
  };
};

/** Throws at start, with advice, when PostgreSQL lacks pgvector. */
export const createKnowledge = async (options: KnowledgeOptions): Promise<Knowledge> => {
  const { db, sqliteFile, blobs, parser, idempotency, clock, searchMemories, warn } = options;
  const index = sqliteFile === null ? await createPostgresIndex(db) : createSqliteIndex(db, sqliteFile);
  const store = createKnowledgeStore(db, index, options.cluster);
  const embedder = chargedEmbedder(options.embedder);
  const model = await store.useModel(embedder.id, embedder.dimensions, clock.now());
  const documents = createDocumentsService({
    store,
    uploads: createUploadStore(db, options.cluster),
    blobs,
    parser,
    embedder,
    model,
    publish: (event) => options.events?.publish(event),
    retryDelaysMs: options.retryDelaysMs,
    emit: (event, along) =>
      db.write(async (tx) => {
        await along(tx);
        await tx.emit(event);
      }),
    clock,
    noteTrust: options.noteTrust,
    warn,
  });
  const earlier = earlierEmbedders(options);
  const search = createSearchService({
    store,
    index,
    embedder,
    model,
    earlierEmbedder: earlier.of,
    rerank: options.reranker ? chargedRerank(options.reranker, options.charge) : null,
    searchMemories,
    warn,
  });
  const { tables } = options;
  const extra = tables === undefined ? [] : [tableTool({ documents, store, parser, engine: tables })];
  let refreshing: Promise<void> = Promise.resolve();
  let closing = false;

  return {
    routes: knowledgeRoutes({
      documents,
      search,
      store,
      idempotency,
      clock,
      uploadWaitS: options.uploadWaitS ?? 10,
      fetchDocument: createFetchDocument({ http: options.http, maxBytes: options.maxBytes }),
    }),
    search: (scope, query, limit, filters) => search.toolPassages(scope, query, limit, filters ?? null),
    documents: (scope, ids) => store.titles(scope, ids),
    async pictures(scope, ids, maxBytes) {
      const found: { id: string; title: string; bytes: Uint8Array }[] = [];
      const known = await store.some(scope, ids);
      for (const { id, contentType, sizeBytes } of known.values()) {
        if (!contentType.startsWith('image/') || sizeBytes > maxBytes) continue;
        const { document, bytes } = await documents.bytes(scope, id);
        if (bytes.byteLength <= maxBytes) found.push({ id, title: document.title, bytes });
      }
      return found;
    },
    tools: knowledgeTools({ search, store, extra }),
    async page(caller, { limit, cursor }) {
      const page = pageRequest({ limit, ...(cursor === null ? {} : { cursor }) });
      const { documents: found, total } = await store.list(ownScope(caller), page, {});
      const result = pageResult(page, found, total, ({ createdAt, id }) => ({ createdAt, id }));
      const items = result.items.map(({ id, title, contentType, createdAt, indexedAt }) => ({
        id,
        title,
        contentType,
        changedAt: iso(indexedAt ?? createdAt),
      }));
      return { ...result, items };
    },
    async text(caller, id) {
      const scope = readScope(caller);
      const { document } = await documents.readable(scope, id);
      const text = await store.text(scope, document.id);
      if (text === null) throw notFound('document');
      return text;
    },
    readable: async (caller) =>
      (await store.list(ownScope(caller), { page: 1, limit: 1, after: null }, {})).total,
    async exportPersonal(tenantId, userId) {
      const found = await store.ofUser(tenantId, userId);
      const waiting = await documents.uploadsOf(tenantId, userId);
      return [
        ...found.map((document) => ({ ...documentWire(document), text: document.text })),
        ...waiting.map((upload) => shownWire({ document: null, waiting: upload })),
      ];
    },
    personalIds: documents.idsOf,
    erasePersonal: documents.erase,
    async recover() {
      await documents.recover();
      documents.startReading();
      const refresh = async (): Promise<void> => {
        const done = options.turn === undefined ? async () => {} : await options.turn();
        if (done === null) return;
        try {
          await index.renew(() => closing);
          await documents.refresh();
        } finally {
          await done();
        }
      };
      refreshing = refresh().catch((fault: unknown) => warn(fault, 'documents could not be indexed again'));
    },
    async close() {
      closing = true;
      await documents.close();
      await refreshing;
      await earlier.close();
      await options.reranker?.close();
      await index.close();
    },
  };
};
