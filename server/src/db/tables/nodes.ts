export interface NodeRow {
  id: string;
  version: string;
  started_at: number;
  /** Last sign of life, by the store's own clock on PostgreSQL. */
  seen_at: number;
  /** 1: it has been told to stop, takes nothing new and ends what it has. */
  draining: number;
}

export interface BlobRow {
  key: string;
  /** Null once its row is there for good (kernel/blobs.ts). */
  staged_at: number | null;
  bytes: Uint8Array;
}

/** Facts about the platform as a whole. */
export interface PlatformRow {
  name: string;
  value: string;
}

export interface NodeTables {
  nodes: NodeRow;
  blobs: BlobRow;
  platform: PlatformRow;
}
