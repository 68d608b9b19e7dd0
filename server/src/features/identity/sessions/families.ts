import { newId } from '../../../kernel/ids.ts';
import type { Principal } from '../principal.ts';
import {
  API_RESOURCE,
  createFamilyRecords,
  type FamilyToken,
  newRefreshToken,
  SESSION_SCOPE,
} from './family-records.ts';
import { createRefresh } from './refresh.ts';
import { createRevocation } from './revoke-family.ts';
import { extendSession, findSession } from './store.ts';
import type { FamiliesOptions, Origin, TokenPair } from './types.ts';

/**
 * Families of tokens: one sign-in, its refresh token and the successors of that. The records have the OpenID provider's
 * own form, so a family that began at `POST /v2/auth/login` goes on at `/oauth/v2/token` and the other way round.
 *
 * fresh → consumed (by the one use that wins) → a second use of it revokes the whole family.
 */

/** How long a code may take from the consent to the exchange, generously. */
const UNUSED_GRANT_LIFE_MS = 3_600_000;

export const createFamilies = (options: FamiliesOptions) => {
  const { db, clock, tokens } = options;
  const records = createFamilyRecords(options);
  const { saveRefresh, saveAccess, begin, noteStart } = records;
  const revoke = createRevocation(options);

  const pair = (accessToken: string, refreshToken: string): TokenPair => ({
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: 'bearer',
    expires_in: options.accessLifeS,
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
    noteToken({ origin, ...token }: FamilyToken & { origin: Origin }): Promise<boolean> {
      return db.write(async (tx) => {
        const now = clock.now();
        const session = await findSession(tx, token.sessionId);
        if (session === undefined) return false;
        await saveAccess(tx, token);
        await extendSession(tx, token.sessionId, {
          usedAt: now,
          expiresAt: now + options.refreshLifeS * 1000,
        });
        if (session.last_used_at === 0) await noteStart(tx, session, 'authorization_code', origin);
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
        await saveAccess(tx, {
          jti: issued.jti,
          userId: principal.userId,
          sessionId,
          clientId,
          expiresAt: issued.expiresAt,
        });
        const session = await findSession(tx, sessionId);
        if (session !== undefined) await noteStart(tx, session, 'password', origin);
      });
      return pair(issued.token, refreshToken);
    },

    refresh: createRefresh({ ...options, records, revoke, pair }),
  };
};

export type Families = ReturnType<typeof createFamilies>;
