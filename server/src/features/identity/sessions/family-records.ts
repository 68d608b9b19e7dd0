import { randomBytes } from 'node:crypto';
import type { Queryable } from '../../../db/db.ts';
import type { Principal } from '../principal.ts';
import { saveRecord } from '../provider/store.ts';
import { insertAccessToken } from '../store.ts';
import { insertSession, type SessionRow } from './store.ts';
import type { FamiliesOptions, Origin } from './types.ts';

/** The API as a resource of the provider (RFC 8707): what makes it sign JWT access tokens. */
export const API_RESOURCE = 'urn:pentarch:api';
/** A grant lives as long as its newest refresh token; the session row says when that ends. */
const GRANT_LIFE_S = 10 * 365 * 86_400;
export const SESSION_SCOPE = 'openid profile email offline_access';

export interface RefreshPayload {
  accountId: string;
  clientId: string;
  grantId: string;
  scope: string;
  rotations: number;
  iiat: number;
  rest: Record<string, unknown>;
}

/** Null for what is no refresh token of ours. */
export const readRefresh = (payload: Record<string, unknown>): RefreshPayload | null => {
  const { accountId, clientId, grantId, scope, rotations, iiat, ...rest } = payload;
  if (typeof accountId !== 'string' || typeof clientId !== 'string' || typeof grantId !== 'string')
    return null;
  return {
    accountId,
    clientId,
    grantId,
    scope: typeof scope === 'string' ? scope : '',
    rotations: typeof rotations === 'number' ? rotations : 0,
    iiat: typeof iiat === 'number' ? iiat : 0,
    rest,
  };
};

export const newRefreshToken = (): string => randomBytes(32).toString('base64url');

/** What a family begins with. `lastUsedAt` 0: granted, no token fetched yet. */
export interface NewFamily {
  id: string;
  principal: Principal;
  clientId: string;
  scope: string;
  origin: Origin;
  lastUsedAt: number;
  expiresAt: number;
}

/** An access token as its family keeps it. */
export interface FamilyToken {
  jti: string;
  userId: string;
  sessionId: string;
  clientId: string;
  expiresAt: number;
}

/** The records that a family consists of. */
export const createFamilyRecords = ({
  clock,
  audit,
  refreshLifeS,
}: Pick<FamiliesOptions, 'clock' | 'audit' | 'refreshLifeS'>) => ({
  saveRefresh: (tx: Queryable, id: string, nowS: number, payload: Record<string, unknown>): Promise<void> =>
    saveRecord(tx, {
      model: 'RefreshToken',
      id,
      payload: { ...payload, jti: id, kind: 'RefreshToken', iat: nowS, exp: nowS + refreshLifeS },
      expiresAt: (nowS + refreshLifeS) * 1000,
    }),

  saveAccess: (tx: Queryable, token: FamilyToken): Promise<void> =>
    insertAccessToken(tx, {
      jti: token.jti,
      user_id: token.userId,
      session_id: token.sessionId,
      client_id: token.clientId,
      expires_at: token.expiresAt,
      revoked_at: null,
    }),

  /** The session and the grant record of a new family. */
  async begin(tx: Queryable, family: NewFamily): Promise<void> {
    const now = clock.now();
    const nowS = Math.floor(now / 1000);
    const { id, principal, clientId, scope } = family;
    await insertSession(tx, {
      id,
      tenant_id: principal.tenantId,
      user_id: principal.userId,
      client_id: clientId,
      address: family.origin.address,
      user_agent: family.origin.userAgent,
      created_at: now,
      last_used_at: family.lastUsedAt,
      expires_at: family.expiresAt,
      revoked_at: null,
    });
    await saveRecord(tx, {
      model: 'Grant',
      id,
      payload: {
        accountId: principal.userId,
        clientId,
        jti: id,
        kind: 'Grant',
        iat: nowS,
        exp: nowS + GRANT_LIFE_S,
        openid: { scope },
        resources: { [API_RESOURCE]: scope },
      },
      expiresAt: null,
    });
  },

  noteStart: (tx: Queryable, session: SessionRow, method: string, origin: Origin): Promise<void> =>
    audit.append(tx, {
      tenantId: session.tenant_id,
      actorId: session.user_id,
      actorType: 'user',
      action: 'session.created',
      targetType: 'session',
      targetId: session.id,
      requestId: origin.requestId,
      address: origin.address,
      details: { client_id: session.client_id, method },
    }),
});

export type FamilyRecords = ReturnType<typeof createFamilyRecords>;
