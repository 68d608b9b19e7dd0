/** What became of a proposal, as a waiting run needs it. */
export interface Decision {
  status: 'approved' | 'rejected' | 'vetoed' | 'expired' | 'cancelled';
  reason: string | null;
  /** What became of the stored call; null where it was not carried out. */
  execution: { status: 'completed' | 'failed' | 'unknown'; result: unknown; error: string | null } | null;
  /** The proposal as the API shows it, for the event. */
  proposal: Record<string, unknown>;
}

type DecisionListener = (proposalId: string, decision: Decision) => void;

/**
 * The way back from the tool gate to the run that waits: governance publishes each final decision, after its call has been
 * carried out, and chat's runs listen. A decision that nobody heard is found again in the store.
 */
export interface Decisions {
  publish(proposalId: string, decision: Decision): void;
  subscribe(listener: DecisionListener): void;
}

export const createDecisions = (): Decisions => {
  const listeners: DecisionListener[] = [];
  return {
    publish(proposalId, decision) {
      for (const listener of listeners) listener(proposalId, decision);
    },
    subscribe: (listener) => void listeners.push(listener),
  };
};
