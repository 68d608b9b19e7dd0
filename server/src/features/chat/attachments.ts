import type { Caller } from '../../kernel/caller.ts';
import { forbidden, invalid } from '../../kernel/errors.ts';
import { isUuid } from '../../kernel/ids.ts';
import type { Taint } from '../../kernel/taint.ts';
import { taintOfPassages } from '../../kernel/tools.ts';
import { attachmentsOf, INACTIVE, isQueuedAt } from '../conversations/index.ts';
import type { AttachedDocument } from './ports.ts';
import type { StartDeps } from './run/run.ts';
import { type ChatRequest, MAX_ATTACHMENTS } from './schema.ts';
import type { ChatStore } from './store.ts';

/** Documents that a message is about, and those that its conversation has been about. */

export const READ_DOCUMENTS = 'knowledge:read';

/** Of `context.attached_documents`, which names documents as earlier clients do. */
const inContext = (context: Record<string, unknown> | undefined): string[] => {
  const { attached_documents: attached } = context ?? {};
  return (Array.isArray(attached) ? attached : [])
    .filter((one): one is string => typeof one === 'string' && isUuid(one))
    .slice(0, MAX_ATTACHMENTS);
};

/** Those that can be read now, in the order of their ids. */
const readNow = async (
  documents: StartDeps['documents'],
  caller: Caller,
  ids: readonly string[],
): Promise<readonly AttachedDocument[]> => {
  if (ids.length === 0) return [];
  const found = new Map((await documents(caller, ids)).map((document) => [document.id, document]));
  return ids.flatMap((id) => found.get(id) ?? []);
};

/** Of a message that has waited: a document may be gone by then, or closed to its caller. */
export const stillAttached = (
  documents: StartDeps['documents'],
  caller: Caller,
  attached: readonly { id: string }[],
): Promise<readonly AttachedDocument[]> =>
  readNow(
    documents,
    caller,
    attached.map((document) => document.id),
  );

/**
 * In the order in which they were named. Throws VALIDATION_ERROR for an attachment that the caller cannot read, FORBIDDEN for one of a
 * caller who reads none.
 */
export const attachedBy = async (
  documents: StartDeps['documents'],
  caller: Caller,
  { attachments = [], context }: Pick<ChatRequest, 'attachments' | 'context'>,
): Promise<readonly AttachedDocument[]> => {
  const named = attachments.flatMap(({ document_id: id }) => (id === undefined ? [] : [id.toLowerCase()]));
  const ids = [...new Set([...named, ...inContext(context)])];
  if (named.length > 0 && !caller.permissions.has(READ_DOCUMENTS)) throw forbidden(READ_DOCUMENTS);
  const found = await readNow(documents, caller, ids);
  const readable = new Set(found.map((document) => document.id));
  const missing = attachments.findIndex(
    ({ document_id: id }) => id !== undefined && !readable.has(id.toLowerCase()),
  );
  if (missing >= 0)
    throw invalid({
      field: `/attachments/${missing}/document_id`,
      reason: 'is no indexed document of yours',
    });
  return found;
};

/** Those of earlier messages of the branch that a message goes on with, the newest first, as far as they can be read now. */
export const attachedBefore = async (
  { store, documents }: { store: Pick<ChatStore, 'withAttachments'> } & Pick<StartDeps, 'documents'>,
  caller: Caller,
  { conversation, path }: { conversation: { id: string } | null; path: readonly string[] | null },
): Promise<readonly AttachedDocument[]> => {
  if (conversation === null) return [];
  const rows = await store.withAttachments(conversation.id);
  const held = rows.filter(({ id, active, created_at: at }) =>
    path === null ? active > INACTIVE && !isQueuedAt(at) : path.includes(id),
  );
  const ids = [...new Set(held.flatMap(attachmentsOf).map((one) => one.document_id))];
  return readNow(documents, caller, ids.slice(0, MAX_ATTACHMENTS));
};

/** Titles are the words of whoever has put the document in. */
export const taintOfAttached = (documents: readonly AttachedDocument[]): Taint => taintOfPassages(documents);
