/**
 * What was deleted is to be gone from the bytes of the store as well. `secure_delete` overwrites it in the pages of the file; the
 * write-ahead log has earlier copies of those pages, and the word indexes (FTS5 without contents) keep the words of deleted passages
 * until their parts are merged. So soon after something that people have written was deleted, small indexes are merged, and the
 * log is brought over and its frames are overwritten with zeros.
 */

/** Deletions that come together are wiped together, and no more often than this. */
const WIPE_AFTER_MS = 2_000;
const WIPE_EVERY_MS = 20_000;
/** A reader on an older state keeps the log from being emptied. */
const AGAIN_MS = 1_000;
/** Word indexes of so many passages are merged at once (some 50 ms); larger ones merge by themselves as they are written. */
const SMALL_INDEX = 2_000;

/** Statements after which something that people have written may be gone. */
const WIPED =
  /^\s*(?:delete from|update) "(?:conversations|messages|message_feedback|conversation_summaries|documents|document_versions|chunks|chunk_terms\w*|memory_\w+|users|tasks|task_runs|proposals|notifications)"/;
/** These are written all the time, and nothing is lost by it. */
const KEPT = /^\s*update "(?!users|documents|memory_observations)/;

export const removesContent = (sql: string): boolean => WIPED.test(sql) && !KEPT.test(sql);

export interface WiperOptions {
  /** The connection of the writer. */
  all(sql: string): Record<string, unknown>[];
  /** Has most of the log brought over beside the event loop. */
  bringOver(): Promise<void>;
  /** Runs nothing in a write of its own, so that `committed` is called. */
  wake(): void;
  /** Overwrites the frames of the log, none of which counts any more; with the lock of writers held. */
  fill(): void;
  onError(error: unknown): void;
}

/** Merges the word indexes of up to so many passages, which drops the words of deleted ones. */
export const mergeWords = (all: WiperOptions['all'], most: number): void => {
  const tables = all(
    "select name from sqlite_master where type = 'table' and name glob 'chunk_terms*' and sql like '%using fts5%'",
  );
  for (const { name } of tables) {
    const table = String(name);
    const [size] = all(`select count(*) as n from (select 1 from "${table}_docsize" limit ${most + 1})`);
    if (Number(size?.n) <= most) all(`insert into "${table}" ("${table}") values ('optimize')`);
  }
};

export const createWiper = ({ all, bringOver, wake, fill, onError }: WiperOptions) => {
  let timer: NodeJS.Timeout | null = null;
  let due = false;
  let closed = false;
  let wipedAt = Number.NEGATIVE_INFINITY;

  const soon = (afterMs: number): void => {
    if (timer !== null || closed) return;
    timer = setTimeout(() => {
      bringOver().then(() => {
        timer = null;
        if (closed) return;
        due = true;
        wake();
      }, onError);
    }, afterMs);
    timer.unref();
  };

  const mergeSmall = (): void => mergeWords(all, SMALL_INDEX);

  const wipe = (): boolean => {
    mergeSmall();
    const [row] = all('pragma wal_checkpoint(restart)');
    if (Number(row?.busy) !== 0) return false;
    // Nobody else writes meanwhile, so that no page of theirs is overwritten.
    all('begin immediate');
    try {
      fill();
    } finally {
      all('rollback');
    }
    return true;
  };

  return {
    /** Something was deleted. */
    deleted: (): void => {
      if (timer === null) soon(Math.max(WIPE_AFTER_MS, wipedAt + WIPE_EVERY_MS - performance.now()));
    },
    /** To be called after a commit, with no transaction open. */
    committed(): void {
      if (!due || closed) return;
      due = false;
      try {
        if (wipe()) wipedAt = performance.now();
        else soon(AGAIN_MS);
      } catch (error) {
        // A command beside the server may have the lock.
        onError(error);
        soon(AGAIN_MS);
      }
    },
    close(): void {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
};
