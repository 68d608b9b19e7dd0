import { compiled } from '../../db/compiled.ts';
import type { Queryable } from '../../db/db.ts';
import type { AccessTokenRow } from '../../db/tables/identity.ts';
import type { Principal } from './principal.ts';

/** Look-ups of a credential together with its owner: one statement each, since they stand in every request's way. */

const PRINCIPAL = [
  'users.id as userId',
  'users.tenant_id as tenantId',
  'tenants.slug as tenantSlug',
  'users.type as type',
  'users.email as email',
  'users.name as name',
  'users.roles as roles',
  'users.permissions as permissions',
  'users.tier as userTier',
  'tenants.tier as tenantTier',
  'users.status as userStatus',
  'tenants.status as tenantStatus',
  'users.last_seen_at as lastSeenAt',
  'users.external_id as externalId',
] as const;

const byId = compiled<{ id: string }, Principal>((db, p) =>
  db
    .selectFrom('users')
    .innerJoin('tenants', 'tenants.id', 'users.tenant_id')
    .select(PRINCIPAL)
    .where('users.id', '=', p('id')),
);

export const findPrincipal = async (db: Queryable, userId: string): Promise<Principal | undefined> =>
  (await byId(db, { id: userId }))[0];

export interface TokenPrincipal extends Principal {
  sessionId: string | null;
  tokenRevokedAt: number | null;
  sessionRevokedAt: number | null;
}

const byToken = compiled<{ jti: string }, TokenPrincipal>((db, p) =>
  db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .innerJoin('tenants', 'tenants.id', 'users.tenant_id')
    .leftJoin('sessions', 'sessions.id', 'access_tokens.session_id')
    .select([
      ...PRINCIPAL,
      'access_tokens.session_id as sessionId',
      'access_tokens.revoked_at as tokenRevokedAt',
      'sessions.revoked_at as sessionRevokedAt',
    ])
    .where('access_tokens.jti', '=', p('jti')),
);

export const findTokenPrincipal = async (db: Queryable, jti: string): Promise<TokenPrincipal | undefined> =>
  (await byToken(db, { jti }))[0];

export interface KeyPrincipal extends Principal {
  keyId: string;
  kind: string;
  keyPermissions: string | null;
  expiresAt: number | null;
  lastUsedAt: number | null;
  createdAt: number;
  deletedAt: number | null;
}

const byKey = compiled<{ secretHash: string }, KeyPrincipal>((db, p) =>
  db
    .selectFrom('api_keys')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .innerJoin('tenants', 'tenants.id', 'users.tenant_id')
    .select([
      ...PRINCIPAL,
      'api_keys.id as keyId',
      'api_keys.kind as kind',
      'api_keys.permissions as keyPermissions',
      'api_keys.expires_at as expiresAt',
      'api_keys.last_used_at as lastUsedAt',
      'api_keys.created_at as createdAt',
      'api_keys.deleted_at as deletedAt',
    ])
    .where('api_keys.secret_hash', '=', p('secretHash')),
);

/** Deleted ones too, as long as they are told from those that never were. */
export const findKeyPrincipal = async (
  db: Queryable,
  secretHash: string,
): Promise<KeyPrincipal | undefined> => (await byKey(db, { secretHash }))[0];

const insertToken = compiled<AccessTokenRow, never>((db, p) =>
  db.insertInto('access_tokens').values({
    jti: p('jti'),
    user_id: p('user_id'),
    session_id: p('session_id'),
    client_id: p('client_id'),
    expires_at: p('expires_at'),
    revoked_at: p('revoked_at'),
  }),
);

export const insertAccessToken = async (tx: Queryable, row: AccessTokenRow): Promise<void> => {
  await insertToken(tx, row);
};

export const findAccessToken = (db: Queryable, jti: string): Promise<AccessTokenRow | undefined> =>
  db.selectFrom('access_tokens').selectAll().where('jti', '=', jti).executeTakeFirst();

export const revokeAccessToken = async (tx: Queryable, jti: string, at: number): Promise<void> => {
  await tx
    .updateTable('access_tokens')
    .set({ revoked_at: at })
    .where('jti', '=', jti)
    .where('revoked_at', 'is', null)
    .execute();
};

/** A token of an external provider that was signed out here. Safe to do again. */
export const noteRevoked = async (tx: Queryable, row: AccessTokenRow): Promise<void> => {
  await tx
    .insertInto('access_tokens')
    .values(row)
    .onConflict((conflict) => conflict.column('jti').doNothing())
    .execute();
};

/** For tokens without a session: those of service accounts. */
export const revokeAccessTokensOfUser = async (tx: Queryable, userId: string, at: number): Promise<void> => {
  await tx
    .updateTable('access_tokens')
    .set({ revoked_at: at })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
};

export const deleteAccessTokensExpiredBefore = async (tx: Queryable, before: number): Promise<void> => {
  await tx.deleteFrom('access_tokens').where('expires_at', '<', before).execute();
};

export const touchKey = async (tx: Queryable, keyId: string, at: number): Promise<void> => {
  await tx.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', keyId).execute();
};
