import type { Scope } from '../../kernel/caller.ts';
import { type AppError, conflict, notFound } from '../../kernel/errors.ts';
import type { CursorPosition, PageRequest } from '../../kernel/pagination.ts';
import type { KnowledgeDocument, WaitingUpload } from './ports.ts';
import type { KnowledgeStore } from './store.ts';
import type { UploadStore } from './uploads.store.ts';

/** A document as a client is shown it: with the upload that is to become it or its next version, or that alone. */
export type Shown =
  | { document: KnowledgeDocument; waiting: WaitingUpload | null }
  | { document: null; waiting: WaitingUpload };

type Waiting = Shown & { waiting: WaitingUpload };

/** Uploads read at once while a list is made. */
const LOOKED_THROUGH = 500;

/** In a list whose newest is first. */
const isAfter = (one: WaitingUpload, place: CursorPosition): boolean =>
  one.createdAt < place.createdAt || (one.createdAt === place.createdAt && one.id < place.id);

export const unready = ({ failed }: WaitingUpload): AppError =>
  conflict(failed ? 'the document could not be read' : 'the document is still being read');

export const createShownDocuments = ({
  store,
  uploads,
}: {
  store: Pick<KnowledgeStore, 'get' | 'some'>;
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

    /**
     * Uploads that are on their way, or that have failed, of which `matches` holds; newest first. All are looked through: what
     * they are called may stand in a document or in their request.
     */
    async waiting(scope: Scope, failed: boolean, page: PageRequest, matches: (one: Shown) => boolean) {
      const found: Waiting[] = [];
      let total = 0;
      let skip = page.after === null ? (page.page - 1) * page.limit : 0;
      let after: CursorPosition | null = null;
      for (;;) {
        const some: WaitingUpload[] = await uploads.list(scope, failed, after, LOOKED_THROUGH);
        const documents = await store.some(
          scope,
          some.map(({ documentId }) => documentId),
        );
        for (const waiting of some) {
          const document = documents.get(waiting.documentId) ?? null;
          const one = document === null ? { document, waiting } : { document, waiting };
          if (!matches(one)) continue;
          total++;
          if (page.after !== null && !isAfter(waiting, page.after)) continue;
          if (skip-- <= 0 && found.length <= page.limit) found.push(one);
        }
        const last = some.at(-1);
        if (last === undefined || some.length < LOOKED_THROUGH) return { shown: found, total };
        after = { createdAt: last.createdAt, id: last.id };
      }
    },
  };
};
