import type { Session } from './session.ts';

/** Where several nodes share a database, documents' bytes stand in its table `blobs`, else in the data folder. */
export const hasStoredBlobs = async (session: Session): Promise<boolean> =>
  session.dialect === 'postgres' &&
  (await session.all(`select 1 as yes where to_regclass('blobs') is not null`)).length > 0;

/** Null where the database does not have it. */
export const readStoredBlob = async (session: Session, key: string): Promise<Uint8Array | null> => {
  const [row] = await session.all('select bytes from blobs where key = ?1', [key]);
  return row?.bytes instanceof Uint8Array ? row.bytes : null;
};

export const writeStoredBlob = async (session: Session, key: string, bytes: Uint8Array): Promise<void> => {
  await session.all('insert into blobs (key, staged_at, bytes) values (?1, null, ?2)', [key, bytes]);
};

/** Whether the store knows uploads that are read in the background: an earlier release left none. */
export const hasUploads = async (session: Session): Promise<boolean> =>
  (
    await session.all(
      session.dialect === 'postgres'
        ? `select 1 as yes where to_regclass('document_uploads') is not null`
        : `select 1 as yes from sqlite_master where type = 'table' and name = 'document_uploads'`,
    )
  ).length > 0;
