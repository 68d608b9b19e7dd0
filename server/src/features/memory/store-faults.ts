import { AppError, conflict, notFound } from '../../kernel/errors.ts';

/**
 * What the engines raise when another request changed the same records in between, as errors of the catalogue: a
 * double is a conflict, an entity that has just been deleted is not found. Everything else is thrown on.
 */
export const withStoreFaults = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    if (/UNIQUE constraint failed|duplicate key value/.test(message))
      throw conflict('the same was stored at the same time; try again');
    if (/FOREIGN KEY constraint failed|violates foreign key constraint/.test(message))
      throw notFound('entity');
    throw error;
  }
};

/** Others may delete and make the same again and again; nobody loses this often in a row. */
const TRIES = 20;

/** What is to be made, until nobody has deleted it, or a part of it, in the middle. `work` makes what it finds missing. */
export const untilItStands = async <T>(work: () => Promise<T | null>): Promise<T> => {
  for (let tries = 0; tries < TRIES; tries++) {
    const made = await work().catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return null;
      throw error;
    });
    if (made !== null) return made;
  }
  throw conflict('others delete the same all the time; try again');
};
