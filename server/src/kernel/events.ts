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
}

/** Publishing never fails the work that it reports. */
export interface EventSink {
  publish(event: Omit<PlatformEvent, 'id' | 'createdAt'>): void;
}
