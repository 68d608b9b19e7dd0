import type { Db } from '../../../db/db.ts';
import type { Caller } from '../../../kernel/caller.ts';
import { type Clock, iso } from '../../../kernel/clock.ts';
import { conflict, notFound, unauthorized } from '../../../kernel/errors.ts';
import { OIDC_CLIENTS } from '../../../kernel/oidc.ts';
import { DEFAULT_TENANT } from '../../../kernel/tenant.ts';
import { type Audit, actorOf } from '../../audit/index.ts';
import { findTenantBySlug } from '../../tenants/index.ts';
import { findUserByEmail, foldEmail } from '../../users/index.ts';
import { verifyPassword } from '../passwords/hash.ts';
import type { Lockout } from '../passwords/lockout.ts';
import { assertActive, assertWholeAccount, type Principal } from '../principal.ts';
import { findPrincipal, noteRevoked, revokeAccessToken } from '../store.ts';
import type { Families } from './families.ts';
import { findSession, listOpenSessions } from './store.ts';
import type { Origin, TokenPair } from './types.ts';

/** Client that tokens of `POST /v2/auth/login` are made out to: always there, public. */
export const LOGIN_CLIENT = OIDC_CLIENTS.cli;

export interface SessionsOptions {
  db: Db;
  clock: Clock;
  lockout: Lockout;
  families: Families;
  audit: Audit;
  /** Address of the external provider; null with the embedded one. */
  externalIssuer: string | null;
  onTokenRevoked(jti: string): void;
}

export const createSessions = (options: SessionsOptions) => {
  const { db, lockout, families, audit } = options;

  const assertEmbedded = (): void => {
    if (options.externalIssuer === null) return;
    throw conflict(`sign-in happens at the identity provider ${options.externalIssuer} (IDP_URL)`, {
      idp_url: options.externalIssuer,
    });
  };

  /** The same work for an account that does not exist: its refusal stands in the chain of the tenant `default`. */
  const refuse = async (email: string, origin: Origin): Promise<void> => {
    const user = await findUserByEmail(db.read, email);
    const tenantId = user?.tenant_id ?? (await findTenantBySlug(db.read, DEFAULT_TENANT))?.id;
    if (tenantId === undefined) return;
    await db.write((tx) =>
      audit.append(tx, {
        tenantId,
        actorId: user?.id ?? null,
        actorType: user?.type === 'service' ? 'service' : 'user',
        action: 'session.refused',
        outcome: 'refused',
        requestId: origin.requestId,
        address: origin.address,
      }),
    );
  };

  /**
   * The account behind an e-mail and password; null for a wrong password, an unknown account and one that is not active:
   * these cannot be told apart. Throws RATE_LIMITED while the account is locked, FORBIDDEN for a suspended tenant.
   */
  const checkPassword = async (
    email: string,
    password: string,
    origin: Origin,
  ): Promise<Principal | null> => {
    const principal = await lockout.attempt(
      { email: foldEmail(email), address: origin.address },
      async () => {
        const user = await findUserByEmail(db.read, email);
        const matches = await verifyPassword(user?.password_hash ?? null, password);
        if (!matches || user === undefined || user.status !== 'active') return null;
        return (await findPrincipal(db.read, user.id)) ?? null;
      },
    );
    if (principal === null) await refuse(email, origin);
    else assertActive(principal);
    return principal;
  };

  return {
    checkPassword,

    async login(input: { email: string; password: string }, origin: Origin): Promise<TokenPair> {
      assertEmbedded();
      const principal = await checkPassword(input.email, input.password, origin);
      if (principal === null) throw unauthorized('TOKEN_INVALID', 'the e-mail or the password is wrong');
      return families.open(principal, LOGIN_CLIENT, origin);
    },

    refresh(refreshToken: string, origin: Origin): Promise<TokenPair> {
      assertEmbedded();
      return families.refresh(refreshToken, origin);
    },

    /** Ends the session of the token; a token without a session (a service account's) is revoked by itself. */
    async logout(caller: Caller, origin: Origin): Promise<void> {
      if (caller.sessionId !== null) return families.revoke(caller.sessionId, 'signed out', origin);
      if (caller.credential !== 'jwt') {
        throw conflict('an API key or personal token has no session; delete it instead');
      }
      await db.write(async (tx) => {
        const now = options.clock.now();
        // The provider's token stays good elsewhere; here it is none any more.
        if (options.externalIssuer !== null) {
          await noteRevoked(tx, {
            jti: caller.tokenId,
            user_id: caller.userId,
            session_id: null,
            client_id: options.externalIssuer,
            expires_at: caller.expiresAt ?? now,
            revoked_at: now,
          });
        } else await revokeAccessToken(tx, caller.tokenId, now);
        await audit.append(tx, {
          ...actorOf(caller),
          action: 'token.revoked',
          targetType: 'token',
          targetId: caller.tokenId,
          requestId: origin.requestId,
          address: origin.address,
        });
      });
      options.onTokenRevoked(caller.tokenId);
    },

    async list(caller: Caller) {
      assertWholeAccount(caller);
      const rows = await listOpenSessions(db.read, caller.userId, options.clock.now());
      const items = rows.map((row) => ({
        id: row.id,
        client_id: row.client_id,
        address: row.address,
        user_agent: row.user_agent,
        current: row.id === caller.sessionId,
        created_at: iso(row.created_at),
        last_used_at: iso(row.last_used_at),
        expires_at: iso(row.expires_at),
      }));
      return { items, total: items.length };
    },

    /** Throws NOT_FOUND for a session that is not the caller's, or not open any more. */
    async end(caller: Caller, sessionId: string, origin: Origin): Promise<void> {
      assertWholeAccount(caller);
      const session = await findSession(db.read, sessionId);
      if (session === undefined || session.user_id !== caller.userId || session.revoked_at !== null) {
        throw notFound('session');
      }
      await families.revoke(sessionId, 'ended by the user', origin, { browser: true });
    },
  };
};

export type Sessions = ReturnType<typeof createSessions>;
