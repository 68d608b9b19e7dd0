import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadConfig } from '../config.ts';
import { readShapes } from '../db/archive/shape.ts';
import { staysBehind } from '../db/archive/view.ts';
import { tenantFolder } from '../features/mcp/index.ts';
import { makeArchive } from './archive/make.ts';
import { beginSnapshot, openObjects, openStoreSession, readPassphrase } from './archive/place.ts';
import { createSecrets } from './archive/secrets.ts';
import { createArchiveSigner } from './archive/signature.ts';
import { createArchiveWriter } from './archive/write.ts';
import { checkTarget } from './backup.ts';
import { type Command, explained, type Io, sizeText, UsageError } from './command.ts';
import { platformKeysOf } from './keys.ts';
import { noteExport } from './noted.ts';

export const exportTenant: Command = {
  name: 'export',
  usage: '--tenant SLUG FILE (--passphrase-file FILE | --without-passphrase) [--overwrite]',
  about: 'Write one tenant with all that is its own to a file, for "import" on another platform',
  async run(args: readonly string[], io: Io): Promise<number> {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        tenant: { type: 'string' },
        'passphrase-file': { type: 'string' },
        'without-passphrase': { type: 'boolean', default: false },
        overwrite: { type: 'boolean', default: false },
      },
    });
    const [given] = positionals;
    const slug = values.tenant;
    if (given === undefined || positionals.length > 1 || slug === undefined) {
      throw new UsageError('give the tenant and one file to write to');
    }
    const passphrase = readPassphrase(values['passphrase-file']);
    if (passphrase === null && !values['without-passphrase']) {
      throw new UsageError(
        'the file holds secrets of webhooks and MCP servers in the clear: give --passphrase-file, or --without-passphrase if you guard it otherwise',
      );
    }
    const file = path.resolve(io.folder, given);
    const config = loadConfig(io.env, io.folder);
    await checkTarget(file, values.overwrite);
    await noteExport(config, io, { tenant: slug, action: 'tenant.exported' });
    const objects = await openObjects(config, io.now);
    const session = await openStoreSession(config, { readOnly: true });
    try {
      await beginSnapshot(session);
      const [tenant] = await session.all('select id, slug from tenants where slug = ?1', [slug]);
      if (tenant === undefined) throw new UsageError(`there is no tenant ${slug}`);
      const id = String(tenant.id);
      const keys = platformKeysOf(config);
      const secrets = createSecrets(keys);
      const signer = createArchiveSigner([keys.secret('archive.key')]);
      const writer = await createArchiveWriter(file, { passphrase, now: io.now }).catch((error: unknown) => {
        throw explained(error, file);
      });
      try {
        const { manifest, bytes } = await makeArchive(writer, {
          session,
          dataDir: config.DATA_DIR,
          objects,
          tenant: { id, slug },
          opened: secrets.opened,
          filesFolder: tenantFolder(id),
          signed: signer.sign,
          now: io.now,
        });
        for (const table of manifest.tables) {
          if (table.rows > 0)
            io.out(
              `  ${table.name.padEnd(26)} ${String(table.rows).padStart(9)} rows   sha256 ${table.sha256.slice(0, 16)}`,
            );
        }
        io.out(
          `tenant ${slug}: ${manifest.blobs.count} documents' bytes, ${manifest.files.length} files of agents`,
        );
        io.out(
          `left out, since it belongs to this installation: ${staysBehind(await readShapes(session)).join(', ')}`,
        );
        io.out(`${file}  ${sizeText(bytes)}, ${passphrase === null ? 'not encrypted' : 'encrypted'}`);
        return 0;
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
