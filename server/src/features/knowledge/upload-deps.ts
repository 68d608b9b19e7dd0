import type { BlobStore } from '../../kernel/blobs.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { PassingEvent } from '../../kernel/events.ts';
import type { Arrival } from './ingest-steps.ts';
import type { KnowledgeDocument } from './ports.ts';
import type { KnowledgeStore } from './store.ts';
import type { UploadStore } from './uploads.store.ts';

/** What the parts of uploading share. */

/** Who sends a file, as far as an administrator's word for it needs to be known. */
export type Uploader = Pick<Caller, 'tenantId' | 'userId' | 'type'>;
export type Vouching = (
  by: Uploader,
  document: KnowledgeDocument,
  trusted: boolean,
) => Promise<KnowledgeDocument>;

export interface UploadsDeps {
  store: KnowledgeStore;
  uploads: UploadStore;
  blobs: BlobStore;
  clock: Clock;
  dimensions: number;
  locked<T>(key: string, work: () => Promise<T>): Promise<T>;
  ingest(arrival: Arrival): Promise<KnowledgeDocument>;
  vouch: Vouching;
  /** To open connections alone. */
  publish(event: PassingEvent): void;
  warn(fault: unknown, message: string): void;
  /** Waits before the second, third, … attempt. */
  retryDelaysMs?: readonly number[] | undefined;
}
