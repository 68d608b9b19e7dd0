import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { createOidcEngine } from '../../src/adapters/oidc/engine.ts';
import { createIssuerHttp } from '../../src/adapters/oidc/issuer-http.ts';
import type { Db } from '../../src/db/db.ts';
import { openSqlite } from '../../src/db/open.ts';
import { auditRoutes, createAudit } from '../../src/features/audit/index.ts';
import {
  createIdentity,
  type Identity,
  type IdentityConfig,
  openPlatformKeys,
} from '../../src/features/identity/index.ts';
import { createTenants, tenantRoutes } from '../../src/features/tenants/index.ts';
import { createUsers, firstAdminOf, type Users, userRoutes } from '../../src/features/users/index.ts';
import { buildApp } from '../../src/http/app.ts';
import { createIdempotencyStore } from '../../src/http/idempotency.store.ts';
import { createIdempotency } from '../../src/http/idempotency.ts';
import { OVERVIEW_RATES, REFERENCE_RATES } from '../../src/http/rate-limit.rules.ts';
import { createMemoryRateLog } from '../../src/http/rate-limit.ts';
import type { NewEvent } from '../../src/kernel/events.ts';
import type { Mailer } from '../../src/kernel/mail.ts';
import { ALONE } from './cluster.ts';
import { outletTo } from './outbox.ts';
import { watchSecrets } from './secrets.ts';

/** The identity, users, tenants and audit features behind a real port on a store of their own. */
export interface IdentityServer {
  url: string;
  db: Db;
  identity: Identity;
  users: Users;
  admin: { email: string; password: string };
  clock: { now(): number; advance(ms: number): void };
  /** Every event that was published so far. */
  events: readonly NewEvent[];
  /** Everything secret that went to and fro so far. */
  secrets: ReadonlySet<string>;
  /** Everything that was logged so far. */
  logged(): string;
  close(): Promise<void>;
}

const CONFIG: IdentityConfig = {
  IDP_URL: null,
  IDP_CLIENT_ID: 'pentarch-api',
  IDP_CLIENT_SECRET: 'test-api-client-secret',
  IDP_AUDIENCE: null,
  IDP_CREATE_USERS: true,
  IDP_REQUIRE_ORGANISATION: 'auto',
  IDP_PLATFORM_ADMINS: [],
  IDP_CONSOLE_CLIENT_ID: 'pentarch-console',
  IDP_CLI_CLIENT_ID: 'pentarch-cli',
  IDP_PROJECT_ID: null,
  RATE_LIMITS: false,
  ACCESS_TOKEN_EXPIRE_MINUTES: 60,
  REFRESH_TOKEN_EXPIRE_DAYS: 30,
  API_KEY_PREFIX: 'ptk_',
  LOGIN_LOCKOUT: true,
  LOGIN_FAILURES_PER_ADDRESS: 100,
  ADMIN_EMAIL: 'admin@localhost',
  ADMIN_PASSWORD: 'correct horse battery staple',
};

/** `open` gives another store than a SQLite file of its own. */
export const startIdentityServer = async (
  config: Partial<IdentityConfig> = {},
  open?: () => Promise<Db>,
  mailer: Mailer = { delivers: false, send: () => Promise.resolve() },
): Promise<IdentityServer> => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'pentarch-idp-'));
  const db =
    open === undefined
      ? await openSqlite({ file: path.join(dataDir, 'p.sqlite'), synchronous: 'normal' })
      : await open();
  let offsetMs = 0;
  const clock = {
    now: () => Date.now() + offsetMs,
    advance: (ms: number) => {
      offsetMs += ms;
    },
  };
  const lines: string[] = [];
  const events: NewEvent[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const log = pino({ level: 'trace' }, sink);
  const settings = { ...CONFIG, ...config };
  const audit = createAudit(clock);
  db.emitTo(outletTo((event) => events.push(event)));
  let url = '';
  const identity = createIdentity({
    db,
    cluster: ALONE,
    clock,
    config: settings,
    platformKeys: openPlatformKeys({ dataDir, platformKey: null, previousKey: null }),
    publicUrl: () => url,
    audit,
    issuerHttp:
      settings.IDP_URL === null
        ? undefined
        : createIssuerHttp({
            issuer: settings.IDP_URL,
            clientId: settings.IDP_CLIENT_ID,
            clientSecret: settings.IDP_CLIENT_SECRET ?? '',
          }),
    mailer,
    log: {
      info: (fields, message) => log.info(fields, message),
      warn: (fields, message) => log.warn(fields, message),
      error: (fields, message) => log.error(fields, message),
    },
  });
  const users = createUsers({
    db,
    clock,
    audit,
    accounts: identity.accounts,
  });
  const tenants = createTenants({
    db,
    clock,
    audit,
    firstAdmin: firstAdminOf(users, identity.accounts),
    changed: identity.forgetTenant,
  });
  await identity.start();
  const admin = await identity.ensureFirstAdmin();
  const engine = createOidcEngine(identity.oidc);
  const app = await buildApp({
    routes: [...identity.routes, ...userRoutes(users), ...tenantRoutes(tenants), ...auditRoutes(db)],
    authenticate: identity.authenticate,
    idempotency: createIdempotency(createIdempotencyStore(db), clock),
    limits: {
      log: createMemoryRateLog(1000),
      tables: { reference: REFERENCE_RATES, overview: OVERVIEW_RATES },
      enforce: false,
      clock,
    },
    logger: log,
    corsOrigins: [],
    trustProxy: [],
    tls: null,
    maxUploadBytes: 1024,
    draining: () => false,
    observe: () => {},
    plugins: [identity.plugin(engine)],
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address() as AddressInfo;
  url = `http://127.0.0.1:${address.port}`;
  const watch = watchSecrets(url);
  return {
    url,
    db,
    identity,
    users,
    admin: { email: admin.email, password: settings.ADMIN_PASSWORD ?? admin.password ?? '' },
    clock,
    events,
    logged: () => lines.join(''),
    secrets: watch.secrets,
    close: async () => {
      await app.close();
      await db.close();
      rmSync(dataDir, { recursive: true });
      watch.end();
      watch.assertNoneIn(lines.join(''));
    },
  };
};
