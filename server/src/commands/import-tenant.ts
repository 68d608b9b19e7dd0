import { constants, copyFile, link, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Config, loadConfig } from '../config.ts';
import { lastStep, migrateSession } from '../db/archive/load.ts';
import { checkReferences } from '../db/archive/references.ts';
import {
  openPostgresSession,
  openSqliteSession,
  type Session,
  storeOfSession,
} from '../db/archive/session.ts';
import { readShapes, readSteps } from '../db/archive/shape.ts';
import { lockDataDir } from '../db/lock.ts';
import { chainMessages } from '../db/message-chain.ts';
import { migrations } from '../db/migrations/index.ts';
import {
  type AuditSigner,
  auditSignerOf,
  createAudit,
  noteSigning,
  SIGNING_BEGAN,
  verifyAudit,
} from '../features/audit/index.ts';
import type { PlatformKeys } from '../features/identity/index.ts';
import { tenantFolder } from '../features/mcp/index.ts';
import { findTenantBySlug } from '../features/tenants/index.ts';
import { TIERS, type Tier } from '../kernel/caller.ts';
import { isUuid } from '../kernel/ids.ts';
import type { ObjectBlobs } from '../modules/blobs.ts';
import { composeEndpointChecks } from '../modules/endpoint-checks.ts';
import { keysFit, LOST_KEYS } from '../modules/sealing.ts';
import { applyArchive, proofLines, replacedLines } from './archive/apply.ts';
import type { Manifest } from './archive/manifest.ts';
import { openObjects, readPassphrase, sqliteFileOf } from './archive/place.ts';
import { type Archive, openArchive, verifyArchive } from './archive/read.ts';
import { createSecrets } from './archive/secrets.ts';
import { createArchiveSigner } from './archive/signature.ts';
import { surveyTenant } from './archive/survey.ts';
import { createTenantRows } from './archive/tenant-rows.ts';
import { type Command, explained, type Io, UsageError } from './command.ts';
import { platformKeysOf } from './keys.ts';

/** Slug of the tenant whose administrators run the platform. */
const PLATFORM_TENANT = 'default';

interface Wanted {
  file: string;
  slug: string | null;
  passphrase: string | null;
  foreign: boolean;
  tier: Tier | null;
  keepExternalIds: boolean;
}

const wantedOf = (args: readonly string[], io: Io): Wanted => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      slug: { type: 'string' },
      'passphrase-file': { type: 'string' },
      foreign: { type: 'boolean', default: false },
      tier: { type: 'string' },
      'keep-external-ids': { type: 'boolean', default: false },
    },
  });
  const [given] = positionals;
  if (given === undefined || positionals.length > 1) throw new UsageError('give the one file to import');
  if (values.slug !== undefined && !/^[a-z0-9][a-z0-9-]{0,62}$/.test(values.slug))
    throw new UsageError('--slug: small letters, digits and -, at most 63');
  const tier = TIERS.find((one) => one === values.tier) ?? null;
  if (values.tier !== undefined && tier === null) throw new UsageError(`--tier: one of ${TIERS.join(', ')}`);
  return {
    file: path.resolve(io.folder, given),
    slug: values.slug ?? null,
    passphrase: readPassphrase(values['passphrase-file']),
    foreign: values.foreign,
    tier,
    keepExternalIds: values['keep-external-ids'],
  };
};

interface Tenant {
  id: string;
  slug: string;
}

const tenantOf = (manifest: Manifest, slug: string | null): Tenant => {
  if (manifest.kind !== 'tenant' || manifest.tenant === null)
    throw new UsageError('this is a backup of a whole platform: "restore" brings it back');
  const { id } = manifest.tenant;
  if (!isUuid(id)) throw new Error('the tenant of the archive has no id of the form that ids have');
  const name = slug ?? manifest.tenant.slug;
  if (name === PLATFORM_TENANT)
    throw new UsageError(
      `the administrators of the tenant ${PLATFORM_TENANT} run the platform, so nothing is imported under that name: give another, --slug NAME`,
    );
  if (!/^[a-z0-9][a-z0-9-]{0,62}$/.test(name))
    throw new UsageError('the tenant has no usable name: give one, --slug NAME');
  return { id, slug: name };
};

const checkFree = async (session: Session, tenant: Tenant): Promise<void> => {
  const [sameId] = await session.all('select slug from tenants where id = ?1', [tenant.id]);
  if (sameId !== undefined) throw new UsageError(`this tenant is here already, as ${String(sameId.slug)}`);
  const [sameSlug] = await session.all('select id from tenants where slug = ?1', [tenant.slug]);
  if (sameSlug !== undefined)
    throw new UsageError(
      `a tenant ${tenant.slug} is here already: give the new one another name, --slug NAME`,
    );
};

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : null);

/** A second name for the file, since a rename would replace what is there; a copy where the file system has no such names. */
const placeFile = async (source: string, target: string): Promise<void> => {
  try {
    await link(source, target);
  } catch (error) {
    if (codeOf(error) === 'EEXIST')
      throw new Error(
        `${target} is there already, and an import replaces nothing: move it away, or remove it if an import that was interrupted has left it`,
        { cause: error },
      );
    await copyFile(source, target, constants.COPYFILE_EXCL);
  }
};

/** Moves files to places where nothing is, one by one; those that it has moved, also when it fails. */
const placeNew = async (from: string, to: string, placed: string[], depth = 0): Promise<void> => {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = path.join(from, entry.name);
    const target = path.join(to, entry.name);
    if (!entry.isDirectory()) {
      await placeFile(source, target);
      placed.push(target);
      continue;
    }
    await mkdir(target, { recursive: true, mode: 0o700 });
    // The folders of all blobs and files may be links to another disk; nothing below them is one.
    if (depth > 0 && !(await lstat(target)).isDirectory()) throw new Error(`${target} is no folder`);
    await placeNew(source, target, placed, depth + 1);
  }
};

/** Both chains say it: that of the tenant, which is signed from here on, and the platform's. */
const noteImport = async (
  session: Session,
  io: Pick<Io, 'now'>,
  entry: { tenant: Tenant; own: boolean; signer: AuditSigner },
): Promise<void> => {
  const { tenant, own, signer } = entry;
  const clock = { now: io.now };
  const [chain] = await session.all('select seq from audit_heads where tenant_id = ?1', [tenant.id]);
  const details = { imported: true };
  if (chain !== undefined)
    await noteSigning(session.tx, clock, signer, { tenantId: tenant.id, action: SIGNING_BEGAN, details });
  const audit = createAudit(clock, { signer, began: () => false });
  const platform = await findTenantBySlug(session.tx, PLATFORM_TENANT);
  for (const tenantId of [tenant.id, ...(platform === undefined ? [] : [platform.id])]) {
    await audit.append(session.tx, {
      tenantId,
      actorId: null,
      actorType: 'system',
      action: 'tenant.imported',
      targetType: 'tenant',
      targetId: tenant.id,
      details: { by: 'command', slug: tenant.slug, own },
    });
  }
};

interface Parts {
  archive: Archive;
  manifest: Manifest;
  tenant: Tenant;
  wanted: Wanted;
  own: boolean;
  config: Config;
  keys: PlatformKeys;
  objects: ObjectBlobs | null;
  session: Session;
}

const load = async (parts: Parts, staging: string, io: Io) => {
  const { archive, manifest, tenant, session, config, wanted, own, keys } = parts;
  if (!(await keysFit(session.tx, keys))) throw new Error(LOST_KEYS);
  const shapes = await readShapes(session);
  const secrets = createSecrets(keys);
  await surveyTenant({
    archive,
    manifest,
    session,
    shapes,
    tenantId: tenant.id,
    filesFolder: tenantFolder(tenant.id),
  });
  const proofs = await applyArchive({
    archive,
    manifest,
    session,
    sqliteFile: session.dialect === 'sqlite' ? sqliteFileOf(config) : null,
    folder: staging,
    objects: parts.objects,
    changed: createTenantRows({
      tenantId: tenant.id,
      slug: tenant.slug,
      own,
      tier: wanted.tier,
      keepExternalIds: wanted.keepExternalIds,
      allowStdio: config.MCP_ALLOW_STDIO,
      reservedClients: [config.IDP_CLIENT_ID, config.IDP_CONSOLE_CLIENT_ID],
      checks: composeEndpointChecks(config),
      note: io.out,
    }),
    sealed: secrets.sealed,
    opened: secrets.opened,
    now: io.now,
  });
  // Of an archive of a release that had no tree.
  const messages = manifest.tables.find((table) => table.name === 'messages');
  if (messages !== undefined && !messages.columns.includes('parent_id'))
    await session.all(chainMessages('tenant_id = ?1'), [tenant.id]);
  await checkReferences(session, shapes, tenant.id);
  const chain = await verifyAudit(storeOfSession(session), tenant.id);
  if (!chain.ok)
    io.out(
      `LOOK: the audit chain of the archive does not fit (event ${chain.broken_at}: ${chain.reason}); it comes as it is, and "audit verify" goes on saying so`,
    );
  await noteImport(session, io, { tenant, own, signer: auditSignerOf(keys) });
  keys.keep();
  return proofs;
};

/** Everything, or nothing: records in one transaction, files only where there were none. */
const run = async (parts: Parts, io: Io): Promise<void> => {
  const { session, config, tenant, manifest } = parts;
  const staging = path.join(config.DATA_DIR, `importing-${tenant.id}`);
  const placed: string[] = [];
  try {
    const steps = await readSteps(session);
    if (steps.length > 0 && steps.length < migrations.length)
      throw new UsageError('the schema here is older than this release: run "migrate" first');
    await rm(staging, { recursive: true, force: true });
    await mkdir(staging, { mode: 0o700 });
    await session.exec(session.dialect === 'sqlite' ? 'begin immediate' : 'begin');
    if (steps.length === 0) await migrateSession(session, migrations, null);
    await checkFree(session, tenant);
    const proofs = await load(parts, staging, io);
    await placeNew(staging, config.DATA_DIR, placed);
    await session.exec('commit');
    for (const line of [...proofLines(proofs), ...replacedLines(proofs)]) io.out(line);
    io.out(
      `tenant ${tenant.slug} is here: every row reads back with the hash that the file names; ${manifest.blobs.count} documents' bytes, ${manifest.files.length} files`,
    );
  } catch (error) {
    for (const file of placed) await rm(file, { force: true });
    throw error;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
};

const FOREIGN =
  'this archive was not made by this platform, or was changed since: its people, keys, tasks and webhooks will act here with what it gives them inside of its tenant. If you know who made it and trust them with that, give --foreign';

/** Whether this platform made it. Throws for another's unless that is said to be wanted. */
const checkOrigin = (manifest: Manifest, keys: PlatformKeys, wanted: Wanted, io: Io): boolean => {
  const own = createArchiveSigner([keys.secret('archive.key'), ...keys.previous('archive.key')]).isOwn(
    manifest,
  );
  if (!own && !wanted.foreign) throw new UsageError(FOREIGN);
  io.out(
    own
      ? 'made by this platform'
      : `made elsewhere: the tenant gets the tier ${wanted.tier ?? 'free'}${wanted.keepExternalIds ? '' : ', accounts lose their tie to an external provider (--keep-external-ids keeps it)'}`,
  );
  return own;
};

export const importTenant: Command = {
  name: 'import',
  usage: 'FILE [--foreign] [--slug NAME] [--tier TIER] [--keep-external-ids] [--passphrase-file FILE]',
  about:
    'Add an exported tenant to this platform; --foreign for one of another platform; on SQLite the server must be stopped',
  async run(args: readonly string[], io: Io): Promise<number> {
    const wanted = wantedOf(args, io);
    const { file } = wanted;
    const config = loadConfig(io.env, io.folder);
    const archive = await openArchive(file, wanted.passphrase).catch((error: unknown) => {
      throw explained(error, file);
    });
    const manifest = await verifyArchive(archive);
    const tenant = tenantOf(manifest, wanted.slug);
    lastStep(manifest.schema, migrations);
    io.out(`${file}: whole, made ${manifest.created_at} of ${manifest.engine}, every hash fits`);
    const keys = platformKeysOf(config);
    const own = checkOrigin(manifest, keys, wanted, io);

    const objects = await openObjects(config, io.now);
    // Records in PostgreSQL come in as one transaction beside a running server; SQLite has one process.
    const postgresUrl = config.DATABASE_URL;
    const lock = postgresUrl === null ? lockDataDir(config.DATA_DIR) : null;
    await mkdir(config.DATA_DIR, { recursive: true, mode: 0o700 });
    try {
      const session =
        postgresUrl === null
          ? openSqliteSession(sqliteFileOf(config), { readOnly: false })
          : await openPostgresSession(postgresUrl);
      try {
        await run({ archive, manifest, tenant, wanted, own, config, keys, objects, session }, io);
        io.out(
          'its people sign in with the passwords they had; API keys work on; a running server takes up its open jobs at its next start',
        );
        return 0;
      } finally {
        await session.close();
      }
    } catch (error) {
      throw explained(error, config.DATA_DIR);
    } finally {
      lock?.release();
      objects?.close();
    }
  },
};
