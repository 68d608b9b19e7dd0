import type { MessageRow } from '../../db/tables/chat.ts';
import type { Attachment } from './schema.ts';

/** Documents that were sent with a message, as its row has them. */
export const attachmentsOf = ({ attachments }: Pick<MessageRow, 'attachments'>): Attachment[] =>
  // Written by `attachmentsText` alone.
  attachments === null ? [] : (JSON.parse(attachments) as Attachment[]);

export const attachmentsText = (documents: readonly { id: string; title: string }[]): string | null =>
  documents.length === 0
    ? null
    : JSON.stringify(documents.map(({ id, title }): Attachment => ({ document_id: id, title })));
