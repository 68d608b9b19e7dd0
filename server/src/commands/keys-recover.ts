import { parseArgs } from 'node:util';
import { type Config, loadConfig } from '../config.ts';
import {
  openPostgresSession,
  openSqliteSession,
  type Session,
  storeOfSession,
} from '../db/archive/session.ts';
import { readSteps } from '../db/archive/shape.ts';
import { lockDataDir } from '../db/lock.ts';
import { migrations } from '../db/migrations/index.ts';
import {
  dropSealed,
  forgetKeysFact,
  replaceSealed,
  SEALED_PLACES,
  type SealedValue,
  sealedValues,
  voidSignIns,
} from '../db/sealed.ts';
import { auditSignerOf, createAudit, resignChains, verifyAudit } from '../features/audit/index.ts';
import type { PlatformKeys } from '../features/identity/index.ts';
import { lostEndpoint } from '../features/mcp/index.ts';
import { findTenantBySlug } from '../features/tenants/index.ts';
import { newWebhookSecret } from '../features/webhooks/index.ts';
import { composeSealing, keysFit, type Sealing } from '../modules/sealing.ts';
import { sqliteFileOf } from './archive/place.ts';
import { type Command, type Io, UsageError } from './command.ts';
import { platformKeysOf } from './keys.ts';
import { checkAlone } from './restore.ts';

type Lost = Record<SealedValue['place']['table'], SealedValue[]>;

/** Every sealed value that the present keys do not open, by table. */
const lostOf = async (session: Session, sealing: Sealing): Promise<Lost> => {
  const lost: Lost = {
    signing_keys: [],
    webhooks: [],
    a2a_push_configs: [],
    mcp_servers: [],
    mcp_oauth: [],
    idempotency_keys: [],
  };
  for (const place of SEALED_PLACES) {
    for (const value of await sealedValues(session.tx, place, null))
      if (sealing.open(value) === null) lost[place.table].push(value);
  }
  return lost;
};

const planOf = (lost: Lost): string[] => [
  ...(lost.signing_keys.length > 0
    ? [
        'everybody is signed out and signs in anew with the password they have; API keys and personal tokens work on',
      ]
    : []),
  ...(lost.webhooks.length > 0
    ? [
        `${new Set(lost.webhooks.map((value) => value.row.id)).size} webhooks are switched off and get a new secret: rotate it to see it, tell the receiver, switch the webhook on`,
      ]
    : []),
  ...(lost.a2a_push_configs.length > 0
    ? [`${lost.a2a_push_configs.length} clients of the A2A door are told no more of their tasks`]
    : []),
  ...(lost.mcp_servers.length > 0
    ? [
        `${lost.mcp_servers.length} MCP servers are switched off: give their address or command, and their secrets, anew`,
      ]
    : []),
  ...(lost.mcp_oauth.length > 0 ? [`${lost.mcp_oauth.length} sign-ins at MCP servers are done anew`] : []),
  'audit chains go on under a new key: who wrote the rows before that can no longer be proved, only that they fit together',
  'all records stay: conversations, documents, memory, costs, accounts, the audit chain',
];

const voidOne = async (
  session: Session,
  sealing: Sealing,
  value: SealedValue,
  now: number,
): Promise<void> => {
  const { tx } = session;
  const { table, column } = value.place;
  if (table === 'webhooks' && column === 'secret') {
    const secret = sealing.seal(value, newWebhookSecret());
    return replaceSealed(tx, value, { secret, status: 'disabled', disabled_reason: 'manual' });
  }
  if (table === 'webhooks')
    return replaceSealed(tx, value, { previous_secret: null, previous_secret_until: null });
  // Without what it proves itself by, a client would refuse its notifications: it asks for them anew.
  if (table === 'a2a_push_configs')
    return replaceSealed(tx, value, { secrets: null, due: null, end_reason: 'failed', finished_at: now });
  if (table === 'mcp_servers') {
    const endpoint = sealing.seal(value, lostEndpoint(value.row.transport ?? 'http'));
    return replaceSealed(tx, value, { endpoint, enabled: 0 });
  }
  return dropSealed(tx, value);
};

const noteRecovery = async (session: Session, keys: PlatformKeys, lost: Lost, io: Io): Promise<void> => {
  const signer = auditSignerOf(keys);
  const clock = { now: io.now };
  const db = storeOfSession(session);
  const chains = await resignChains({
    db,
    clock,
    signer,
    fits: async (tenantId) => (await verifyAudit(db, tenantId)).ok,
  });
  const platform = await findTenantBySlug(session.tx, 'default');
  if (platform === undefined) return;
  await createAudit(clock, { signer, began: () => true }).append(session.tx, {
    tenantId: platform.id,
    actorId: null,
    actorType: 'system',
    action: 'keys.recovered',
    details: {
      by: 'command',
      chains,
      ...Object.fromEntries(Object.entries(lost).map(([table, values]) => [table, values.length])),
    },
  });
};

/** In one transaction; the new keys are on the disk before it commits. */
const recover = async (session: Session, keys: PlatformKeys, lost: Lost, io: Io): Promise<void> => {
  const sealing = composeSealing(keys);
  await session.exec(session.dialect === 'sqlite' ? 'begin immediate' : 'begin');
  for (const values of Object.values(lost)) {
    for (const value of values) await voidOne(session, sealing, value, io.now());
  }
  if (lost.signing_keys.length > 0) await voidSignIns(session.tx, io.now());
  await forgetKeysFact(session.tx);
  await noteRecovery(session, keys, lost, io);
  for (const name of keys.setAside()) io.out(`the damaged file is kept as keys/${name}`);
  keys.keep();
  await session.exec('commit');
};

const confirmed = async (yes: boolean, io: Io): Promise<void> => {
  if (yes) return;
  if (io.ask === null)
    throw new UsageError('nothing was changed: this cannot be undone, so say that you want it with --yes');
  if ((await io.ask('This cannot be undone. Type "recover" to go on: ')).trim() !== 'recover')
    throw new UsageError('nothing was changed');
};

const openAlone = async (config: Config): Promise<Session> => {
  if (config.DATABASE_URL === null) return openSqliteSession(sqliteFileOf(config), { readOnly: false });
  const session = await openPostgresSession(config.DATABASE_URL);
  await checkAlone(session).catch(async (error: unknown) => {
    await session.close();
    throw error;
  });
  return session;
};

export const keysRecover: Command = {
  name: 'keys recover',
  usage: '[--yes]',
  about:
    'After DATA_DIR/keys or PLATFORM_KEY was lost for good or damaged: make new keys; sign-ins and sealed secrets are void, records stay; the server must be stopped',
  async run(args: readonly string[], io: Io): Promise<number> {
    const { values } = parseArgs({ args: [...args], options: { yes: { type: 'boolean', default: false } } });
    const config = loadConfig(io.env, io.folder);
    const keys = platformKeysOf(config, { damagedIsLost: true });
    const lock = lockDataDir(config.DATA_DIR);
    try {
      const session = await openAlone(config);
      try {
        if ((await readSteps(session)).length !== migrations.length)
          throw new UsageError('the schema here is not the one of this release: run "migrate" first');
        const damaged = keys.damaged();
        if (damaged.length === 0 && (await keysFit(session.tx, keys))) {
          io.out('nothing is lost: the keys here open what the store has sealed');
          return 0;
        }
        const lost = await lostOf(session, composeSealing(keys));
        for (const name of damaged) io.out(`- keys/${name} is damaged: it is moved aside`);
        for (const line of planOf(lost)) io.out(`- ${line}`);
        await confirmed(values.yes, io);
        await recover(session, keys, lost, io);
        io.out('new keys are in place: start the server, and back up');
        return 0;
      } finally {
        await session.close();
      }
    } finally {
      lock.release();
    }
  },
};
