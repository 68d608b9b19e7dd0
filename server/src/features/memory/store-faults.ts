import { conflict, notFound } from '../../kernel/errors.ts';

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
