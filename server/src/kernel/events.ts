/**
 * Events of the platform: what WebSocket, webhooks and notifications hand on. An event reaches only those who may read
 * its record.
 */
export interface PlatformEvent {
  id: string;
  /** `conversation.completed`, `proposal.created`, … (contract, section 12). */
  type: string;
  tenantId: string;
  /** Owner of the record: with `reach` own only they (and those who read the whole tenant) get it. */
  userId: string | null;
  reach: 'own' | 'tenant';
  /** Permission that a reader needs. */
  permission: string;
  data: Record<string, unknown>;
  /** Epoch ms. */
  createdAt: number;
  /** X-Request-ID of the request that led to it; it goes along in webhook deliveries. */
  requestId?: string | null;
}

export type NewEvent = Omit<PlatformEvent, 'id' | 'createdAt'>;

/** Publishing never fails the work that it reports. An event that the outbox has recorded keeps its id. */
export interface EventSink {
  publish(event: NewEvent | PlatformEvent): void;
}

/**
 * Records an event for the webhooks of its tenant inside the transaction of the change that it reports, so that it is
 * delivered if and only if the change is there. Hand the returned event to `EventSink.publish` after the commit.
 */
export interface EventOutbox<Tx> {
  record(tx: Tx, event: NewEvent): Promise<PlatformEvent>;
}

/**
 * An outbox for features that are made before the webhooks are: it hands on to the one that `connect` names, and until
 * then only numbers events, since nobody can have subscribed to anything yet.
 */
export const createLateOutbox = <Tx>(
  stamp: (event: NewEvent) => PlatformEvent,
): { outbox: EventOutbox<Tx>; connect(outbox: EventOutbox<Tx>): void } => {
  let connected: EventOutbox<Tx> | null = null;
  return {
    outbox: {
      record: (tx, event) => connected?.record(tx, event) ?? Promise.resolve(stamp(event)),
    },
    connect(outbox) {
      connected = outbox;
    },
  };
};
