import { errors, importJWK, type JWK, jwtVerify } from 'jose';
import type { Db } from '../../../db/db.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { OIDC_PATHS, type OidcOrigin } from '../../../kernel/oidc.ts';
import type { Audit } from '../../audit/index.ts';
import { type AccessTokens, CLOCK_SKEW_S } from '../access-tokens.ts';
import { readClaims, readHeader } from '../jwt-form.ts';
import { OAuthError } from '../provider/oauth-error.ts';
import { saveRecordOnce } from '../provider/store.ts';
import { findPrincipal, insertAccessToken } from '../store.ts';
import { listMachineKeys, type MachineKeyRow } from './store.ts';

/** The `jwt-bearer` grant (RFC 7523, 2.1): a service account's signed assertion for an access token. */

/** Client id in tokens that no registered client asked for. */
export const SERVICE_CLIENT = 'pentarch-service-accounts';
/** "machine assertion lifetime 3600 seconds" of the specification. */
const MAX_LIFE_S = 3600;
const MAX_KEYS = 20;
const SCOPES = ['openid', 'profile', 'email'];

export interface AssertionsOptions {
  db: Db;
  clock: Clock;
  tokens: AccessTokens;
  audit: Audit;
  issuer: () => string;
  accessLifeS: number;
}

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost'];

/** The issuer or the token endpoint, with or without a slash; a loopback issuer under each of its names. */
const audiencesOf = (issuer: string): string[] => {
  const url = new URL(issuer);
  const names = LOOPBACK.includes(url.hostname)
    ? LOOPBACK.map((host) => `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`)
    : [issuer];
  return names.flatMap((name) => [name, `${name}/`, `${name}${OIDC_PATHS.token}`]);
};

const refused = (description: string) => new OAuthError('invalid_grant', description);

export const createAssertions = (options: AssertionsOptions) => {
  const { db, clock } = options;

  /** A key named by the header must be the account's own; without a name each of them may have signed. */
  const candidates = async (userId: string, kid: string | undefined): Promise<MachineKeyRow[]> => {
    const rows = await listMachineKeys(db.read, userId, MAX_KEYS);
    return rows.filter((row) => row.expires_at > clock.now() && (kid === undefined || row.id === kid));
  };

  const verify = async (assertion: string, row: MachineKeyRow) => {
    const jwk: JWK = JSON.parse(row.public_jwk);
    const { payload } = await jwtVerify(assertion, await importJWK(jwk, 'RS256'), {
      algorithms: ['RS256'],
      audience: audiencesOf(options.issuer()),
      clockTolerance: CLOCK_SKEW_S,
      currentDate: new Date(clock.now()),
      requiredClaims: ['iss', 'sub', 'aud', 'exp'],
    });
    return payload;
  };

  /** Throws `invalid_grant`. The `jti`, where there is one, is good for one use. */
  const prove = async (assertion: string): Promise<string> => {
    const header = readHeader(assertion, ['RS256']);
    const claims = header === null ? null : readClaims(assertion);
    if (header === null || claims === null) throw refused('the assertion is not an RS256 JWT');
    const { iss, sub } = claims;
    if (typeof sub !== 'string' || sub === '' || iss !== sub) {
      throw refused('iss and sub must both be the id of the service account');
    }
    for (const row of await candidates(sub, header.kid)) {
      try {
        const { exp, iat, jti } = await verify(assertion, row);
        const nowS = clock.now() / 1000;
        if (exp === undefined || exp > nowS + MAX_LIFE_S + CLOCK_SKEW_S) throw refused('exp is too far away');
        if (iat !== undefined && iat > nowS + CLOCK_SKEW_S) throw refused('iat lies in the future');
        if (jti !== undefined) {
          const first = await db.write((tx) =>
            saveRecordOnce(tx, {
              model: 'Assertion',
              id: `${sub}:${jti}`,
              payload: {},
              expiresAt: (exp + CLOCK_SKEW_S) * 1000,
            }),
          );
          if (!first) throw refused('the assertion was used before');
        }
        return sub;
      } catch (error) {
        if (error instanceof errors.JWSSignatureVerificationFailed) continue;
        if (error instanceof errors.JOSEError) throw refused('the assertion is not valid or has expired');
        throw error;
      }
    }
    throw refused('the assertion is signed with no key of this service account');
  };

  return {
    /** The token response. Throws OAuthError. There is no refresh token (RFC 7521, 4.1): a new assertion does. */
    async exchange(assertion: string, scope: string, origin: OidcOrigin) {
      const userId = await prove(assertion);
      const principal = await findPrincipal(db.read, userId);
      if (
        principal === undefined ||
        principal.userStatus !== 'active' ||
        principal.tenantStatus !== 'active' ||
        principal.type !== 'service'
      ) {
        throw refused('the service account may not sign in');
      }
      const asked = new Set(scope.split(' '));
      const granted = SCOPES.filter((known) => asked.has(known)).join(' ');
      const issued = await options.tokens.sign(principal, { clientId: SERVICE_CLIENT, scope: granted });
      await db.write(async (tx) => {
        await insertAccessToken(tx, {
          jti: issued.jti,
          user_id: userId,
          session_id: null,
          client_id: SERVICE_CLIENT,
          expires_at: issued.expiresAt,
          revoked_at: null,
        });
        await options.audit.append(tx, {
          tenantId: principal.tenantId,
          actorId: userId,
          actorType: 'service',
          action: 'token.issued',
          requestId: origin.requestId,
          address: origin.address,
          details: { grant: 'jwt-bearer' },
        });
      });
      return {
        access_token: issued.token,
        token_type: 'Bearer',
        expires_in: options.accessLifeS,
        scope: granted,
      };
    },
  };
};

export type Assertions = ReturnType<typeof createAssertions>;
