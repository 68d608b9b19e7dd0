/**
 * Events of the platform: what WebSocket, webhooks and notifications hand on. An event reaches only those who may read
 * its record.
 */
export interface PlatformEvent {
  id: string;
  /** `conversation.completed`, `proposal.created`, … (contract, section 12). */
  type: string;
  tenantId: string;
  /** Owner of the record. With `reach` own they get it and those who read the whole tenant; with `person` nobody but them. */
  userId: string | null;
  reach: 'person' | 'own' | 'tenant';
  /** Permission that a reader needs. */
  permission: string;
  data: Record<string, unknown>;
  /** Epoch ms. */
  createdAt: number;
  /** X-Request-ID of the request that led to it; it goes along in webhook deliveries. */
  requestId?: string | null;
}

export type NewEvent = Omit<PlatformEvent, 'id' | 'createdAt'>;

/** Told to connections alone: whoever misses it reads how the record stands. */
export type PassingEvent = NewEvent & {
  type: 'run.started' | 'run.completed' | 'run.failed' | 'proposal.updated' | 'document.progress';
};

/**
 * For what has no change of rows of its own to go with. All else is `tx.emit` (db/db.ts), and so is everything that
 * webhooks can subscribe to. Publishing never fails the work that it reports.
 */
export interface EventSink {
  publish(event: PassingEvent): void;
}
