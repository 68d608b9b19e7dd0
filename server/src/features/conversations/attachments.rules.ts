import type { MessageRow } from '../../db/tables/chat.ts';
import { type Picture, withoutBytes } from '../../kernel/picture.ts';
import type { Attachment } from './schema.ts';

/** What was sent with a message, as its row has it: documents by their ids, pictures by theirs. */
type Held = Pick<MessageRow, 'attachments'>;
type PictureEntry = Omit<Picture, 'id'> & { picture_id: string };

// Written by `attachmentsText` alone.
const entriesOf = ({ attachments }: Held): (Attachment | PictureEntry)[] =>
  attachments === null ? [] : (JSON.parse(attachments) as (Attachment | PictureEntry)[]);

export const attachmentsOf = (held: Held): Attachment[] =>
  entriesOf(held).flatMap((one) => ('document_id' in one ? [one] : []));

export const picturesOf = (held: Held): Picture[] =>
  entriesOf(held).flatMap((one) => {
    if (!('picture_id' in one)) return [];
    const { picture_id: id, ...picture } = one;
    return [{ id, ...picture }];
  });

export const attachmentsText = (
  documents: readonly { id: string; title: string }[],
  pictures: readonly Picture[] = [],
): string | null =>
  documents.length + pictures.length === 0
    ? null
    : JSON.stringify([
        ...documents.map(({ id, title }): Attachment => ({ document_id: id, title })),
        ...pictures.map((picture): PictureEntry => {
          const { id, ...rest } = withoutBytes(picture);
          return { picture_id: id, ...rest };
        }),
      ]);
