import { setTimeout as delay } from 'node:timers/promises';
import { AppError, conflict } from '../../kernel/errors.ts';
import { blobKey } from './blob-key.ts';
import type { IndexedContent, Indexing } from './indexing.ts';
import { createReplacing } from './ingest-replace.ts';
import {
  type Arrival,
  createIngestSteps,
  foundIn,
  gapsOf,
  type IngestDeps,
  indexed,
} from './ingest-steps.ts';
import type { KnowledgeDocument, Sharing, UploadInput, UploadRequest } from './ports.ts';
import { titleOf } from './rules.ts';
import { withFieldsBefore } from './upload-changes.rules.ts';
import { NamePromised } from './upload-names.store.ts';
import { UploadChanged } from './uploads.store.ts';

/** What an upload becomes: a new document, the one that has these bytes, or a new version of the one of this name. */

/** Longest wait for another node that indexes the same bytes. */
const PEER_WAIT_MS = 120_000;

/** What is asked for by its row, or (without one) by the uploads of its name before it. */
interface Wished {
  asked: UploadRequest | null;
  before: readonly UploadRequest[];
}

export const createIngest = (deps: IngestDeps, indexing: Indexing) => {
  const { store, uploads, blobs, model, clock } = deps;
  const { stepsOf } = createIngestSteps(deps);
  const { replace } = createReplacing(deps, indexing);

  /** The owner's document with this name, or without one with these bytes; waits while another node brings it in. */
  const present = async (
    owner: Arrival['owner'],
    sha256: string,
    externalId: string | null,
  ): Promise<KnowledgeDocument | null> => {
    for (let waitedMs = 0; waitedMs < PEER_WAIT_MS; waitedMs += 200) {
      const found =
        externalId === null
          ? await store.findByBytes(owner.tenantId, owner.userId, sha256)
          : await store.findByExternalId(owner.tenantId, owner.userId, externalId);
      if (found === null) return null;
      if (found.ready) return found.document;
      await delay(200);
    }
    throw conflict('the same bytes are being indexed by another request');
  };

  /** Null where another node was first. */
  const createAs = async (
    id: string,
    arrival: Arrival,
    content: IndexedContent,
    { asked, before }: Wished,
  ): Promise<KnowledgeDocument | null> => {
    const { owner, input, sha256, requestId, task } = arrival;
    const { text, title, chunks, chunkingVersion } = content;
    const sharing: Sharing = input.sharing ?? { visibility: 'private', readerRoles: [] };
    const row = {
      id,
      tenantId: owner.tenantId,
      userId: owner.userId,
      title,
      filename: input.filename,
      ...foundIn(content),
      ...gapsOf(content),
      sizeBytes: input.bytes.byteLength,
      sha256,
      ...sharing,
      metadata: input.metadata ?? {},
      externalId: input.externalId,
      createdAt: task.createdAt,
      patched: asked?.patched ?? {},
      text,
      chunks,
      chunkingVersion,
    };
    const key = blobKey(row);
    await blobs.stage(key, input.bytes);
    let created: KnowledgeDocument | null = null;
    try {
      const { withEvent, settle } = await stepsOf(
        arrival,
        asked === null ? { before } : { seen: asked.changed ?? null },
      );
      created = await store.add(
        model,
        row,
        clock.now,
        withEvent(indexed({ ...row, chunkCount: chunks.length }, requestId)),
      );
      if (created !== null) await settle();
    } finally {
      // Without a row the bytes are nobody's.
      await (created !== null ? blobs.settle(key) : blobs.remove(key));
    }
    return created;
  };

  /** Of a name that has no document yet, an upload without a row knows only here what those before it have asked for. */
  const wishedOf = async ({ owner, input, task }: Arrival): Promise<Wished> => {
    const asked = await task.asked();
    const { externalId } = input;
    if (asked !== null || externalId === null) return { asked, before: [] };
    return { asked, before: await uploads.requestsBefore(null, owner, externalId, task.id) };
  };

  /** With the fields that it has by now: of a PATCH while it was read, with the passages of its title, or of uploads before it. */
  const asWished = async (
    arrival: Arrival,
    sent: UploadInput,
    content: IndexedContent,
    { asked, before }: Wished,
  ): Promise<IndexedContent> => {
    arrival.input = withFieldsBefore(
      { ...arrival.input, metadata: sent.metadata, sharing: sent.sharing },
      before,
    );
    if (asked === null) return content;
    const { title, metadata, sharing, trusted } = asked;
    arrival.input = { ...arrival.input, title, metadata, sharing, trusted };
    const wanted = titleOf(title, content.parsed.title, arrival.input.filename, content.text);
    return wanted === content.title ? content : indexing.titled(arrival.owner, content, wanted, arrival.task);
  };

  /** Null where another node was first. */
  const create = async (arrival: Arrival): Promise<KnowledgeDocument | null> => {
    const { task, input } = arrival;
    let content = await indexing.contentOf(arrival.owner, arrival.input, task);
    // Its row may give it another id until here, and no longer.
    await task.steps();
    for (let id = task.documentId; ; ) {
      const wished = await wishedOf(arrival);
      content = await asWished(arrival, input, content, wished);
      try {
        const created = await createAs(id, arrival, content, wished);
        if (created === null) task.stepsOver();
        return created;
      } catch (error) {
        if (error instanceof NamePromised) id = error.documentId;
        else if (!(error instanceof UploadChanged)) throw error;
      }
    }
  };

  const ingest = async (arrival: Arrival): Promise<KnowledgeDocument> => {
    const { owner, input, sha256, task } = arrival;
    task.signal.throwIfAborted();
    const known = await present(owner, sha256, input.externalId);
    if (known === null) {
      // Another node was first: its document is the one that this becomes, or a new version of.
      return (await create(arrival)) ?? ingest(arrival);
    }
    if (input.externalId === null) return known;
    const replaced = await replace(arrival, known).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
      throw error;
    });
    // Deleted in the middle: its name is free, and what was uploaded is a new document.
    return replaced ?? ingest(arrival);
  };

  return ingest;
};
