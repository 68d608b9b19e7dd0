import type { Scope } from '../../kernel/caller.ts';
import { type AppError, conflict, notFound } from '../../kernel/errors.ts';
import type { KnowledgeDocument, WaitingUpload } from './ports.ts';
import type { KnowledgeStore } from './store.ts';
import type { UploadStore } from './uploads.store.ts';

/** A document as a client is shown it: with the upload that is to become it or its next version, or that alone. */
export type Shown =
  | { document: KnowledgeDocument; waiting: WaitingUpload | null }
  | { document: null; waiting: WaitingUpload };

export const unready = ({ failed }: WaitingUpload): AppError =>
  conflict(failed ? 'the document could not be read' : 'the document is still being read');

export const createShownDocuments = ({
  store,
  uploads,
}: {
  store: Pick<KnowledgeStore, 'get'>;
  uploads: Pick<UploadStore, 'list' | 'ofDocuments'>;
}) => {
  const shown = async (scope: Scope, id: string): Promise<Shown> => {
    const waiting = (await uploads.ofDocuments(scope, [id])).get(id) ?? null;
    // Asked second: what has become whole in between is a document by now.
    const document = await store.get(scope, id);
    if (document !== null) return { document, waiting };
    if (waiting === null) throw notFound('document');
    return { document: null, waiting };
  };

  return {
    shown,

    /** CONFLICT for what is not read yet. */
    async readable(scope: Scope, id: string): Promise<{ document: KnowledgeDocument }> {
      const { document, waiting } = await shown(scope, id);
      if (document === null) throw unready(waiting);
      return { document };
    },

    /** Those of a list, each with the upload that is to become its next version. */
    async withUploads(scope: Scope, documents: readonly KnowledgeDocument[]): Promise<Shown[]> {
      const waiting = await uploads.ofDocuments(
        scope,
        documents.map(({ id }) => id),
      );
      return documents.map((document) => ({ document, waiting: waiting.get(document.id) ?? null }));
    },

    /** Uploads that are on their way, or that have failed; newest first. */
    async waiting(scope: Scope, failed: boolean, page: { offset: number; limit: number }) {
      const { uploads: found, total } = await uploads.list(scope, failed, page);
      const all: Shown[] = [];
      for (const waiting of found) {
        const document = await store.get(scope, waiting.documentId);
        all.push(document === null ? { document, waiting } : { document, waiting });
      }
      return { shown: all, total };
    },
  };
};
