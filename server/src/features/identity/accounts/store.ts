import type { Queryable } from '../../../db/db.ts';

export interface NewPassword {
  userId: string;
  passwordHash: string;
  at: number;
}

/** Sets the password; an invited account becomes active by it. */
export const setPassword = async (tx: Queryable, input: NewPassword): Promise<void> => {
  await tx
    .updateTable('users')
    .set((eb) => ({
      password_hash: input.passwordHash,
      updated_at: input.at,
      status: eb.case().when('status', '=', 'invited').then('active').else(eb.ref('status')).end(),
    }))
    .where('id', '=', input.userId)
    .execute();
};
