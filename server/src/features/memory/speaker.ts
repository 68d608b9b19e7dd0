import type { PayingWho } from './recall.ts';

/** Whose memory is written. */
export interface Speaker {
  tenantId: string;
  userId: string;
  /** What they are called in their memory until they say otherwise. */
  name: string;
}

/** Likeness of a person's statements to a text by observation id; empty where meaning cannot be compared. */
export type Likeness = (who: PayingWho, text: string) => Promise<ReadonlyMap<string, number>>;
