import { randomBytes } from 'node:crypto';
import type { Db, Queryable } from '../../../db/db.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { unauthorized } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Audit } from '../../audit/index.ts';
import type { AccessTokens } from '../access-tokens.ts';
import { assertActive, type Principal } from '../principal.ts';
import { consumeRecord, destroyRecordsOfGrant, findRecord, saveRecord } from '../provider/store.ts';
import { findPrincipal, insertAccessToken } from '../store.ts';
import { closeSession, extendSession, findSession, insertSession } from './store.ts';

/**
 * Families of tokens: one sign-in, its refresh token and the successors of that. The records have the OpenID provider's
 * own form, so a family that began at `POST /v2/auth/login` goes on at `/oauth/v2/token` and the other way round.
 *
 * fresh → consumed (by the one use that wins) → a second use of it revokes the whole family.
 */

/** The API as a resource of the provider (RFC 8707): what makes it sign JWT access tokens. */
export const API_RESOURCE = 'urn:pentarch:api';
export const SESSION_SCOPE = 'openid profile email offline_access';

export interface TokenPair {
  access_token: string;
  refresh_token: string;
  token_type: 'bearer';
  expires_in: number;
}

/** Where a request came from, for the list of sessions and the audit. */
export interface Origin {
  address: string | null;
  userAgent: string | null;
  requestId: string | null;
}

export interface FamiliesOptions {
  db: Db;
  clock: Clock;
  tokens: AccessTokens;
  audit: Audit;
  accessLifeS: number;
  refreshLifeS: number;
  /** Clients that need no secret: only their refresh tokens are taken without one. */
  isPublicClient(clientId: string): Promise<boolean>;
  /** Tokens of the session must not be accepted from memory any more. */
  onClosed(sessionId: string): void;
}

interface RefreshPayload {
  accountId: string;
  clientId: string;
  grantId: string;
  scope: string;
  rotations: number;
  iiat: number;
  rest: Record<string, unknown>;
}

const readRefresh = (payload: Record<string, unknown>): RefreshPayload | null => {
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

const newRefreshToken = (): string => randomBytes(32).toString('base64url');

export const createFamilies = (options: FamiliesOptions) => {
  const { db, clock, tokens, audit } = options;

  const saveRefresh = (tx: Queryable, id: string, nowS: number, payload: Record<string, unknown>) =>
    saveRecord(tx, {
      model: 'RefreshToken',
      id,
      payload: { ...payload, jti: id, kind: 'RefreshToken', iat: nowS, exp: nowS + options.refreshLifeS },
      expiresAt: (nowS + options.refreshLifeS) * 1000,
    });

  const pair = (accessToken: string, refreshToken: string): TokenPair => ({
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: 'bearer',
    expires_in: options.accessLifeS,
  });

  /** Ends a family: no token of it is accepted from now on. Safe to call again. */
  const revoke = async (sessionId: string, reason: string, origin: Origin | null): Promise<void> => {
    await db.write(async (tx) => {
      const at = clock.now();
      const session = await findSession(tx, sessionId);
      await destroyRecordsOfGrant(tx, sessionId);
      if (session === undefined || !(await closeSession(tx, sessionId, at))) return;
      await audit.append(tx, {
        tenantId: session.tenant_id,
        actorId: session.user_id,
        actorType: 'user',
        action: 'session.revoked',
        targetType: 'session',
        targetId: sessionId,
        requestId: origin?.requestId,
        address: origin?.address,
        details: { reason },
      });
    });
    options.onClosed(sessionId);
  };

  return {
    revoke,

    /** Opens a family for a person who has just proved who they are. */
    async open(principal: Principal, clientId: string, origin: Origin): Promise<TokenPair> {
      const now = clock.now();
      const nowS = Math.floor(now / 1000);
      const sessionId = newId();
      const refreshToken = newRefreshToken();
      const expiresAt = (nowS + options.refreshLifeS) * 1000;
      const issued = await tokens.sign(principal, { clientId, scope: SESSION_SCOPE });
      const shared = { accountId: principal.userId, clientId };
      await db.write(async (tx) => {
        await insertSession(tx, {
          id: sessionId,
          tenant_id: principal.tenantId,
          user_id: principal.userId,
          client_id: clientId,
          address: origin.address,
          user_agent: origin.userAgent,
          created_at: now,
          last_used_at: now,
          expires_at: expiresAt,
          revoked_at: null,
        });
        await saveRecord(tx, {
          model: 'Grant',
          id: sessionId,
          payload: {
            ...shared,
            jti: sessionId,
            kind: 'Grant',
            iat: nowS,
            exp: nowS + options.refreshLifeS,
            openid: { scope: SESSION_SCOPE },
            resources: { [API_RESOURCE]: SESSION_SCOPE },
          },
          expiresAt: null,
        });
        await saveRefresh(tx, refreshToken, nowS, {
          ...shared,
          grantId: sessionId,
          gty: 'password',
          scope: SESSION_SCOPE,
          resource: API_RESOURCE,
          authTime: nowS,
          amr: ['pwd'],
          rotations: 0,
          iiat: nowS,
        });
        await insertAccessToken(tx, {
          jti: issued.jti,
          user_id: principal.userId,
          session_id: sessionId,
          client_id: clientId,
          expires_at: issued.expiresAt,
          revoked_at: null,
        });
        await audit.append(tx, {
          tenantId: principal.tenantId,
          actorId: principal.userId,
          actorType: 'user',
          action: 'session.created',
          targetType: 'session',
          targetId: sessionId,
          requestId: origin.requestId,
          address: origin.address,
          details: { client_id: clientId, method: 'password' },
        });
      });
      return pair(issued.token, refreshToken);
    },

    /** Exchanges a refresh token for a new pair. Throws TOKEN_INVALID, TOKEN_EXPIRED or TOKEN_REVOKED. */
    async refresh(token: string, origin: Origin): Promise<TokenPair> {
      const now = clock.now();
      const nowS = Math.floor(now / 1000);
      const stored = await findRecord(db.read, 'RefreshToken', token, now);
      const old = stored === undefined ? null : readRefresh(stored.payload);
      if (stored === undefined || old === null) {
        throw unauthorized('TOKEN_INVALID', 'the refresh token is unknown, expired or revoked');
      }
      if (!(await options.isPublicClient(old.clientId))) {
        throw unauthorized('TOKEN_INVALID', 'this refresh token belongs to a client with a secret');
      }
      const reused = async () => {
        await revoke(old.grantId, 'refresh token used twice', origin);
        return unauthorized('TOKEN_REVOKED', 'the refresh token was used before; the session has been ended');
      };
      if (stored.consumedAt !== null) throw await reused();
      const principal = await findPrincipal(db.read, old.accountId);
      if (principal === undefined) throw unauthorized('TOKEN_REVOKED', 'the account does not exist any more');
      assertActive(principal);

      const refreshToken = newRefreshToken();
      const issued = await tokens.sign(principal, { clientId: old.clientId, scope: old.scope });
      const won = await db.write(async (tx) => {
        if (!(await consumeRecord(tx, 'RefreshToken', token, now))) return false;
        const { rest } = old;
        await saveRefresh(tx, refreshToken, nowS, {
          ...rest,
          accountId: old.accountId,
          clientId: old.clientId,
          grantId: old.grantId,
          scope: old.scope,
          iiat: old.iiat,
          rotations: old.rotations + 1,
        });
        await insertAccessToken(tx, {
          jti: issued.jti,
          user_id: principal.userId,
          session_id: old.grantId,
          client_id: old.clientId,
          expires_at: issued.expiresAt,
          revoked_at: null,
        });
        await extendSession(tx, old.grantId, {
          usedAt: now,
          expiresAt: (nowS + options.refreshLifeS) * 1000,
        });
        return true;
      });
      if (!won) throw await reused();
      return pair(issued.token, refreshToken);
    },
  };
};

export type Families = ReturnType<typeof createFamilies>;
