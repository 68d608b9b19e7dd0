import type { Queryable } from '../../db/db.ts';
import type { PictureRow } from '../../db/tables/chat.ts';
import type { NewPicture } from '../../kernel/picture.ts';

/** Rows of pictures; whoever asks has found their conversation for its caller. */

export const insertPictures = async (
  tx: Queryable,
  of: Pick<PictureRow, 'tenant_id' | 'user_id' | 'conversation_id' | 'created_at'>,
  pictures: readonly NewPicture[],
): Promise<void> => {
  // One at a time: each may have megabytes.
  for (const { id, name, mediaType, width, height, size, bytes } of pictures)
    await tx
      .insertInto('pictures')
      .values({ ...of, id, name, media_type: mediaType, width, height, size_bytes: size, bytes })
      .execute();
};

/** Those of these ids, with their bytes. */
export const readPictures = (
  read: Queryable,
  conversationId: string,
  ids: readonly string[],
): Promise<PictureRow[]> =>
  read
    .selectFrom('pictures')
    .selectAll()
    .where('conversation_id', '=', conversationId)
    .where('id', 'in', ids)
    .execute();

/** All of a conversation, without their bytes, the oldest first. */
export const picturesIn = (
  read: Queryable,
  conversationId: string,
): Promise<Omit<PictureRow, 'bytes' | 'tenant_id' | 'conversation_id'>[]> =>
  read
    .selectFrom('pictures')
    .select(['id', 'user_id', 'name', 'media_type', 'width', 'height', 'size_bytes', 'created_at'])
    .where('conversation_id', '=', conversationId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

const COPIED = [
  'id',
  'tenant_id',
  'user_id',
  'name',
  'media_type',
  'width',
  'height',
  'size_bytes',
  'bytes',
  'created_at',
] as const;

/** Into a conversation that begins as a branch of another one. */
export const copyPictures = async (
  tx: Queryable,
  from: string,
  to: string,
  ids: readonly string[],
): Promise<void> => {
  if (ids.length === 0) return;
  await tx
    .insertInto('pictures')
    .columns([...COPIED, 'conversation_id'])
    .expression((e) =>
      e
        .selectFrom('pictures')
        .select((s) => [...COPIED, s.val(to).as('conversation_id')])
        .where('conversation_id', '=', from)
        .where('id', 'in', ids),
    )
    .execute();
};
