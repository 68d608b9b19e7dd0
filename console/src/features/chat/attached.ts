import type { Message } from 'pentarch-sdk';
import { attachedNames, withoutAttached } from './limits.ts';

/** A document that goes, or has gone, with a question; or a picture that goes with it. */
export interface SentFile {
  documentId: string;
  name: string;
  /** Of a picture: a data: URL, and no document. */
  image?: string;
}

/** What a question names of its files. */
export const attachmentOf = ({ documentId, name, image }: SentFile) =>
  image === undefined ? { document_id: documentId } : { image, name };

const idsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** A question as it was written, with its documents. Earlier versions named these in the last line of the text. */
export const writtenOf = ({
  content,
  attachments,
  metadata,
}: Pick<Message, 'content' | 'attachments' | 'metadata'>): { text: string; files: readonly SentFile[] } => {
  if (attachments.length > 0) {
    const files = attachments.map(({ document_id: documentId, title: name }) => ({ documentId, name }));
    const isNamed = metadata.attached_documents !== undefined;
    return { text: isNamed ? withoutAttached(content) : content, files };
  }
  const ids = idsOf(metadata.attached_documents);
  if (ids.length === 0) return { text: content, files: [] };
  const names = attachedNames(content, ids.length);
  const files = ids.map((documentId, n) => ({ documentId, name: names[n] ?? '' }));
  return { text: withoutAttached(content), files };
};
