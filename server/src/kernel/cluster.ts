/** This process among those of its platform. */
export interface Cluster {
  /** Stays with the data folder. The same in runs, reservations, executions, idempotency keys, `nodes` and lines of the log. */
  readonly nodeId: string;
  /** No other process is at work on this store, and none can come as long as this one is. */
  readonly alone: boolean;
}

/**
 * What nodes of one platform say to each other at once, beside the store. A message may get lost while the way is broken:
 * whoever sends or waits must come to the right end without it, only later (the store is asked again).
 */
export interface NodeMessages {
  /** To all other nodes, or to one. Never throws. */
  send(topic: string, message: unknown, to?: string): void;
  /** Calls back with the messages of other nodes; `from` is the sender's id. Returns how to leave off. */
  receive(topic: string, listener: (message: unknown, from: string) => void): () => void;
}

/** Turns over all nodes. A holder that dies loses its turn after a few seconds. */
export interface NodeLocks {
  /** Resolves with the function that gives the turn back, or null where somebody else has it. Throws SERVICE_UNAVAILABLE. */
  take(key: string): Promise<(() => Promise<void>) | null>;
}

/** A node by itself has nobody to talk to. */
export const NO_MESSAGES: NodeMessages = { send: () => {}, receive: () => () => {} };
