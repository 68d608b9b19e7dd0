/** Why a process cannot start on this store, in words for its operator; no fault of the program. */
export class StartRefused extends Error {}

/** Refuses the start with the words that `toWords` has for what went wrong; what it has none for goes on as it is. */
export const inWords = async <T>(
  start: () => Promise<T>,
  toWords: (error: unknown) => string | null,
): Promise<T> => {
  try {
    return await start();
  } catch (error) {
    const words = error instanceof StartRefused ? null : toWords(error);
    throw words === null ? error : new StartRefused(words, { cause: error });
  }
};
