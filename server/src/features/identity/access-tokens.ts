import { errors, jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../../kernel/clock.ts';
import { unauthorized } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { isAccessTokenType, readHeader } from './jwt-form.ts';
import { type Principal, parseRoles, permissionsOf } from './principal.ts';
import type { SigningKeys } from './signing/keys.ts';

/** Access tokens of the embedded provider: RFC 9068 JWTs with the claims of the specification. */

export const CLOCK_SKEW_S = 30;

/** The claims that say who the bearer is. The platform itself goes by the store; these are for other services. */
export const personClaims = (principal: Principal) => ({
  email: principal.email,
  name: principal.name,
  roles: parseRoles(principal.roles),
  org_id: principal.tenantId,
  permissions: [...permissionsOf(principal)].sort(),
});

export interface IssuedToken {
  token: string;
  jti: string;
  /** Epoch ms. */
  expiresAt: number;
}

export interface VerifiedToken {
  jti: string;
  sub: string;
  clientId: string;
  scope: string;
  issuedAt: number;
  /** Epoch ms. */
  expiresAt: number;
}

export interface AccessTokens {
  /** Signs; the caller of this stores the `jti`, or the token is not accepted. */
  sign(principal: Principal, options: { clientId: string; scope: string }): Promise<IssuedToken>;
  /** Throws `unauthorized`. */
  verify(token: string): Promise<VerifiedToken>;
}

export interface AccessTokensOptions {
  keys: SigningKeys;
  clock: Clock;
  issuer: () => string;
  audience: string;
  lifeS: number;
}

const bad = (message: string) => unauthorized('TOKEN_INVALID', message);

export const createAccessTokens = (options: AccessTokensOptions): AccessTokens => {
  const { keys, clock, audience } = options;
  return {
    async sign(principal, { clientId, scope }) {
      const key = keys.current();
      const jti = newId();
      const issuedAtS = Math.floor(clock.now() / 1000);
      const expiresAtS = issuedAtS + options.lifeS;
      const token = await new SignJWT({ ...personClaims(principal), client_id: clientId, scope })
        .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: key.kid })
        .setIssuer(options.issuer())
        .setAudience(audience)
        .setSubject(principal.userId)
        .setJti(jti)
        .setIssuedAt(issuedAtS)
        .setExpirationTime(expiresAtS)
        .sign(key.privateKey);
      return { token, jti, expiresAt: expiresAtS * 1000 };
    },

    async verify(token) {
      const header = readHeader(token, ['RS256']);
      if (header === null || header.kid === undefined || !isAccessTokenType(header.typ)) {
        throw bad('the token is not an access token of this service');
      }
      const key = await keys.find(header.kid);
      if (key === undefined) throw bad('the token is signed with an unknown key');
      try {
        const { payload } = await jwtVerify(token, key.publicKey, {
          algorithms: ['RS256'],
          issuer: options.issuer(),
          audience,
          clockTolerance: CLOCK_SKEW_S,
          currentDate: new Date(clock.now()),
          requiredClaims: ['sub', 'exp', 'iat', 'jti'],
        });
        const { sub, jti, exp, iat, client_id: clientId, scope } = payload;
        if (!sub || !jti || exp === undefined || iat === undefined) throw bad('the token lacks a claim');
        if (iat > clock.now() / 1000 + CLOCK_SKEW_S) throw bad('the token comes from the future');
        return {
          jti,
          sub,
          clientId: typeof clientId === 'string' ? clientId : '',
          scope: typeof scope === 'string' ? scope : '',
          issuedAt: iat * 1000,
          expiresAt: exp * 1000,
        };
      } catch (error) {
        if (error instanceof errors.JWTExpired) throw unauthorized('TOKEN_EXPIRED', 'the token has expired');
        if (error instanceof errors.JOSEError || error instanceof TypeError)
          throw bad('the token is not valid');
        throw error;
      }
    },
  };
};
