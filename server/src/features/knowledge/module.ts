import path from 'node:path';
import type { Db } from '../../db/db.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import type { BlobStore } from '../../kernel/blobs.ts';
import type { Cluster, NodeLocks } from '../../kernel/cluster.ts';
import type { MeteredEmbedder } from '../../kernel/embedder.ts';
import type { EventSink } from '../../kernel/events.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import type { DocumentParser } from '../../kernel/parser.ts';
import type { Reranker } from '../../kernel/reranker.ts';
import type { TableEngine } from '../../kernel/table-sql.ts';
import { defineModule, type Given } from '../../modules/module.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import type { Memory } from '../memory/index.ts';
import type { PersonalData } from '../users/index.ts';
import { createKnowledge, type Knowledge, type KnowledgeOptions } from './index.ts';
import type { ChargeEmbedding } from './ports.ts';

export interface KnowledgeDeps extends Pick<Given, 'clock' | 'onError'> {
  audit: Pick<Audit, 'append'>;
  blobs: BlobStore;
  cluster: { locks: NodeLocks } | null;
  config: { DATABASE_URL: string | null; DATA_DIR: string; MAX_UPLOAD_BYTES: number; UPLOAD_WAIT_S: number };
  db: Db;
  events: EventSink;
  embedding: {
    embedder: MeteredEmbedder;
    earlier: NonNullable<KnowledgeOptions['earlierEmbedder']>;
    charge: ChargeEmbedding;
  };
  idempotency: Idempotency;
  memory: Pick<Memory, 'searchForKnowledge'>;
  node: Cluster;
  outgoing: { documents: OutgoingHttp };
  parsing: { parser: DocumentParser; tables: TableEngine };
  providers: { reranker: Reranker | null };
}

const personalDataOf = (knowledge: Knowledge): PersonalData => ({
  name: 'documents',
  exportData: ({ tenantId, userId }) => knowledge.exportPersonal(tenantId, userId),
  eraseData: ({ tenantId, userId }) => knowledge.erasePersonal(tenantId, userId),
  recordIds: ({ tenantId, userId }) => knowledge.personalIds(tenantId, userId),
});

const noteTrustIn =
  (audit: Pick<Audit, 'append'>): KnowledgeOptions['noteTrust'] =>
  (caller, documentId, trusted) =>
  (tx) =>
    audit.append(tx, {
      ...actorOf(caller),
      action: trusted ? 'document.trusted' : 'document.untrusted',
      targetType: 'document',
      targetId: documentId,
    });

export const knowledgeModule = defineModule({
  name: 'knowledge',
  needs: [
    'audit',
    'blobs',
    'clock',
    'cluster',
    'config',
    'db',
    'embedding',
    'events',
    'idempotency',
    'memory',
    'node',
    'onError',
    'outgoing',
    'parsing',
    'providers',
  ],
  async build({
    audit,
    cluster,
    config,
    embedding,
    events,
    memory,
    node,
    onError,
    outgoing,
    parsing,
    providers,
    ...deps
  }: KnowledgeDeps) {
    const { blobs, clock, db, idempotency } = deps;
    const knowledge = await createKnowledge({
      db,
      cluster: node,
      sqliteFile: config.DATABASE_URL === null ? path.join(config.DATA_DIR, 'pentarch.sqlite') : null,
      blobs,
      parser: parsing.parser,
      embedder: embedding.embedder,
      earlierEmbedder: embedding.earlier,
      reranker: providers.reranker,
      tables: parsing.tables,
      http: outgoing.documents,
      maxBytes: config.MAX_UPLOAD_BYTES,
      uploadWaitS: config.UPLOAD_WAIT_S,
      charge: embedding.charge,
      idempotency,
      clock,
      noteTrust: noteTrustIn(audit),
      events,
      searchMemories: (scope, query, limit) => memory.searchForKnowledge(scope, query, limit),
      ...(cluster === null ? {} : { turn: () => cluster.locks.take('knowledge.refresh') }),
      warn: onError,
    });
    return {
      service: knowledge,
      routes: knowledge.routes,
      tools: [knowledge.tools],
      personalData: [personalDataOf(knowledge)],
      resume: () => knowledge.recover(),
      stop: () => knowledge.close(),
    };
  },
});
