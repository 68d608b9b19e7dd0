import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Db } from '../../../db/db.ts';
import { openSqlite } from '../../../db/open.ts';
import { createAudit } from '../../audit/index.ts';
import { createIdentity, type Identity, type IdentityConfig, openPlatformKeys } from '../index.ts';
import type { Origin } from '../sessions/types.ts';

/** An identity feature on a store of its own, with a clock that the test moves. */
export interface TestIdentity {
  identity: Identity;
  /** A second node on the same store and keys, started. */
  another(): Promise<Identity>;
  db: Db;
  dataDir: string;
  clock: { now(): number; advance(ms: number): void };
  admin: { email: string; password: string };
  close(): Promise<void>;
}

export const ORIGIN: Origin = { address: '127.0.0.1', userAgent: 'test', requestId: 'test-request' };
export const ISSUER = 'http://127.0.0.1:9';

const CONFIG: IdentityConfig = {
  IDP_URL: null,
  IDP_CLIENT_ID: 'pentarch-api',
  IDP_CLIENT_SECRET: null,
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
  ADMIN_PASSWORD: null,
};

export const startIdentity = async (config: Partial<IdentityConfig> = {}): Promise<TestIdentity> => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'pentarch-identity-'));
  const db = await openSqlite({ file: path.join(dataDir, 'p.sqlite'), synchronous: 'normal' });
  let offsetMs = 0;
  const clock = {
    now: () => Date.now() + offsetMs,
    advance: (ms: number) => {
      offsetMs += ms;
    },
  };
  const silent = () => {};
  const node = () =>
    createIdentity({
      db,
      cluster: { nodeId: 'alone', alone: true },
      clock,
      config: { ...CONFIG, ...config },
      platformKeys: openPlatformKeys({ dataDir, platformKey: null, previousKey: null }),
      publicUrl: () => ISSUER,
      audit: createAudit(clock),
      mailer: { delivers: false, send: () => Promise.resolve() },
      log: { info: silent, warn: silent, error: silent },
    });
  const identity = node();
  const [first] = await Promise.all([identity.ensureFirstAdmin(), identity.start()]);
  return {
    identity,
    another: async () => {
      const other = node();
      await other.start();
      return other;
    },
    db,
    dataDir,
    clock,
    admin: { email: first.email, password: config.ADMIN_PASSWORD ?? first.password ?? '' },
    close: async () => {
      await db.close();
      rmSync(dataDir, { recursive: true });
    },
  };
};
