/**
 * Files that somebody has chosen and the server does not have yet, on this machine, so that a reload loses none of them. They
 * are this tab's: signing out and closing it forget them. A browser without such a store, or with a full one, keeps nothing.
 */

export interface KeptFile {
  key: string;
  /** Who keeps it: a place of the console with a list of its own. */
  place: 'chat' | 'knowledge';
  name: string;
  /** null once the server has it. */
  file: File | null;
  documentId: string | null;
  visibility: 'private' | 'tenant' | null;
}

interface Row extends KeptFile {
  tab: string;
  at: number;
}

const NAME = 'pentarch.files';
const STORE = 'files';
/** Of all tabs together; what is more is not kept. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_FILES = 1_000;
/** A tab that reloads holds no lock for a moment: what is younger may be its own. */
const YOUNG_MS = 5 * 60_000;

/** The name that the session gives each tab (session/tab.ts), which is its lock's as well. */
const TAB = 'pentarch.tab';
const ownTab = (): string => sessionStorage.getItem(TAB) ?? '';

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the store refused'));
  });

const whole = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new Error('the store refused'));
  });

const rowsOf = (store: IDBObjectStore): Promise<Row[]> => done(store.getAll() as IDBRequest<Row[]>);

/** Forgets what tabs have left that are closed. */
const sweep = async (db: IDBDatabase): Promise<void> => {
  const { held = [] } = await navigator.locks.query();
  const living = new Set(held.map(({ name }) => name));
  const transaction = db.transaction(STORE, 'readwrite');
  const store = transaction.objectStore(STORE);
  for (const { key, tab, at } of await rowsOf(store))
    if (tab !== ownTab() && !living.has(`${TAB}.${tab}`) && Date.now() - at > YOUNG_MS) store.delete(key);
  await whole(transaction);
};

const open = async (): Promise<IDBDatabase> => {
  const request = indexedDB.open(NAME, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: 'key' });
  const db = await done(request);
  await sweep(db);
  return db;
};

let opened: Promise<IDBDatabase> | null = null;

/** null where the store refuses. */
const within = async <T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => T | Promise<T>,
): Promise<T | null> => {
  try {
    opened ??= open();
    const transaction = (await opened).transaction(STORE, mode);
    const ends = whole(transaction);
    const result = await work(transaction.objectStore(STORE));
    await ends;
    return result;
  } catch {
    return null;
  }
};

/** All of one choice, as far as there is room. */
export const keepFiles = async (files: readonly KeptFile[]): Promise<void> => {
  await within('readwrite', async (store) => {
    const kept = await rowsOf(store);
    let bytes = kept.reduce((sum, { file }) => sum + (file?.size ?? 0), 0);
    let count = kept.length;
    for (const one of files) {
      const size = one.file?.size ?? 0;
      if (count >= MAX_FILES || bytes + size > MAX_BYTES) continue;
      bytes += size;
      count += 1;
      store.put({ ...one, tab: ownTab(), at: Date.now() + count / MAX_FILES } satisfies Row);
    }
  });
};

export const keptFile = async (key: string): Promise<KeptFile | null> =>
  (await within('readonly', (store) => done(store.get(key) as IDBRequest<Row | undefined>))) ?? null;

/** What a place of this tab has kept, in the order of choosing. */
export const keptFilesOf = async (place: KeptFile['place']): Promise<KeptFile[]> => {
  const rows = (await within('readonly', rowsOf)) ?? [];
  return rows.filter((row) => row.place === place && row.tab === ownTab()).sort((a, b) => a.at - b.at);
};

/** The server has it: its id is kept in place of its bytes. */
export const noteUploaded = async (key: string, documentId: string): Promise<void> => {
  await within('readwrite', async (store) => {
    const row = await done(store.get(key) as IDBRequest<Row | undefined>);
    if (row !== undefined) store.put({ ...row, file: null, documentId } satisfies Row);
  });
};

export const forgetFiles = async (keys: readonly string[]): Promise<void> => {
  await within('readwrite', (store) => {
    for (const key of keys) store.delete(key);
  });
};

/** At the end of the sign-in. */
export const forgetFilesOfTab = async (): Promise<void> => {
  await within('readwrite', async (store) => {
    for (const { key, tab } of await rowsOf(store)) if (tab === ownTab()) store.delete(key);
  });
};
