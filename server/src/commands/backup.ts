import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import type { Session } from '../db/archive/session.ts';
import { keysFit, LOST_KEYS } from '../modules/sealing.ts';
import { makeArchive } from './archive/make.ts';
import { beginSnapshot, openObjects, openStoreSession, readPassphrase } from './archive/place.ts';
import { createArchiveSigner } from './archive/signature.ts';
import { createArchiveWriter } from './archive/write.ts';
import { type Command, explained, type Io, sizeText, UsageError } from './command.ts';
import { platformKeysOf } from './keys.ts';
import { noteExport } from './noted.ts';

/** Less than this on the target's disk is not even tried. */
const MIN_FREE_BYTES = 1024 * 1024;

/** Throws before anything is written when the file is there, or its disk is full. */
export const checkTarget = async (file: string, overwrite: boolean): Promise<void> => {
  if (existsSync(file) && !overwrite) {
    throw new UsageError(
      `${file} is there already: give another name, or --overwrite to replace it once the new one is whole`,
    );
  }
  const folder = path.dirname(path.resolve(file));
  if (!existsSync(folder)) throw new UsageError(`${folder}: no such folder`);
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < MIN_FREE_BYTES) {
    throw new Error(
      `no space is left on the disk of ${file}: nothing was written. Free some, or write to another disk`,
    );
  }
};

const MAX_HEADS = 20;

/** The ends of the audit chains: kept apart from the store, they prove later that nothing was rewritten. */
const headLines = async (session: Session): Promise<string[]> => {
  const heads = await session.all('select tenant_id, seq, hash from audit_heads order by tenant_id');
  const lines = heads
    .slice(0, MAX_HEADS)
    .map(
      (head) => `audit head of ${String(head.tenant_id)}: ${String(head.hash)} (event ${String(head.seq)})`,
    );
  return heads.length <= MAX_HEADS
    ? lines
    : [...lines, `and ${heads.length - MAX_HEADS} more, in the table audit_heads of the backup`];
};

export const backup: Command = {
  name: 'backup',
  usage: 'FILE [--passphrase-file FILE] [--overwrite]',
  about: 'Write everything (records, documents, keys) to one file while the server goes on',
  async run(args: readonly string[], io: Io): Promise<number> {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'passphrase-file': { type: 'string' }, overwrite: { type: 'boolean', default: false } },
    });
    const [given] = positionals;
    if (given === undefined || positionals.length > 1) throw new UsageError('give one file to write to');
    const file = path.resolve(io.folder, given);
    const passphrase = readPassphrase(values['passphrase-file']);
    const config = loadConfig(io.env, io.folder);
    await checkTarget(file, values.overwrite);
    await noteExport(config, io, { tenant: 'default', action: 'platform.backed_up' });
    const objects = await openObjects(config, io.now);
    const session = await openStoreSession(config, { readOnly: true });
    try {
      await beginSnapshot(session);
      const keys = platformKeysOf(config);
      const fit = await keysFit(session.tx, keys);
      const signer = createArchiveSigner([keys.secret('archive.key')]);
      const writer = await createArchiveWriter(file, { passphrase, now: io.now }).catch((error: unknown) => {
        throw explained(error, file);
      });
      try {
        const { manifest, bytes } = await makeArchive(writer, {
          session,
          dataDir: config.DATA_DIR,
          objects,
          tenant: null,
          opened: (_table, row) => row,
          filesFolder: null,
          signed: signer.sign,
          now: io.now,
        });
        for (const line of await headLines(session)) io.out(line);
        const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
        io.out(
          `backup of ${manifest.engine}: ${rows} rows in ${manifest.tables.length} tables, ${manifest.blobs.count} documents' bytes, ${manifest.files.length} files`,
        );
        io.out(
          `${file}  ${sizeText(bytes)}, ${passphrase === null ? 'not encrypted: it holds the keys of the installation, so guard it like the data folder' : 'encrypted'}`,
        );
        if (fit) return 0;
        io.out(
          `LOOK: the keys in this backup do not open what the store has sealed; it restores with "keys recover" only. ${LOST_KEYS}`,
        );
        return 1;
      } catch (error) {
        await writer.abandon();
        throw explained(error, file);
      }
    } finally {
      await session.close();
      objects?.close();
    }
  },
};
