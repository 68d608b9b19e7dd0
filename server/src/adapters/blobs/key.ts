const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

/** A key that leaves neither its folder nor its prefix; throws for any other. */
export const checkedKey = (key: string): string => {
  if (!KEY.test(key)) throw new Error('not a blob key');
  return key;
};
