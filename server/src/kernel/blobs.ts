/**
 * The port for files' bytes. A blob and its database row cannot change in one step, so a blob is `staged` while its row
 * is on the way in or out: what is staged after a crash is settled or removed by whether its row exists.
 */
export interface BlobStore {
  /** Writes durably under a key of `[A-Za-z0-9._-]`; overwrites. */
  stage(key: string, bytes: Uint8Array): Promise<void>;
  /** After the row is there. */
  settle(key: string): Promise<void>;
  /** Before the row goes; the blob can still be read. Nothing happens when there is none. */
  unsettle(key: string): Promise<void>;
  /** The bytes, staged or settled; null when there are none. */
  read(key: string): Promise<Uint8Array | null>;
  /** Nothing happens when there is none. */
  remove(key: string): Promise<void>;
  staged(): Promise<string[]>;
}
