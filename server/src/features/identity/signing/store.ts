import type { Queryable } from '../../../db/db.ts';
import type { SigningKeyRow } from '../../../db/tables/identity.ts';

export type { SigningKeyRow };

/** Newest first. */
export const listSigningKeys = (db: Queryable): Promise<SigningKeyRow[]> =>
  db.selectFrom('signing_keys').selectAll().orderBy('created_at', 'desc').orderBy('id', 'desc').execute();

export const newestSigningKeyId = async (db: Queryable): Promise<string | undefined> =>
  (
    await db
      .selectFrom('signing_keys')
      .select('id')
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst()
  )?.id;

export const insertSigningKey = async (tx: Queryable, row: SigningKeyRow): Promise<void> => {
  await tx.insertInto('signing_keys').values(row).execute();
};

export const retireSigningKeys = async (tx: Queryable, exceptId: string, at: number): Promise<void> => {
  await tx
    .updateTable('signing_keys')
    .set({ retired_at: at })
    .where('id', '!=', exceptId)
    .where('retired_at', 'is', null)
    .execute();
};

export const deleteSigningKeysRetiredBefore = async (tx: Queryable, before: number): Promise<void> => {
  await tx.deleteFrom('signing_keys').where('retired_at', '<', before).execute();
};
