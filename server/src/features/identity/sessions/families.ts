import { randomBytes } from 'node:crypto';
import type { Db, Queryable } from '../../../db/db.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { unauthorized } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Audit } from '../../audit/index.ts';
import type { AccessTokens } from '../access-tokens.ts';
import { assertActive, type Principal } from '../principal.ts';
import {
  browserSessionOf,
  consumeRecord,
  destroyBrowserSession,
  destroyRecordsOfGrant,
  findRecord,
  saveRecord,
} from '../provider/store.ts';
import { findPrincipal, insertAccessToken } from '../store.ts';
import { closeSession, extendSession, findSession, insertSession, type SessionRow } from './store.ts';

/**
 * Families of tokens: one sign-in, its refresh token and the successors of that. The records have the OpenID provider's
 * own form, so a family that began at `POST /v2/auth/login` goes on at `/oauth/v2/token` and the other way round.
 *
 * fresh → consumed (by the one use that wins) → a second use of it revokes the whole family.
 */

/** The API as a resource of the provider (RFC 8707): what makes it sign JWT access tokens. */
export const API_RESOURCE = 'urn:pentarch:api';
/** A grant lives as long as its newest refresh token; the session row says when that ends. */
const GRANT_LIFE_S = 10 * 365 * 86_400;
/** How long a code may take from the consent to the exchange, generously. */
const UNUSED_GRANT_LIFE_MS = 3_600_000;
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

  /**
   * Ends a family: no token of it is accepted from now on. Safe to call again. With `browser` the browser that it was
   * granted in is signed out too, which could else fetch itself another family without a password.
   */
  const revoke = async (
    sessionId: string,
    reason: string,
    origin: Origin | null,
    how: { browser: boolean } = { browser: false },
  ): Promise<void> => {
    await db.write(async (tx) => {
      const at = clock.now();
      const session = await findSession(tx, sessionId);
      const browser = how.browser ? await browserSessionOf(tx, sessionId) : null;
      if (browser !== null && session !== undefined)
        await destroyBrowserSession(tx, session.user_id, browser);
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

  /** The session and the grant record of a new family. `lastUsedAt` 0: granted, no token fetched yet. */
  const begin = async (
    tx: Queryable,
    family: {
      id: string;
      principal: Principal;
      clientId: string;
      scope: string;
      origin: Origin;
      lastUsedAt: number;
      expiresAt: number;
    },
  ): Promise<void> => {
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
  };

  const noteStart = (tx: Queryable, session: SessionRow, method: string, origin: Origin): Promise<void> =>
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
    });

  return {
    revoke,

    /** A family for an authorization; its tokens are fetched later, if at all. Returns its id. */
    async grant(principal: Principal, clientId: string, scope: string, origin: Origin): Promise<string> {
      const id = newId();
      const expiresAt = clock.now() + UNUSED_GRANT_LIFE_MS;
      await db.write((tx) => begin(tx, { id, principal, clientId, scope, origin, lastUsedAt: 0, expiresAt }));
      return id;
    },

    /**
     * Notes an access token of a family; false for a family that is not there. One that has just been ended still gets
     * its row: of two uses of a code at the same time the first is answered, and what it got is refused as revoked.
     */
    noteToken(token: {
      jti: string;
      userId: string;
      sessionId: string;
      clientId: string;
      expiresAt: number;
      origin: Origin;
    }): Promise<boolean> {
      return db.write(async (tx) => {
        const now = clock.now();
        const session = await findSession(tx, token.sessionId);
        if (session === undefined) return false;
        await insertAccessToken(tx, {
          jti: token.jti,
          user_id: token.userId,
          session_id: token.sessionId,
          client_id: token.clientId,
          expires_at: token.expiresAt,
          revoked_at: null,
        });
        await extendSession(tx, token.sessionId, {
          usedAt: now,
          expiresAt: now + options.refreshLifeS * 1000,
        });
        if (session.last_used_at === 0) await noteStart(tx, session, 'authorization_code', token.origin);
        return true;
      });
    },

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
        await begin(tx, {
          id: sessionId,
          principal,
          clientId,
          scope: SESSION_SCOPE,
          origin,
          lastUsedAt: now,
          expiresAt,
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
        const session = await findSession(tx, sessionId);
        if (session !== undefined) await noteStart(tx, session, 'password', origin);
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
      const session = await findSession(db.read, old.grantId);
      if (principal === undefined || session === undefined || session.revoked_at !== null) {
        throw unauthorized('TOKEN_REVOKED', 'the session has ended');
      }
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
