import type { Queryable } from '../../../db/db.ts';
import { type Caller, ownScope } from '../../../kernel/caller.ts';
import { invalid } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import {
  isNewPicture,
  MAX_PICTURES,
  MAX_PICTURES_BYTES,
  type NewPicture,
  type Picture,
  type PictureType,
  pictureName,
  type SentPictures,
  withoutBytes,
} from '../../../kernel/picture.ts';
import { bytesOfText, readPicture } from '../../../kernel/pictures/read.ts';
import { PictureFault } from '../../../kernel/pictures/size.ts';
import { insertPictures } from '../../conversations/index.ts';
import type { GivenInput } from '../request.ts';
import type { RunMessage, StartDeps } from '../run/run.ts';
import type { ChatRequest } from '../schema.ts';
import { canBeSeen, mustBeSeen } from './eyes.ts';
import { shownTurns } from './shown.ts';

/** Pictures that come with a message: read, checked, and stored with it. */

type Attachment = NonNullable<ChatRequest['attachments']>[number];
type Message = Pick<RunMessage, 'caller' | 'request' | 'context'>;

const refuse = (field: string, reason: string): never => {
  throw invalid({ field, reason });
};

const sentImage = ({ image = '', name }: Attachment, field: string): NewPicture => {
  try {
    const read = readPicture(bytesOfText(image));
    return { id: newId(), name: pictureName(name, read.mediaType), ...read };
  } catch (error) {
    if (!(error instanceof PictureFault)) throw error;
    return refuse(`${field}/image`, error.message);
  }
};

/** Each names one thing. Throws VALIDATION_ERROR. */
const checkKinds = (attachments: readonly Attachment[]): void => {
  for (const [i, { document_id, image, picture_id, name }] of attachments.entries()) {
    const kinds = [document_id, image, picture_id].filter((one) => one !== undefined).length;
    if (kinds !== 1) refuse(`/attachments/${i}`, 'must have one of document_id, image and picture_id');
    if (name !== undefined && image === undefined)
      refuse(`/attachments/${i}/name`, 'goes with image; others have their names');
  }
};

/** Pictures of the caller's conversation by their ids, without their bytes. */
const storedPictures = async (
  store: Pick<StartDeps['store'], 'conversation' | 'pictures'>,
  caller: Caller,
  conversationId: string | undefined,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Picture>> => {
  if (conversationId === undefined || ids.length === 0) return new Map();
  // Ids are no secret: whose conversation it is has to be asked first.
  if ((await store.conversation(ownScope(caller), conversationId)) === undefined) return new Map();
  const rows = await store.pictures(conversationId, ids);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        name: row.name,
        mediaType: row.media_type as PictureType,
        width: row.width,
        height: row.height,
        size: row.size_bytes,
      },
    ]),
  );
};

const ownOf = async (
  store: Pick<StartDeps['store'], 'conversation' | 'pictures'>,
  { caller, request }: Message,
): Promise<Picture[]> => {
  const { attachments = [], conversation_id: conversationId } = request;
  checkKinds(attachments);
  const ids = attachments.flatMap(({ picture_id: id }) => (id === undefined ? [] : [id.toLowerCase()]));
  const stored = await storedPictures(store, caller, conversationId, ids);
  return attachments.flatMap((one, i): Picture[] => {
    if (one.image !== undefined) return [sentImage(one, `/attachments/${i}`)];
    if (one.picture_id === undefined) return [];
    const found = stored.get(one.picture_id.toLowerCase());
    return [found ?? refuse(`/attachments/${i}/picture_id`, 'is no picture of this conversation')];
  });
};

/** A copy of a document that is named once more: the message has it already. */
const isSame = (one: Picture, other: Picture): boolean =>
  one.name === other.name &&
  one.size === other.size &&
  one.width === other.width &&
  one.height === other.height;

/**
 * Documents that are pictures, as pictures of the message. One that cannot be shown (broken, too many, no model that sees) stays what
 * it is: a document, whose text is read.
 */
const ofDocuments = async (
  deps: Pick<StartDeps, 'agents' | 'documentPictures' | 'models'>,
  { caller, request, context }: Message,
  own: readonly Picture[],
): Promise<NewPicture[]> => {
  const ids = (request.attachments ?? []).flatMap(({ document_id: id }) =>
    id === undefined ? [] : [id.toLowerCase()],
  );
  if (ids.length === 0) return [];
  const found = await deps.documentPictures(caller, ids);
  if (found.length === 0 || !(await canBeSeen(deps, caller, context))) return [];
  const shown: NewPicture[] = [];
  for (const id of new Set(ids)) {
    const document = found.find((one) => one.id === id);
    const picture = document === undefined ? null : documentPicture(document);
    const all = [...own, ...shown];
    if (picture !== null && !all.some((one) => isSame(one, picture)) && fits([...all, picture]))
      shown.push(picture);
  }
  return shown;
};

const documentPicture = ({ title, bytes }: { title: string; bytes: Uint8Array }): NewPicture | null => {
  try {
    const read = readPicture(Buffer.from(bytes));
    return { id: newId(), name: pictureName(title, read.mediaType), ...read };
  } catch (error) {
    if (!(error instanceof PictureFault)) throw error;
    return null;
  }
};

const bytesOf = (pictures: readonly Picture[]): number => pictures.reduce((sum, { size }) => sum + size, 0);
const fits = (pictures: readonly Picture[]): boolean =>
  pictures.length <= MAX_PICTURES && bytesOf(pictures) <= MAX_PICTURES_BYTES;

const checkAmount = (pictures: readonly Picture[]): void => {
  if (pictures.length > MAX_PICTURES)
    refuse('/attachments', `must have at most ${MAX_PICTURES} pictures in one message`);
  if (bytesOf(pictures) > MAX_PICTURES_BYTES)
    refuse('/attachments', `must have at most ${MAX_PICTURES_BYTES} bytes of pictures in all`);
};

/** Whoever answers: which model that is, and what it has room for, is known later. */
const ALL_THAT_MAY = { sees: true, tokens: Number.POSITIVE_INFINITY };

/**
 * The request with its pictures read, and without their bytes wherever rows and steps are made of it. Nothing changes, and nothing
 * is looked up, where there are none. Throws VALIDATION_ERROR.
 */
export const withPictures = async <T extends { given?: GivenInput }>(
  deps: Pick<StartDeps, 'store' | 'agents' | 'documentPictures' | 'models'>,
  message: Message,
  how: T,
): Promise<T & { pictures?: SentPictures }> => {
  const { attachments } = message.request;
  const { pictures: given = [], history, ...rest } = how.given ?? {};
  const hasKept = history?.some((turn) => turn.pictures !== undefined) === true;
  if (attachments === undefined && given.length === 0 && !hasKept) return how;
  const sent = [...(await ownOf(deps.store, message)), ...given];
  checkAmount(sent);
  const own = [...sent, ...(await ofDocuments(deps, message, sent))];
  // A client that keeps its history sends all of it each time: the oldest pictures give way, as in a stored conversation.
  const kept = history === undefined ? undefined : shownTurns([...history], { ...ALL_THAT_MAY, own });
  // Of a stored conversation the store has its own.
  const turnsBefore = message.request.conversation_id === undefined ? (kept ?? []) : [];
  const brought = turnsBefore.flatMap(({ pictures = [] }) => pictures.filter(isNewPicture));
  if (own.length > 0) await mustBeSeen(deps, message.caller, message.context);
  const turns = kept?.map((turn) =>
    turn.pictures === undefined ? turn : { ...turn, pictures: turn.pictures.map(withoutBytes) },
  );
  return {
    ...how,
    given: { ...rest, ...(turns === undefined ? {} : { history: turns }) },
    ...(own.length + brought.length === 0 ? {} : { pictures: { own, brought } }),
  };
};

/** Of a message that has waited: they are stored. */
export const sentBefore = (own: readonly Picture[]): { pictures?: SentPictures } =>
  own.length === 0 ? {} : { pictures: { own, brought: [] } };

const fresh = ({ own, brought }: SentPictures): NewPicture[] => [...own.filter(isNewPicture), ...brought];

export const encoded = (pictures: SentPictures): ReadonlyMap<string, string> =>
  new Map(fresh(pictures).map(({ id, bytes }) => [id, bytes.toString('base64')]));

/** In the transaction that stores their message. */
export const storePictures = (
  tx: Queryable,
  pictures: SentPictures,
  of: Parameters<typeof insertPictures>[1],
): Promise<void> => insertPictures(tx, of, fresh(pictures));
