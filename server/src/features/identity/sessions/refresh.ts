import { unauthorized } from '../../../kernel/errors.ts';
import { assertActive } from '../principal.ts';
import { consumeRecord, findRecord } from '../provider/store.ts';
import { findPrincipal } from '../store.ts';
import { type FamilyRecords, newRefreshToken, readRefresh } from './family-records.ts';
import type { RevokeFamily } from './revoke-family.ts';
import { extendSession, findSession } from './store.ts';
import type { FamiliesOptions, Origin, TokenPair } from './types.ts';

export interface RefreshOptions
  extends Pick<FamiliesOptions, 'db' | 'clock' | 'tokens' | 'isPublicClient' | 'refreshLifeS'> {
  records: Pick<FamilyRecords, 'saveRefresh' | 'saveAccess'>;
  revoke: RevokeFamily;
  pair(accessToken: string, refreshToken: string): TokenPair;
}

/** Exchanges a refresh token for a new pair. Throws TOKEN_INVALID, TOKEN_EXPIRED or TOKEN_REVOKED. */
export const createRefresh = (options: RefreshOptions) => {
  const { db, clock, tokens, records, revoke, pair } = options;

  return async (token: string, origin: Origin): Promise<TokenPair> => {
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
      await records.saveRefresh(tx, refreshToken, nowS, {
        ...rest,
        accountId: old.accountId,
        clientId: old.clientId,
        grantId: old.grantId,
        scope: old.scope,
        iiat: old.iiat,
        rotations: old.rotations + 1,
      });
      await records.saveAccess(tx, {
        jti: issued.jti,
        userId: principal.userId,
        sessionId: old.grantId,
        clientId: old.clientId,
        expiresAt: issued.expiresAt,
      });
      await extendSession(tx, old.grantId, {
        usedAt: now,
        expiresAt: (nowS + options.refreshLifeS) * 1000,
      });
      return true;
    });
    if (!won) throw await reused();
    return pair(issued.token, refreshToken);
  };
};
