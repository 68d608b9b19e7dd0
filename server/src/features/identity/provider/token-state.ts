import type { Db } from '../../../db/db.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { AppError } from '../../../kernel/errors.ts';
import type { OidcClient } from '../../../kernel/oidc.ts';
import type { Audit } from '../../audit/index.ts';
import { type AccessTokens, personClaims, type VerifiedToken } from '../access-tokens.ts';
import { callerOf, type Principal, parseStrings } from '../principal.ts';
import { hashSecret, hasSecretForm, PERSONAL_TOKEN_PREFIX } from '../secrets.ts';
import type { Families } from '../sessions/families.ts';
import { findSession } from '../sessions/store.ts';
import type { Origin } from '../sessions/types.ts';
import {
  findAccessToken,
  findKeyPrincipal,
  findPrincipal,
  findTokenPrincipal,
  revokeAccessToken,
} from '../store.ts';
import { OAuthError } from './oauth-error.ts';
import { findRecord } from './store.ts';

/** Introspection (RFC 7662) of access tokens, keys and refresh tokens, and revocation (RFC 7009) of those of clients. */

export interface TokenStateOptions {
  db: Db;
  clock: Clock;
  tokens: AccessTokens;
  families: Families;
  audit: Audit;
  issuer: () => string;
  audience: string;
  apiKeyPrefix: string;
  onTokenRevoked(jti: string): void;
}

const INACTIVE = { active: false } as const;

export const createTokenState = (options: TokenStateOptions) => {
  const { db, clock, tokens, families } = options;

  const verified = async (token: string): Promise<VerifiedToken | null> => {
    try {
      return await tokens.verify(token);
    } catch (error) {
      if (error instanceof AppError && error.code === 'UNAUTHORIZED') return null;
      throw error;
    }
  };

  const common = (principal: Principal) => ({
    iss: options.issuer(),
    sub: principal.userId,
    username: principal.email,
    ...personClaims(principal),
  });

  const accessToken = async (token: string) => {
    const proof = await verified(token);
    const principal = proof === null ? undefined : await findTokenPrincipal(db.read, proof.jti);
    if (
      proof === null ||
      principal === undefined ||
      principal.tokenRevokedAt !== null ||
      principal.sessionRevokedAt !== null ||
      principal.userStatus !== 'active' ||
      principal.tenantStatus !== 'active'
    ) {
      return INACTIVE;
    }
    return {
      active: true,
      token_type: 'Bearer',
      aud: options.audience,
      client_id: proof.clientId,
      scope: proof.scope,
      jti: proof.jti,
      iat: Math.floor(proof.issuedAt / 1000),
      exp: Math.floor(proof.expiresAt / 1000),
      ...common(principal),
    };
  };

  /** API keys and personal access tokens, which no client has asked for: the API's own stands for them. */
  const key = async (token: string) => {
    if (![options.apiKeyPrefix, PERSONAL_TOKEN_PREFIX].some((prefix) => hasSecretForm(token, prefix))) {
      return INACTIVE;
    }
    const principal = await findKeyPrincipal(db.read, hashSecret(token));
    if (
      principal === undefined ||
      principal.deletedAt !== null ||
      (principal.expiresAt !== null && principal.expiresAt <= clock.now()) ||
      principal.userStatus !== 'active' ||
      principal.tenantStatus !== 'active'
    ) {
      return INACTIVE;
    }
    const caller = callerOf(principal, {
      kind: principal.kind === 'personal_token' ? 'personal_token' : 'api_key',
      tokenId: principal.keyId,
      sessionId: null,
      expiresAt: principal.expiresAt,
      only: principal.keyPermissions === null ? null : parseStrings(principal.keyPermissions),
      // Not said in an introspection.
      platformAdmin: false,
    });
    const permissions = [...caller.permissions].sort();
    return {
      active: true,
      token_type: 'Bearer',
      aud: options.audience,
      client_id: options.audience,
      scope: permissions.join(' '),
      jti: principal.keyId,
      iat: Math.floor(principal.createdAt / 1000),
      ...(principal.expiresAt === null ? {} : { exp: Math.floor(principal.expiresAt / 1000) }),
      ...common(principal),
      permissions,
    };
  };

  const refreshToken = async (client: OidcClient, token: string) => {
    const record = await findRecord(db.read, 'RefreshToken', token, clock.now());
    const { accountId, clientId, grantId, scope, iat, exp } = record?.payload ?? {};
    if (record === undefined || record.consumedAt !== null || clientId !== client.id) return INACTIVE;
    const session = typeof grantId === 'string' ? await findSession(db.read, grantId) : undefined;
    if (session === undefined || session.revoked_at !== null) return INACTIVE;
    const principal = typeof accountId === 'string' ? await findPrincipal(db.read, accountId) : undefined;
    if (principal === undefined || principal.userStatus !== 'active' || principal.tenantStatus !== 'active') {
      return INACTIVE;
    }
    return { active: true, client_id: client.id, scope, iat, exp, ...common(principal) };
  };

  return {
    /** Any confidential client may ask about tokens and keys for the API; about a refresh token only its own client. */
    async introspect(client: OidcClient, token: string): Promise<Record<string, unknown>> {
      if (client.type !== 'confidential') {
        throw new OAuthError('invalid_client', 'introspection needs a client with a secret', {
          'www-authenticate': 'Basic realm="pentarch"',
        });
      }
      for (const known of [await key(token), await accessToken(token)]) if (known.active) return known;
      return refreshToken(client, token);
    },

    /** Unknown tokens are no fault (RFC 7009, 2.2); another client's are. */
    async revoke(client: OidcClient, token: string, origin: Origin): Promise<void> {
      const foreign = () => new OAuthError('invalid_request', 'this token belongs to another client');
      const record = await findRecord(db.read, 'RefreshToken', token, clock.now());
      if (record !== undefined) {
        const { clientId, grantId } = record.payload;
        if (clientId !== client.id) throw foreign();
        if (typeof grantId === 'string') await families.revoke(grantId, 'revoked by the client', origin);
        return;
      }
      const proof = await verified(token);
      const known = proof === null ? undefined : await findAccessToken(db.read, proof.jti);
      if (known === undefined) return;
      if (known.client_id !== client.id) throw foreign();
      const owner = await findPrincipal(db.read, known.user_id);
      await db.write(async (tx) => {
        await revokeAccessToken(tx, known.jti, clock.now());
        if (owner === undefined || known.revoked_at !== null) return;
        await options.audit.append(tx, {
          tenantId: owner.tenantId,
          actorId: owner.userId,
          actorType: owner.type === 'service' ? 'service' : 'user',
          action: 'token.revoked',
          targetType: 'token',
          targetId: known.jti,
          requestId: origin.requestId,
          address: origin.address,
          details: { client_id: client.id },
        });
      });
      options.onTokenRevoked(known.jti);
    },
  };
};

export type TokenState = ReturnType<typeof createTokenState>;
