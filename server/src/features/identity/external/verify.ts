import { errors, jwtVerify } from 'jose';
import type { Clock } from '../../../kernel/clock.ts';
import { AppError, unauthorized } from '../../../kernel/errors.ts';
import type { IssuerHttp } from '../../../kernel/issuer.ts';
import { CLOCK_SKEW_S } from '../access-tokens.ts';
import { readHeader } from '../jwt-form.ts';
import { type PublicKey, readKeySet, SIGNATURE_ALGORITHMS } from '../public-keys.ts';

/** Proof of tokens of an external provider: by its keys, or for opaque ones by asking it. */

export interface ProvenClaims {
  claims: Record<string, unknown>;
  /** Epoch ms. */
  expiresAt: number;
  /** Epoch ms: when the provider said so. Null where a token does not tell when it was made. */
  saidAt: number | null;
}

export interface ExternalVerifier {
  /** Throws `unauthorized`, or SERVICE_UNAVAILABLE when the provider does not answer. */
  jwt(token: string): Promise<ProvenClaims>;
  opaque(token: string): Promise<ProvenClaims>;
}

interface Discovered {
  /** As the provider spells itself: tokens must say the same. */
  issuer: string;
  jwksUri: string;
  introspectionUri: string | null;
  readAt: number;
}

const DISCOVERY_LIFE_MS = 3_600_000;
const KEYS_LIFE_MS = 600_000;
/** A token with a made-up `kid` must not make us ask the provider each time. */
const UNKNOWN_KID_EVERY_MS = 10_000;

const bad = (message: string) => unauthorized('TOKEN_INVALID', message);

const away = (cause: unknown) =>
  new AppError('SERVICE_UNAVAILABLE', 'the identity provider does not answer; try again', {
    retryAfterS: 5,
    cause,
  });

/** What marks an ID token, which is no key to an API (RFC 9068, 5; Keycloak says so in `typ`). */
const isIdToken = (claims: Record<string, unknown>): boolean =>
  ['nonce', 'at_hash', 'c_hash'].some((name) => Object.hasOwn(claims, name)) ||
  (claims.typ !== undefined && claims.typ !== 'Bearer');

/** What a provider says of the kind of a token, where it says anything (RFC 7662, 2.2; Keycloak in `typ`). */
const isAccessToken = ({ token_type: kind, typ }: Record<string, unknown>): boolean =>
  (typ === undefined || typ === 'Bearer') &&
  (kind === undefined ||
    (typeof kind === 'string' && ['bearer', 'access_token', 'dpop'].includes(kind.toLowerCase())));

export const createExternalVerifier = (options: {
  http: IssuerHttp;
  clock: Clock;
  issuer: string;
  audience: string;
  /** Of this service: an opaque token without an audience is for whom it was issued to. */
  clientIds: readonly string[];
}): ExternalVerifier => {
  const { http, clock } = options;
  const issuer = options.issuer.replace(/(?<!\/)\/+$/, '');
  let discovered: Discovered | null = null;
  let keys: readonly PublicKey[] = [];
  let keysReadAt = 0;
  let reading: Promise<void> | null = null;

  const discover = async (): Promise<Discovered> => {
    if (discovered !== null && clock.now() - discovered.readAt < DISCOVERY_LIFE_MS) return discovered;
    const document = await http.discovery();
    const { issuer: named, jwks_uri: jwksUri, introspection_endpoint: introspection } = document;
    if (typeof named !== 'string' || named.replace(/(?<!\/)\/+$/, '') !== issuer) {
      throw new Error(`the discovery document is that of ${String(named)}, not of IDP_URL`);
    }
    if (typeof jwksUri !== 'string') throw new Error('the discovery document names no keys');
    discovered = {
      issuer: named,
      jwksUri,
      introspectionUri: typeof introspection === 'string' ? introspection : null,
      readAt: clock.now(),
    };
    return discovered;
  };

  const readKeys = (): Promise<void> => {
    reading ??= (async () => {
      const { jwksUri } = await discover();
      keys = readKeySet(await http.keys(jwksUri)).trusted;
      keysReadAt = clock.now();
    })().finally(() => {
      reading = null;
    });
    return reading;
  };

  const ask = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw away(error);
    }
  };

  const find = (kid: string | undefined, algorithm: string): PublicKey | undefined => {
    const fitting = keys.filter((key) => key.algorithm === algorithm);
    if (kid !== undefined) return fitting.find((key) => key.kid === kid);
    return fitting.length === 1 ? fitting[0] : undefined;
  };

  const keyFor = async (kid: string | undefined, algorithm: string): Promise<PublicKey> => {
    const age = clock.now() - keysReadAt;
    if (age > KEYS_LIFE_MS) {
      // An old set is better than none while the provider is away.
      await ask(readKeys).catch((error: unknown) => {
        if (keys.length === 0) throw error;
      });
    }
    const known = find(kid, algorithm);
    if (known !== undefined) return known;
    if (clock.now() - keysReadAt >= UNKNOWN_KID_EVERY_MS) await ask(readKeys);
    const fresh = find(kid, algorithm);
    if (fresh === undefined) throw bad('the token is signed with an unknown key');
    return fresh;
  };

  return {
    async jwt(token) {
      const header = readHeader(token, SIGNATURE_ALGORITHMS);
      if (header === null || !/^((application\/)?at\+)?jwt$/i.test(header.typ ?? 'jwt')) {
        throw bad('the token is not an access token');
      }
      const key = await keyFor(header.kid, header.alg);
      try {
        const { payload } = await jwtVerify(token, key.key, {
          algorithms: [key.algorithm],
          audience: options.audience,
          clockTolerance: CLOCK_SKEW_S,
          currentDate: new Date(clock.now()),
          requiredClaims: ['iss', 'sub', 'aud', 'exp'],
        });
        const { exp, iat, iss } = payload;
        if (iss !== discovered?.issuer) throw bad('the token comes from another issuer');
        if (exp === undefined) throw bad('the token has no exp');
        if (iat !== undefined && iat > clock.now() / 1000 + CLOCK_SKEW_S)
          throw bad('the token comes from the future');
        if (isIdToken(payload)) throw bad('an ID token is not an access token');
        return { claims: payload, expiresAt: exp * 1000, saidAt: iat === undefined ? null : iat * 1000 };
      } catch (error) {
        if (error instanceof errors.JWTExpired) throw unauthorized('TOKEN_EXPIRED', 'the token has expired');
        if (error instanceof errors.JOSEError || error instanceof TypeError)
          throw bad('the token is not valid');
        throw error;
      }
    },

    async opaque(token) {
      const answer = await ask(async () => {
        const { introspectionUri } = await discover();
        return introspectionUri === null ? { active: false } : http.introspect(introspectionUri, token);
      });
      const claims: Record<string, unknown> = answer;
      if (claims.active !== true) throw bad('the token is not active');
      const { exp, aud, iss } = claims;
      if (typeof exp !== 'number') throw bad('the token has no end');
      if (exp * 1000 <= clock.now()) throw unauthorized('TOKEN_EXPIRED', 'the token has expired');
      if (typeof iss === 'string' && iss !== discovered?.issuer)
        throw bad('the token comes from another issuer');
      if (!isAccessToken(claims)) throw bad('the token is not an access token');
      const { client_id: client } = claims;
      const isOurs =
        aud === undefined
          ? typeof client === 'string' && options.clientIds.includes(client)
          : (Array.isArray(aud) ? aud : [aud]).includes(options.audience);
      if (!isOurs) throw bad('the token is for another service');
      // Asked just now: it says how things are, not how they were when the token was made.
      return { claims, expiresAt: exp * 1000, saidAt: clock.now() };
    },
  };
};
