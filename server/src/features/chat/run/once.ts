/** Asked once, however many ask. */
export const once = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let asked: Promise<T> | null = null;
  return () => {
    asked ??= ask();
    return asked;
  };
};
