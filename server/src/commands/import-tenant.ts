import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { lastStep, migrateSession } from '../db/archive/load.ts';
import { openPostgresSession, openSqliteSession, type Row, type Session } from '../db/archive/session.ts';
import { readSteps } from '../db/archive/shape.ts';
import { rowOf } from '../db/archive/view.ts';
import { lockDataDir } from '../db/lock.ts';
import { migrations } from '../db/migrations/index.ts';
import { applyArchive, proofLines } from './archive/apply.ts';
import type { Manifest } from './archive/manifest.ts';
import { openObjects, readPassphrase, sqliteFileOf } from './archive/place.ts';
import { type Archive, openArchive, tableOf, verifyArchive } from './archive/read.ts';
import { createSecrets } from './archive/secrets.ts';
import { linesOf } from './archive/tar.ts';
import { type Command, explained, type Io, UsageError } from './command.ts';

/** E-mails are unique over the whole platform: those that somebody has already. */
const takenEmails = async (archive: Archive, session: Session): Promise<string[]> => {
  const taken: string[] = [];
  for await (const entry of archive.entries()) {
    if (tableOf(entry) !== 'users') continue;
    for await (const line of linesOf(entry)) {
      const folded = String(rowOf(line).email_folded);
      const found = await session.all('select id from users where email_folded = ?1', [folded]);
      if (found.length > 0) taken.push(folded);
    }
  }
  return taken;
};

const checkTarget = async (
  archive: Archive,
  session: Session,
  tenant: { id: string; slug: string },
): Promise<void> => {
  const [sameId] = await session.all('select slug from tenants where id = ?1', [tenant.id]);
  if (sameId !== undefined) throw new UsageError(`this tenant is here already, as ${String(sameId.slug)}`);
  const [sameSlug] = await session.all('select id from tenants where slug = ?1', [tenant.slug]);
  if (sameSlug !== undefined) {
    throw new UsageError(
      `a tenant ${tenant.slug} is here already: give the new one another name, --slug NAME`,
    );
  }
  const taken = await takenEmails(archive, session);
  if (taken.length > 0) {
    throw new UsageError(
      `${taken.length} e-mail addresses belong to accounts here: ${taken.slice(0, 5).join(', ')}. Change them on one side first (PATCH /v2/users), or import into an empty database`,
    );
  }
};

/** Moves folder by folder and file by file: the folders of other tenants are there already. */
const mergeInto = async (from: string, to: string): Promise<void> => {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const target = path.join(to, entry.name);
    if (entry.isDirectory()) {
      await mkdir(target, { recursive: true, mode: 0o700 });
      await mergeInto(path.join(from, entry.name), target);
    } else await rename(path.join(from, entry.name), target);
  }
};

const renamed =
  (slug: string) =>
  (table: string, row: Row): Row =>
    table === 'tenants' ? { ...row, slug } : row;

export const importTenant: Command = {
  name: 'import',
  usage: 'FILE [--slug NAME] [--passphrase-file FILE]',
  about: 'Add an exported tenant to this platform; on SQLite the server must be stopped',
  async run(args: readonly string[], io: Io): Promise<number> {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { slug: { type: 'string' }, 'passphrase-file': { type: 'string' } },
    });
    const [given] = positionals;
    if (given === undefined || positionals.length > 1) throw new UsageError('give the one file to import');
    if (values.slug !== undefined && !/^[a-z0-9][a-z0-9-]{0,62}$/.test(values.slug)) {
      throw new UsageError('--slug: small letters, digits and -, at most 63');
    }
    const config = loadConfig(io.env, io.folder);
    const file = path.resolve(io.folder, given);
    const archive = await openArchive(file, readPassphrase(values['passphrase-file'])).catch(
      (error: unknown) => {
        throw explained(error, file);
      },
    );
    const manifest: Manifest = await verifyArchive(archive);
    if (manifest.kind !== 'tenant' || manifest.tenant === null) {
      throw new UsageError('this is a backup of a whole platform: "restore" brings it back');
    }
    const tenant = { id: manifest.tenant.id, slug: values.slug ?? manifest.tenant.slug };
    lastStep(manifest.schema, migrations);
    io.out(`${file}: whole, made ${manifest.created_at} of ${manifest.engine}, every hash fits`);

    const objects = await openObjects(config, io.now);
    // Records in PostgreSQL come in as one transaction beside a running server; SQLite has one process.
    const postgresUrl = config.DATABASE_URL;
    const lock = postgresUrl === null ? lockDataDir(config.DATA_DIR) : null;
    await mkdir(config.DATA_DIR, { recursive: true, mode: 0o700 });
    const staging = path.join(config.DATA_DIR, `importing-${tenant.id}`);
    try {
      const session =
        postgresUrl === null
          ? openSqliteSession(sqliteFileOf(config), { readOnly: false })
          : await openPostgresSession(postgresUrl);
      try {
        const steps = await readSteps(session);
        if (steps.length > 0 && steps.length < migrations.length) {
          throw new UsageError('the schema here is older than this release: run "migrate" first');
        }
        await rm(staging, { recursive: true, force: true });
        await mkdir(staging, { mode: 0o700 });
        await session.exec(session.dialect === 'sqlite' ? 'begin immediate' : 'begin');
        if (steps.length === 0) await migrateSession(session, migrations, null);
        await checkTarget(archive, session, tenant);
        const secrets = createSecrets(config);
        const proofs = await applyArchive({
          archive,
          manifest,
          session,
          sqliteFile: postgresUrl === null ? sqliteFileOf(config) : null,
          folder: staging,
          objects,
          changed: renamed(tenant.slug),
          sealed: secrets.sealed,
          opened: secrets.opened,
          now: io.now,
        });
        await mergeInto(staging, config.DATA_DIR);
        await session.exec('commit');
        for (const line of proofLines(proofs)) io.out(line);
        io.out(
          `tenant ${tenant.slug} is here: every row reads back with the hash that the file names; ${manifest.blobs.count} documents' bytes, ${manifest.files.length} files`,
        );
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
      await rm(staging, { recursive: true, force: true });
      lock?.release();
      objects?.close();
    }
  },
};
