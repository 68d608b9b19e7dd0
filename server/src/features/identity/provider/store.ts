import { hash } from 'node:crypto';
import { compiled } from '../../../db/compiled.ts';
import type { Queryable } from '../../../db/db.ts';
import type { OidcRecordRow } from '../../../db/tables/identity.ts';

/**
 * Records of the OpenID provider (oidc-provider's adapter contract): codes, refresh tokens, grants, browser sessions,
 * interactions. A record's id is often the secret itself, so the store keeps its hash, and the payload without it.
 */
export interface ProviderRecord {
  model: string;
  /** The plain id; hashed here. */
  id: string;
  payload: Record<string, unknown>;
  /** Epoch ms; null = kept until it is destroyed. */
  expiresAt: number | null;
}

const hashId = (id: string): string => hash('sha256', id, 'base64url');
/** Before a hash that stands for the code: no code has this letter, and no request may (`plugin.ts`). */
const BY_HASH = '~';

/** A device code is saved again after its person came by the user code, with nothing but the row in hand. */
const keyOf = (model: string, id: string): string =>
  model === 'DeviceCode' && id.startsWith(BY_HASH) ? id.slice(BY_HASH.length) : hashId(id);

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const upsert = compiled<OidcRecordRow, never>((db, p) =>
  db
    .insertInto('oidc_records')
    .values({
      model: p('model'),
      id: p('id'),
      payload: p('payload'),
      grant_id: p('grant_id'),
      uid: p('uid'),
      account_id: p('account_id'),
      consumed_at: p('consumed_at'),
      expires_at: p('expires_at'),
    })
    // `consumed_at` stays: saving a consumed record again must not make it fresh.
    .onConflict((c) =>
      c.columns(['model', 'id']).doUpdateSet((eb) => ({
        payload: eb.ref('excluded.payload'),
        grant_id: eb.ref('excluded.grant_id'),
        uid: eb.ref('excluded.uid'),
        account_id: eb.ref('excluded.account_id'),
        expires_at: eb.ref('excluded.expires_at'),
      })),
    ),
);

export const saveRecord = async (tx: Queryable, record: ProviderRecord): Promise<void> => {
  const { jti, ...rest } = record.payload;
  await upsert(tx, {
    model: record.model,
    id: keyOf(record.model, record.id),
    // A grant's id is no secret: it names the session, and the provider needs it to find the record's family.
    payload: JSON.stringify(jti === record.id ? rest : record.payload),
    grant_id: record.model === 'Grant' ? record.id : textOrNull(record.payload.grantId),
    uid: textOrNull(record.payload.uid ?? record.payload.userCode),
    account_id: textOrNull(record.payload.accountId),
    consumed_at: null,
    expires_at: record.expiresAt,
  });
};

/** A stored record; `consumedAt` in epoch ms. */
export interface StoredRecord {
  payload: Record<string, unknown>;
  consumedAt: number | null;
}

const byId = compiled<{ model: string; id: string }, OidcRecordRow>((db, p) =>
  db.selectFrom('oidc_records').selectAll().where('model', '=', p('model')).where('id', '=', p('id')),
);

export const findRecord = async (
  db: Queryable,
  model: string,
  id: string,
  now: number,
): Promise<StoredRecord | undefined> => {
  const [row] = await byId(db, { model, id: keyOf(model, id) });
  if (row === undefined || (row.expires_at !== null && row.expires_at <= now)) return undefined;
  return { payload: { ...JSON.parse(row.payload), jti: id }, consumedAt: row.consumed_at };
};

const rowByUid = (db: Queryable, model: string, uid: string): Promise<OidcRecordRow | undefined> =>
  db
    .selectFrom('oidc_records')
    .selectAll()
    .where('model', '=', model)
    .where('uid', '=', uid)
    .executeTakeFirst();

/** The device code of a user code. */
export const findDeviceRecord = async (
  db: Queryable,
  userCode: string,
  now: number,
): Promise<StoredRecord | undefined> => {
  const row = await rowByUid(db, 'DeviceCode', userCode);
  if (row === undefined || (row.expires_at !== null && row.expires_at <= now)) return undefined;
  return { payload: { ...JSON.parse(row.payload), jti: `${BY_HASH}${row.id}` }, consumedAt: row.consumed_at };
};

/** The uid of a browser session stands in tokens that are bound to it; the id itself is only in the cookie. */
export const findRecordByUid = async (
  db: Queryable,
  model: string,
  uid: string,
  now: number,
): Promise<StoredRecord | undefined> => {
  const row = await rowByUid(db, model, uid);
  if (row === undefined || (row.expires_at !== null && row.expires_at <= now)) return undefined;
  return { payload: JSON.parse(row.payload), consumedAt: row.consumed_at };
};

const consume = compiled<{ model: string; id: string; at: number }, { id: string }>((db, p) =>
  db
    .updateTable('oidc_records')
    .set({ consumed_at: p('at') })
    .where('model', '=', p('model'))
    .where('id', '=', p('id'))
    .where('consumed_at', 'is', null)
    .returning('id'),
);

/** True for exactly one of any number of callers: whoever gets it may go on. */
export const consumeRecord = async (tx: Queryable, model: string, id: string, at: number): Promise<boolean> =>
  (await consume(tx, { model, id: hashId(id), at })).length === 1;

export const destroyRecord = async (tx: Queryable, model: string, id: string): Promise<void> => {
  await tx.deleteFrom('oidc_records').where('model', '=', model).where('id', '=', hashId(id)).execute();
};

/** Everything that one authorization gave rise to, the grant itself included. */
export const destroyRecordsOfGrant = async (tx: Queryable, grantId: string): Promise<void> => {
  await tx.deleteFrom('oidc_records').where('grant_id', '=', grantId).execute();
};

/** Everything of a person: browser sessions, grants, codes, refresh tokens. */
export const destroyRecordsOfAccount = async (tx: Queryable, accountId: string): Promise<void> => {
  await tx.deleteFrom('oidc_records').where('account_id', '=', accountId).execute();
};

/** The browser session in which a family was granted; null for one that began without a browser, or has no record left. */
export const browserSessionOf = async (db: Queryable, grantId: string): Promise<string | null> => {
  const rows = await db
    .selectFrom('oidc_records')
    .select('payload')
    .where('grant_id', '=', grantId)
    .where('model', 'in', ['AuthorizationCode', 'RefreshToken'])
    .execute();
  for (const row of rows) {
    const payload: unknown = JSON.parse(row.payload);
    if (typeof payload !== 'object' || payload === null || !('sessionUid' in payload)) continue;
    if (typeof payload.sessionUid === 'string') return payload.sessionUid;
  }
  return null;
};

/** One browser session of a person, so that it asks for the password again. */
export const destroyBrowserSession = async (tx: Queryable, accountId: string, uid: string): Promise<void> => {
  await tx
    .deleteFrom('oidc_records')
    .where('model', '=', 'Session')
    .where('account_id', '=', accountId)
    .where('uid', '=', uid)
    .execute();
};

/** Every browser session of a person but one (null: every one). */
export const destroyBrowserSessions = async (
  tx: Queryable,
  accountId: string,
  exceptUid: string | null,
): Promise<void> => {
  let query = tx
    .deleteFrom('oidc_records')
    .where('model', '=', 'Session')
    .where('account_id', '=', accountId);
  if (exceptUid !== null) query = query.where('uid', '!=', exceptUid);
  await query.execute();
};

export const deleteRecordsExpiredBefore = async (tx: Queryable, before: number): Promise<void> => {
  await tx.deleteFrom('oidc_records').where('expires_at', '<', before).execute();
};

/** Saves a record that must not be there yet; false when it is. */
export const saveRecordOnce = async (tx: Queryable, record: ProviderRecord): Promise<boolean> => {
  const rows = await tx
    .insertInto('oidc_records')
    .values({
      model: record.model,
      id: hashId(record.id),
      payload: JSON.stringify({ ...record.payload, jti: undefined }),
      grant_id: null,
      uid: null,
      account_id: null,
      consumed_at: null,
      expires_at: record.expiresAt,
    })
    .onConflict((c) => c.columns(['model', 'id']).doNothing())
    .returning('id')
    .execute();
  return rows.length === 1;
};

/** Grants of sessions that ended by themselves. */
export const deleteRecordsOfEndedSessions = async (tx: Queryable, before: number): Promise<void> => {
  await tx
    .deleteFrom('oidc_records')
    .where('grant_id', 'in', (eb) => eb.selectFrom('sessions').select('id').where('expires_at', '<', before))
    .execute();
};
