import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Config, loadConfig } from '../config.ts';
import { dropPlatform, lastStep, migrateSession, withoutSums } from '../db/archive/load.ts';
import { openPostgresSession, openSqliteSession, type Session } from '../db/archive/session.ts';
import { readShapes } from '../db/archive/shape.ts';
import { lockDataDir } from '../db/lock.ts';
import { migrations } from '../db/migrations/index.ts';
import type { ObjectBlobs } from '../modules/blobs.ts';
import { applyArchive, proofLines, replacedLines, type TableProof } from './archive/apply.ts';
import type { Manifest } from './archive/manifest.ts';
import { filesFault } from './archive/paths.rules.ts';
import { openObjects, readPassphrase, sqliteFileOf } from './archive/place.ts';
import { type Archive, openArchive, verifyArchive } from './archive/read.ts';
import { type Command, explained, type Io, UsageError } from './command.ts';

/** What a data folder holds of the platform's own. */
const PARTS = ['pentarch.sqlite', 'pentarch.sqlite-wal', 'pentarch.sqlite-shm', 'blobs', 'keys', 'files'];

const ofPlatform = (name: string): boolean => PARTS.includes(name);

/** Names of records' tables that hold anything; those of another program too. */
const inhabited = async (session: Session): Promise<string[]> => {
  const names: string[] = [];
  for (const shape of await readShapes(session)) {
    const rows = await session.all(`select 1 as yes from "${shape.name}" limit 1`);
    if (rows.length > 0) names.push(shape.name);
  }
  return names;
};

/** Tables that this release makes, whatever the archive holds. */
const ownTables = async (): Promise<Set<string>> => {
  const session = openSqliteSession(':memory:', { readOnly: false });
  try {
    await migrateSession(session, migrations, null);
    return new Set((await readShapes(session)).map((shape) => shape.name));
  } finally {
    await session.close();
  }
};

/** Throws while anybody else is connected: a running server would go on with what it has in memory. */
export const checkAlone = async (session: Session): Promise<void> => {
  const [row] = await session.all(
    `select count(*) as n from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );
  if (Number(row?.n) > 0) {
    throw new UsageError(
      `${String(row?.n)} other connections are open on the database: stop every server on it first`,
    );
  }
};

/** Throws unless the database is empty, or Pentarch's alone and `force` is given. */
const checkDatabase = async (session: Session, force: boolean): Promise<void> => {
  const own = await ownTables();
  const shapes = await readShapes(session);
  const foreign = shapes.map((shape) => shape.name).filter((name) => !own.has(name));
  if (foreign.length > 0) {
    throw new UsageError(
      `the database holds tables that are not Pentarch's (${foreign.slice(0, 5).join(', ')}): restore into a database of its own`,
    );
  }
  const full = await inhabited(session);
  if (full.length > 0 && !force) {
    throw new UsageError(
      `the database holds records (${full.slice(0, 5).join(', ')} …): restore into an empty one, or give --force to replace them`,
    );
  }
};

const syncFile = async (file: string): Promise<void> => {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

const apply = (
  parts: {
    archive: Archive;
    manifest: Manifest;
    session: Session;
    sqliteFile: string | null;
    folder: string;
    objects: ObjectBlobs | null;
  },
  io: Io,
): Promise<TableProof[]> =>
  applyArchive({
    ...parts,
    changed: (_table, row) => row,
    sealed: (_table, row) => row,
    opened: (_table, row) => row,
    now: io.now,
  });

const intoSqlite = async (
  archive: Archive,
  manifest: Manifest,
  folder: string,
  objects: ObjectBlobs | null,
  io: Io,
): Promise<TableProof[]> => {
  const file = path.join(folder, 'pentarch.sqlite');
  const session = openSqliteSession(file, { readOnly: false });
  try {
    // The file is thrown away if anything fails, so nothing has to be undone or survive a crash before the end.
    await session.exec('pragma synchronous = off');
    await migrateSession(session, migrations, lastStep(manifest.schema, migrations));
    await session.exec('begin');
    const proofs = await apply({ archive, manifest, session, sqliteFile: file, folder, objects }, io);
    await session.exec('commit');
    await migrateSession(session, migrations, null);
    await session.exec('pragma wal_checkpoint(truncate)');
    return proofs;
  } finally {
    await session.close();
    await syncFile(file);
  }
};

const intoPostgres = async (
  archive: Archive,
  manifest: Manifest,
  target: { url: string; folder: string; objects: ObjectBlobs | null; force: boolean },
  io: Io,
): Promise<TableProof[]> => {
  const session = await openPostgresSession(target.url);
  try {
    await checkAlone(session);
    await checkDatabase(session, target.force);
    // One transaction: until it commits, the database is what it was.
    await session.exec('begin');
    await dropPlatform(session, await readShapes(session));
    await migrateSession(session, migrations, lastStep(manifest.schema, migrations));
    const { folder, objects } = target;
    const proofs = await withoutSums(session, () =>
      apply({ archive, manifest, session, sqliteFile: null, folder, objects }, io),
    );
    await migrateSession(session, migrations, null);
    await session.exec('commit');
    return proofs;
  } finally {
    await session.close();
  }
};

/** Moves what was restored into its place, and what was there before aside; the folder with that, or null. */
const moveIn = async (dataDir: string, restored: string, io: Io): Promise<string | null> => {
  const before = (await readdir(dataDir)).filter(ofPlatform);
  let aside: string | null = null;
  if (before.length > 0) {
    aside = path.join(dataDir, `replaced-${new Date(io.now()).toISOString().replaceAll(/[:.]/g, '-')}`);
    await mkdir(aside, { mode: 0o700 });
    for (const name of before) await rename(path.join(dataDir, name), path.join(aside, name));
  }
  for (const name of await readdir(restored))
    await rename(path.join(restored, name), path.join(dataDir, name));
  await rm(restored, { recursive: true });
  await syncFile(dataDir);
  return aside;
};

const checkFolder = async (config: Config, force: boolean): Promise<void> => {
  const found = (await readdir(config.DATA_DIR)).filter(ofPlatform);
  const store = config.DATABASE_URL === null && existsSync(sqliteFileOf(config));
  const blobs = found.includes('blobs');
  if ((store || blobs) && !force) {
    throw new UsageError(
      `the data folder ${path.resolve(config.DATA_DIR)} is not empty (${found.join(', ')}): give an empty one, or --force to replace what is there (it is kept beside it)`,
    );
  }
};

export const restore: Command = {
  name: 'restore',
  usage: 'FILE [--passphrase-file FILE] [--force]',
  about:
    'Bring a backup back, into SQLite or PostgreSQL, whichever the settings name; the server must be stopped',
  async run(args: readonly string[], io: Io): Promise<number> {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'passphrase-file': { type: 'string' }, force: { type: 'boolean', default: false } },
    });
    const [given] = positionals;
    if (given === undefined || positionals.length > 1)
      throw new UsageError('give the one file to restore from');
    const config = loadConfig(io.env, io.folder);
    const file = path.resolve(io.folder, given);
    const archive = await openArchive(file, readPassphrase(values['passphrase-file'])).catch(
      (error: unknown) => {
        throw explained(error, file);
      },
    );
    const manifest = await verifyArchive(archive);
    if (manifest.kind !== 'backup') {
      throw new UsageError('this is the export of one tenant: "import" adds it to a platform');
    }
    const fault = filesFault(manifest.files, ['keys', 'files']);
    if (fault !== null) throw new Error(fault);
    lastStep(manifest.schema, migrations);
    io.out(`${file}: whole, made ${manifest.created_at} of ${manifest.engine}, every hash fits`);
    const objects = await openObjects(config, io.now);
    const lock = lockDataDir(config.DATA_DIR);
    const restored = path.join(config.DATA_DIR, 'restoring');
    try {
      await checkFolder(config, values.force);
      await rm(restored, { recursive: true, force: true });
      await mkdir(restored, { mode: 0o700 });
      const proofs =
        config.DATABASE_URL === null
          ? await intoSqlite(archive, manifest, restored, objects, io)
          : await intoPostgres(
              archive,
              manifest,
              { url: config.DATABASE_URL, folder: restored, objects, force: values.force },
              io,
            );
      const aside = await moveIn(config.DATA_DIR, restored, io);
      for (const line of [...proofLines(proofs), ...replacedLines(proofs)]) io.out(line);
      io.out(
        `restored into ${config.DATABASE_URL === null ? sqliteFileOf(config) : 'PostgreSQL'}: every row reads back with the hash that the archive names; ${manifest.blobs.count} documents' bytes, ${manifest.files.length} files`,
      );
      if (aside !== null) io.out(`what was there before is kept in ${aside}`);
      return 0;
    } catch (error) {
      await rm(restored, { recursive: true, force: true });
      throw explained(error, config.DATA_DIR);
    } finally {
      lock.release();
      objects?.close();
    }
  },
};
