import argon2 from 'argon2';

/** argon2id with the second of OWASP's equivalent parameter sets (19 MiB, two passes). */
const PARAMETERS = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** A hash that no password matches, so that an unknown user costs the same work as a known one. */
const DUMMY = argon2.hash(crypto.randomUUID(), PARAMETERS);

export const hashPassword = (password: string): Promise<string> =>
  argon2.hash(password.normalize('NFKC'), PARAMETERS);

/** Null for an account without a password: the same work is done, and the answer is false. */
export const verifyPassword = async (hash: string | null, password: string): Promise<boolean> => {
  const matches = await argon2.verify(hash ?? (await DUMMY), password.normalize('NFKC'));
  return matches && hash !== null;
};
