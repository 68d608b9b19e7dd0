import type { NanoUsd } from './money.ts';

/** An amount that grows while a run goes on. */
export interface Spending {
  nano: NanoUsd;
}

/** The run that a call beside its models (an embedding) is made for: its rows name it, its limit counts it. */
export interface PayingRun {
  runId: string;
  conversationId: string | null;
  /** Null while no agent has been chosen. */
  agentId: string | null;
  /** What models and embeddings of the run have cost so far; grows by what is booked. */
  spending: Spending;
  /** The part of it that this step of the run has to account for; grows with it. */
  step: Spending;
  /** Called before a call that costs is reserved. Throws COST_EXCEEDED where the call must not be made. */
  before?: () => Promise<void>;
}

export const spend = ({ spending, step }: Pick<PayingRun, 'spending' | 'step'>, nano: NanoUsd): void => {
  spending.nano += nano;
  step.nano += nano;
};
