import type { Decision, DecisionListener, RunOwner, RunProposals } from '../../kernel/decisions.ts';
import { AppError } from '../../kernel/errors.ts';

/** Nobody decides about a proposal that has been erased: its run goes on without the call. */
const whereGone =
  (proposalId: string) =>
  (error: unknown): Decision => {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
    const status = 'cancelled' as const;
    const reason = 'the proposal is gone';
    return { status, reason, execution: null, proposal: { id: proposalId, status, reason } };
  };

/**
 * Runs that wait for a decision, by proposal. One that comes while nobody waits is found again through the port; so is one
 * that another node made, or that a fault kept from being delivered, by looking every `lookMs`.
 */
export const createDecisionWaits = (lookMs: number, onError: (error: unknown) => void) => {
  const waiting = new Map<string, (decision: Decision) => void>();
  return {
    /** Governance publishes every decision; most have nobody waiting. */
    deliver: ((proposalId, decision) => waiting.get(proposalId)?.(decision)) satisfies DecisionListener,

    /** Resolves with the decision. Rejects with the signal's reason. */
    async wait(
      owner: RunOwner,
      proposalId: string,
      port: Pick<RunProposals, 'decisionOn'>,
      signal: AbortSignal,
    ): Promise<Decision> {
      const delivered = new Promise<Decision>((resolve, reject) => {
        waiting.set(proposalId, resolve);
        const abort = (): void =>
          reject(signal.reason instanceof Error ? signal.reason : new Error('stopped'));
        if (signal.aborted) abort();
        else signal.addEventListener('abort', abort, { once: true });
      });
      // Asked after the entry has been made, so that a decision in between is not missed.
      const look = async (): Promise<void> => {
        const decision = await port.decisionOn(owner, proposalId).catch(whereGone(proposalId));
        if (decision !== null) waiting.get(proposalId)?.(decision);
      };
      const lookAgain = (): void => void look().catch(onError);
      lookAgain();
      const timer = setInterval(lookAgain, lookMs);
      timer.unref();
      try {
        return await delivered;
      } finally {
        clearInterval(timer);
        waiting.delete(proposalId);
      }
    },
  };
};
