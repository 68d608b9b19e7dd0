import { MAX_PICTURES, MAX_PICTURES_BYTES, type Picture, withPictureNotes } from '../../../kernel/picture.ts';
import { estimatePictureTokens } from '../../../kernel/pictures/tokens.ts';
import { type HistoryTurn, splitTurns } from '../history.rules.ts';
import type { RunDeps, RunLoop } from '../run/run.ts';

/** Which pictures of a conversation go along with a message. */

/** The turn with notes in place of its pictures. */
export const asWords = <T extends HistoryTurn>(turn: T): T => {
  const { pictures, ...rest } = turn;
  if (pictures === undefined) return turn;
  return { ...rest, content: withPictureNotes(turn.content, pictures) } as T;
};

/** Part of the room for history that pictures may take. */
const SHARE = 0.5;

/**
 * The newest pictures that fit beside the message's own (`own`); of those before them the model is told the names. A turn is shown with
 * all of its pictures or with none.
 */
export const shownTurns = <T extends HistoryTurn>(
  turns: T[],
  { sees, tokens, own = [] }: { sees: boolean; tokens: number; own?: readonly Picture[] | undefined },
): T[] => {
  if (!turns.some((turn) => turn.pictures !== undefined)) return turns;
  let left = sees ? tokens * SHARE : 0;
  let count = MAX_PICTURES - own.length;
  let bytes = own.reduce((rest, { size }) => rest - size, MAX_PICTURES_BYTES);
  return turns
    .toReversed()
    .map((turn) => {
      if (turn.pictures === undefined) return turn;
      for (const picture of turn.pictures) {
        left -= estimatePictureTokens(picture);
        bytes -= picture.size;
        count -= 1;
      }
      return left < 0 || bytes < 0 || count < 0 || !sees ? asWords(turn) : turn;
    })
    .toReversed();
};

/**
 * Whether a turn that would go along has a picture. The room is what the settings and the window leave at the most: how much of it
 * a prompt takes is known later.
 */
export const hasShown = (turns: HistoryTurn[], tokens: number): boolean =>
  turns.some(({ pictures }) => pictures !== undefined) &&
  splitTurns(shownTurns(turns, { sees: true, tokens }), tokens).kept.some(
    ({ pictures }) => pictures !== undefined,
  );

/** What a call shows, as base64: of the run's message from memory until its row is sure to be there, else from the store. */
export const bytesOfShown = async (
  { store }: Pick<RunDeps, 'store'>,
  { plan, state, context }: Pick<RunLoop, 'plan' | 'state' | 'context'>,
  shown: readonly Picture[],
): Promise<ReadonlyMap<string, string>> => {
  const found = new Map(plan.pictures);
  // After its first step the run's rows are written: a run that waits for days holds no megabytes.
  if (state.modelCalls > 0 && context.temporary !== true) delete plan.pictures;
  const missing = shown.filter(({ id }) => !found.has(id)).map(({ id }) => id);
  if (missing.length === 0 || context.temporary === true || context.conversationId === null) return found;
  for (const row of await store.pictures(context.conversationId, missing))
    found.set(row.id, Buffer.from(row.bytes).toString('base64'));
  return found;
};
