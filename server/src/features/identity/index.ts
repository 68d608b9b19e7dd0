import type { Db } from '../../db/db.ts';
import type { AnyRoute, Authenticate } from '../../http/route.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Mailer } from '../../kernel/mail.ts';
import type { Audit } from '../audit/index.ts';
import { touchUser } from '../users/index.ts';
import { CLOCK_SKEW_S, createAccessTokens } from './access-tokens.ts';
import { type Accounts, createAccounts } from './accounts/service.ts';
import { createAuthenticator, proveEmbedded } from './authenticate.ts';
import { ensureFirstAdmin, type FirstAdmin } from './first-admin.ts';
import { createKeys } from './keys/service.ts';
import { createLockout } from './passwords/lockout.ts';
import { identityRoutes } from './routes.ts';
import { createFamilies } from './sessions/families.ts';
import { createSessions, type Sessions } from './sessions/service.ts';
import { createSigningKeys } from './signing/keys.ts';
import { createSeal, type Seal } from './signing/seal.ts';
import { touchKey } from './store.ts';

export interface Log {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/** The settings that this feature reads, by their names. */
export interface IdentityConfig {
  IDP_URL: string | null;
  IDP_CLIENT_ID: string;
  ACCESS_TOKEN_EXPIRE_MINUTES: number;
  REFRESH_TOKEN_EXPIRE_DAYS: number;
  API_KEY_PREFIX: string;
  LOGIN_LOCKOUT: boolean;
  ADMIN_EMAIL: string;
  ADMIN_PASSWORD: string | null;
}

export interface IdentityOptions {
  db: Db;
  clock: Clock;
  config: IdentityConfig;
  dataDir: string;
  /** The issuer; asked late, because it may depend on the port that the process gets. */
  publicUrl: () => string;
  audit: Audit;
  mailer: Mailer;
  log: Log;
}

export interface Identity {
  /** What the users feature needs (its AccountPort), and passwords. */
  accounts: Accounts;
  /** Sign-in, refresh and sign-out, as the routes use them. */
  sessions: Sessions;
  /** Synchronous and in a few microseconds for a token that was seen before. */
  authenticate: Authenticate;
  /** Reads or makes the signing keys; before the first request. */
  start(): Promise<void>;
  ensureFirstAdmin(): Promise<FirstAdmin>;
  /** A new signing key at once; tokens of the old ones stay good until they expire. Returns its id. */
  rotateKeys(): Promise<string>;
  routes: readonly AnyRoute[];
  /** Encrypts what must be kept but not be readable in the store (answers with secrets, say). */
  seal: Seal;
  /** Their next request reads the store again: after every change to a user or tenant. */
  forgetUser(userId: string): void;
  forgetTenant(tenantId: string): void;
}

const KEY_MAX_AGE_MS = 90 * 86_400_000;
const FIRST_PARTY_CLIENTS = ['pentarch-console', 'pentarch-cli'];

export const createIdentity = (options: IdentityOptions): Identity => {
  const { db, clock, config, audit, log } = options;
  const seal = createSeal(options.dataDir);
  const accessLifeS = config.ACCESS_TOKEN_EXPIRE_MINUTES * 60;
  const keys = createSigningKeys({
    db,
    clock,
    seal,
    tokenLifeMs: (accessLifeS + 2 * CLOCK_SKEW_S) * 1000,
    maxAgeMs: KEY_MAX_AGE_MS,
  });
  const tokens = createAccessTokens({
    keys,
    clock,
    issuer: options.publicUrl,
    audience: config.IDP_CLIENT_ID,
    lifeS: accessLifeS,
  });

  const used = (caller: Caller): void => {
    const at = clock.now();
    db.write(async (tx) => {
      await touchUser(tx, caller.userId, at);
      if (caller.credential !== 'jwt') await touchKey(tx, caller.tokenId, at);
    }).catch((error: unknown) => log.warn({ err: error }, 'the time of last use could not be stored'));
  };

  const authenticate = createAuthenticator({
    db,
    clock,
    apiKeyPrefix: config.API_KEY_PREFIX,
    proveToken: proveEmbedded(db, tokens),
    used,
  });

  const forgetKey = (tokenId: string): void => authenticate.forget((caller) => caller.tokenId === tokenId);
  const families = createFamilies({
    db,
    clock,
    tokens,
    audit,
    accessLifeS,
    refreshLifeS: config.REFRESH_TOKEN_EXPIRE_DAYS * 86_400,
    isPublicClient: (clientId) => Promise.resolve(FIRST_PARTY_CLIENTS.includes(clientId)),
    onClosed: (sessionId) => authenticate.forget((caller) => caller.sessionId === sessionId),
  });
  const forgetUser = (userId: string): void => authenticate.forget((caller) => caller.userId === userId);
  const lockout = createLockout({ db, clock, enabled: config.LOGIN_LOCKOUT });
  const accounts = createAccounts({
    db,
    clock,
    audit,
    mailer: options.mailer,
    lockout,
    publicUrl: options.publicUrl,
    forgetUser,
    log,
  });
  const sessions = createSessions({
    db,
    clock,
    lockout,
    families,
    audit,
    externalIssuer: config.IDP_URL,
    onTokenRevoked: forgetKey,
  });
  const keyOptions = { db, clock, audit, apiKeyPrefix: config.API_KEY_PREFIX, onDeleted: forgetKey };

  return {
    accounts,
    sessions,
    authenticate,
    start: () => keys.load(),
    rotateKeys: () => keys.rotate(),
    ensureFirstAdmin: () =>
      ensureFirstAdmin({ db, clock, audit, email: config.ADMIN_EMAIL, password: config.ADMIN_PASSWORD }),
    routes: identityRoutes({
      sessions,
      apiKeys: createKeys(keyOptions, 'api_key'),
      personalTokens: createKeys(keyOptions, 'personal_token'),
      accounts,
    }),
    seal,
    forgetUser,
    forgetTenant: (tenantId) => authenticate.forget((caller) => caller.tenantId === tenantId),
  };
};

export type { FirstAdmin } from './first-admin.ts';
