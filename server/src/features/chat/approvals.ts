import type { Caller } from '../../kernel/caller.ts';
import type { Decision } from '../../kernel/decisions.ts';
import { AppError } from '../../kernel/errors.ts';

/** Whose proposal it is: the port acts as that person. */
interface Owner {
  tenantId: string;
  userId: string;
}

export interface ApprovalPort {
  /** The proposal as the API shows it. */
  show(owner: Owner, proposalId: string): Promise<Record<string, unknown>>;
  /** The decision where there is one already and it has been carried out. */
  decided(owner: Owner, proposalId: string): Promise<Decision | null>;
  /** Ends the open proposals of a run that has ended. */
  withdrawOf(owner: Owner & Pick<Caller, 'type'>, runId: string): Promise<void>;
}

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
 * Runs that wait, by proposal. A decision that comes while nobody waits is found again through the port; so is one that
 * another node made, or a fault kept from being told, by looking every `lookMs`.
 */
export const createWaitingRoom = (lookMs: number, onError: (error: unknown) => void) => {
  const waiting = new Map<string, (decision: Decision) => void>();
  return {
    /** Governance tells of every decision; most have nobody waiting. */
    tell(proposalId: string, decision: Decision): void {
      waiting.get(proposalId)?.(decision);
    },

    /** Resolves with the decision. Rejects with the signal's reason. */
    async wait(owner: Owner, proposalId: string, port: ApprovalPort, signal: AbortSignal): Promise<Decision> {
      const told = new Promise<Decision>((resolve, reject) => {
        waiting.set(proposalId, resolve);
        const abort = (): void =>
          reject(signal.reason instanceof Error ? signal.reason : new Error('stopped'));
        if (signal.aborted) abort();
        else signal.addEventListener('abort', abort, { once: true });
      });
      // Asked after the entry has been made, so that a decision in between is not missed.
      const look = async (): Promise<void> => {
        const decision = await port.decided(owner, proposalId).catch(whereGone(proposalId));
        if (decision !== null) waiting.get(proposalId)?.(decision);
      };
      const lookAgain = (): void => void look().catch(onError);
      lookAgain();
      const timer = setInterval(lookAgain, lookMs);
      timer.unref();
      try {
        return await told;
      } finally {
        clearInterval(timer);
        waiting.delete(proposalId);
      }
    },
  };
};
