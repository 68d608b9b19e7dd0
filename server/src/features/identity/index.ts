import type { FastifyInstance } from 'fastify';
import type { Db, Queryable } from '../../db/db.ts';
import type { DocumentPart } from '../../http/document/openapi.ts';
import type { AnyRoute, Authenticate } from '../../http/route.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Cluster } from '../../kernel/cluster.ts';
import type { IssuerHttp } from '../../kernel/issuer.ts';
import type { Mailer } from '../../kernel/mail.ts';
import type { OidcPorts } from '../../kernel/oidc.ts';
import type { ActorFor, CallerFor } from '../../kernel/stored-credential.ts';
import type { Audit } from '../audit/index.ts';
import { type PersonalData, touchUser } from '../users/index.ts';
import { CLOCK_SKEW_S, createAccessTokens } from './access-tokens.ts';
import { type Accounts, createAccounts } from './accounts/service.ts';
import { createAuthenticator, proveEmbedded } from './authenticate.ts';
import { createActorFor, createCallerFor } from './caller-for.ts';
import type { MetadataDocuments } from './clients/metadata-documents.ts';
import { clientRoutes } from './clients/routes.ts';
import { createClients } from './clients/service.ts';
import type { IdentityConfig } from './config.ts';
import { platformAdminsOf } from './external/claims.rules.ts';
import { createExternalProof } from './external/setup.ts';
import { ensureFirstAdmin, type FirstAdmin } from './first-admin.ts';
import { createKeys } from './keys/service.ts';
import { maintain } from './maintain.ts';
import { createLockout } from './passwords/lockout.ts';
import { personalDataOf } from './personal-data.ts';
import { createPlatformRule } from './principal.ts';
import { providerPaths, providerSchemas } from './provider/document.ts';
import { createEmbeddedProvider } from './provider/embedded.ts';
import type { Engine } from './provider/plugin-options.ts';
import { createPorts } from './provider/ports.ts';
import type { CountAddress } from './provider/throttle.ts';
import { identityRoutes } from './routes.ts';
import { createFamilies } from './sessions/families.ts';
import { createSessions, type Sessions } from './sessions/service.ts';
import { createSigningKeys } from './signing/keys.ts';
import type { PlatformKeys } from './signing/platform-keys.ts';
import { noteRotation } from './signing/rotated.ts';
import { createSeal, type Seal } from './signing/seal.ts';
import { touchKey } from './store.ts';

export interface Log {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

export type { IdentityConfig } from './config.ts';

/** The provider's part of the OpenAPI document. */
export const providerDocument: DocumentPart = {
  paths: providerPaths,
  schemas: providerSchemas,
  securitySchemes: {
    client: { type: 'http', scheme: 'basic', description: 'Id and secret of a confidential client' },
  },
};

export interface IdentityOptions {
  db: Db;
  clock: Clock;
  config: IdentityConfig;
  /** The secrets beside the store. */
  platformKeys: PlatformKeys;
  /** Where other nodes change accounts too, what a caller may do is read for every request. */
  cluster: Cluster;
  /** The issuer; asked late, because it may depend on the port that the process gets. */
  publicUrl: () => string;
  audit: Audit;
  mailer: Mailer;
  /** Requests of an address to the provider over all nodes; without it this process counts for itself. */
  countAddress?: CountAddress;
  /** Needed with IDP_URL (adapters/oidc). */
  issuerHttp?: IssuerHttp | undefined;
  /** Where clients are described that nobody registers; without it there are none such. */
  clientDocuments?: MetadataDocuments | undefined;
  log: Log;
  /** A person's keys or account are others than before: what goes on in their name is to be looked at. */
  rightsChanged?: (userId: string) => void;
}

export interface Identity {
  /** What the users feature needs (its AccountPort), and passwords. */
  accounts: Accounts;
  /** Sign-in, refresh and sign-out, as the routes use them. */
  sessions: Sessions;
  /** Synchronous and in a few microseconds for a token that was seen before. */
  authenticate: Authenticate;
  /** A person with the rights of now, for work that goes on without their token; null when they may not act. */
  callerFor: CallerFor<Queryable>;
  /** The same, with why there is nobody. */
  actorFor: ActorFor<Queryable>;
  /** Reads or makes the signing keys; before the first request. */
  start(): Promise<void>;
  ensureFirstAdmin(): Promise<FirstAdmin>;
  /** A new signing key at once; tokens of the old ones stay good until they expire. Returns its id. */
  rotateKeys(): Promise<string>;
  routes: readonly AnyRoute[];
  /** For the OpenID engine (adapters/oidc), which `module.ts` hands to `plugin`. */
  oidc: OidcPorts;
  /** The identity provider's own paths, as a Fastify plugin. */
  plugin(engine: Engine): (app: FastifyInstance) => void;
  /** For `users.registerPersonalData`. */
  personalData: PersonalData;
  /** Once an hour: rotates a signing key that is due and drops what has expired. */
  maintain(): Promise<void>;
  /** Signs with the key that a command or another node has made. Every few seconds. */
  followKeys(): Promise<void>;
  /** Encrypts what must be kept but not be readable in the store (answers with secrets, say). */
  seal: Seal;
  /** Their next request reads the store again: after every change to a user or tenant. */
  forgetUser(userId: string): void;
  forgetTenant(tenantId: string): void;
}

/** Age at which a signing key is replaced by itself, in ms. */
export const SIGNING_KEY_LIFE = 90 * 86_400_000;
const MAINTENANCE_EVERY_MS = 3_600_000;

/**
 * How long a retired signing key must still verify. Another node may go on signing with it until its own hourly look at
 * the store.
 */
export const tokenLifeMs = (accessTokenMinutes: number): number =>
  (accessTokenMinutes * 60 + 2 * CLOCK_SKEW_S) * 1000 + MAINTENANCE_EVERY_MS;

export const createIdentity = (options: IdentityOptions): Identity => {
  const { db, clock, config, audit, log } = options;
  const { platformKeys } = options;
  const seal = createSeal(platformKeys);
  const accessLifeS = config.ACCESS_TOKEN_EXPIRE_MINUTES * 60;
  const refreshLifeS = config.REFRESH_TOKEN_EXPIRE_DAYS * 86_400;
  const keys = createSigningKeys({
    db,
    clock,
    seal,
    tokenLifeMs: tokenLifeMs(config.ACCESS_TOKEN_EXPIRE_MINUTES),
    maxAgeMs: SIGNING_KEY_LIFE,
    rotated: noteRotation(audit),
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

  const forgetUser = (userId: string): void => {
    authenticate.forget((caller) => caller.userId === userId);
    options.rightsChanged?.(userId);
  };
  const lockout = createLockout({
    db,
    clock,
    enabled: config.LOGIN_LOCKOUT,
    maxOfAddress: config.LOGIN_FAILURES_PER_ADDRESS,
  });
  const accounts = createAccounts({
    db,
    clock,
    audit,
    mailer: options.mailer,
    lockout,
    publicUrl: options.publicUrl,
    externalIssuer: config.IDP_URL,
    forgetUser,
    log,
  });
  const admins = platformAdminsOf(config.IDP_PLATFORM_ADMINS);
  const isPlatformAdmin = createPlatformRule(
    new Set(
      config.IDP_URL === null ? [] : [...admins.subjects].map((subject) => `${config.IDP_URL}|${subject}`),
    ),
  );
  const external = createExternalProof({
    db,
    clock,
    audit,
    config,
    issuerHttp: options.issuerHttp,
    admins,
    accounts,
    forgetUser,
  });
  const authenticate = createAuthenticator({
    db,
    clock,
    apiKeyPrefix: config.API_KEY_PREFIX,
    proveToken: external ?? proveEmbedded(db, tokens, isPlatformAdmin),
    isPlatformAdmin,
    used,
    ...(!options.cluster.alone ? { staleAfterMs: 0 } : {}),
  });

  const forgetKey = (tokenId: string): void => authenticate.forget((caller) => caller.tokenId === tokenId);
  const families = createFamilies({
    db,
    clock,
    tokens,
    audit,
    accessLifeS,
    refreshLifeS,
    isPublicClient: (clientId) => clients.isPublic(clientId),
    onClosed: (sessionId) => authenticate.forget((caller) => caller.sessionId === sessionId),
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
  const clients = createClients({
    db,
    clock,
    audit,
    api: {
      id: config.IDP_CLIENT_ID,
      secret: config.IDP_CLIENT_SECRET ?? platformKeys.secret('idp-client-secret'),
    },
    documents: options.clientDocuments ?? null,
    closeSession: (sessionId) => families.revoke(sessionId, 'client deleted', null),
    endUser: async (userId) => {
      await db.write((tx) => accounts.endAccess(tx, userId, { keepKeys: false, exceptSessionId: null }));
      forgetUser(userId);
    },
  });
  const cookieKey = platformKeys.secret('cookie.key');
  const ports = createPorts({
    db,
    clock,
    keys,
    clients,
    families,
    audit,
    issuer: options.publicUrl,
    audience: config.IDP_CLIENT_ID,
    cookieKey,
    accessLifeS,
    refreshLifeS,
    log,
  });
  const embedded = createEmbeddedProvider({
    db,
    clock,
    config,
    audit,
    publicUrl: options.publicUrl,
    countAddress: options.countAddress ?? null,
    cookieKey,
    tokens,
    families,
    sessions,
    clients,
    accounts,
    authenticate,
    onTokenRevoked: forgetKey,
  });
  /** With an external provider none of these paths is here. */
  const plugin = (engine: Engine) => (config.IDP_URL === null ? embedded(engine) : () => {});
  const actorFor = createActorFor(db, isPlatformAdmin);
  const onDeleted = (keyId: string, userId: string): void => {
    forgetKey(keyId);
    options.rightsChanged?.(userId);
  };
  const keyOptions = { db, clock, audit, apiKeyPrefix: config.API_KEY_PREFIX, onDeleted };

  return {
    accounts,
    sessions,
    authenticate,
    callerFor: createCallerFor(actorFor),
    actorFor,
    async start() {
      await keys.read();
      // Only now are they known to belong to this store: a start that fails writes none.
      platformKeys.keep();
      await keys.begin();
    },
    rotateKeys: () => keys.rotate(),
    ensureFirstAdmin: async () => {
      const made = await ensureFirstAdmin({
        db,
        clock,
        audit,
        email: config.ADMIN_EMAIL,
        password: config.ADMIN_PASSWORD,
      });
      // Nobody signs in with it while an external provider is set; a reset link gives a new one later.
      return config.IDP_URL === null ? made : { ...made, password: null };
    },
    routes: [
      ...identityRoutes({
        sessions,
        apiKeys: createKeys(keyOptions, 'api_key'),
        personalTokens: createKeys(keyOptions, 'personal_token'),
        accounts,
      }),
      ...clientRoutes(clients),
    ],
    oidc: ports,
    personalData: personalDataOf(db),
    maintain: () => maintain({ db, clock, keys }),
    followKeys: () => keys.follow(),
    plugin,
    seal,
    forgetUser,
    forgetTenant: (tenantId) => authenticate.forget((caller) => caller.tenantId === tenantId),
  };
};

export { assertCarriedClient, assertCarriedKey, carriedUser } from './carried.ts';
export { createMetadataDocuments, type MetadataDocuments } from './clients/metadata-documents.ts';
export type { FirstAdmin } from './first-admin.ts';
export { aboutSigningKey, createSigningKeys } from './signing/keys.ts';
export {
  openPlatformKeys,
  type PlatformKeys,
  type SecretName,
} from './signing/platform-keys.ts';
export { noteRotation } from './signing/rotated.ts';
export { createSeal, type Seal } from './signing/seal.ts';
