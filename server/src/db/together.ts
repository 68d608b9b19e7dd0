/**
 * For statements of one transaction that do not need each other's answers: PostgreSQL is sent all of them at once and answers in
 * that order, SQLite runs one after the other anyway. Resolves or throws only when all have been answered, so that none
 * comes after the end of its transaction; throws the first error in the order given, since those that follow on it only say that the
 * transaction has failed.
 */
export const together = async <const T extends readonly unknown[]>(
  ...statements: T
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> => {
  try {
    return await Promise.all(statements);
  } catch (first) {
    for (const one of await Promise.allSettled(statements)) if (one.status === 'rejected') throw one.reason;
    throw first;
  }
};
