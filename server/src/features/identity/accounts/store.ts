import type { Queryable } from '../../../db/db.ts';
import type { UserRow } from '../../users/index.ts';

export interface NewPassword {
  userId: string;
  passwordHash: string;
  /** What the other credential can that may know it; left out: who knew the one before may know this one. */
  maker?: string | null;
  /** Only in place of this one. */
  previousHash?: string;
  at: number;
}

/** Sets the password; an invited account becomes active by it. Undefined where another one has been faster. */
export const setPassword = async (tx: Queryable, input: NewPassword): Promise<UserRow | undefined> => {
  let query = tx
    .updateTable('users')
    .set((eb) => ({
      password_hash: input.passwordHash,
      ...(input.maker === undefined ? {} : { password_permissions: input.maker }),
      updated_at: input.at,
      status: eb.case().when('status', '=', 'invited').then('active').else(eb.ref('status')).end(),
    }))
    .where('id', '=', input.userId);
  if (input.previousHash !== undefined) query = query.where('password_hash', '=', input.previousHash);
  return query.returningAll().executeTakeFirst();
};
