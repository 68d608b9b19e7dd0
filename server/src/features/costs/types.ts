import type { ModelUsage } from '../../kernel/model.ts';
import type { NanoUsd } from '../../kernel/money.ts';
import type { AlertLevel, LimitPeriod, LimitScope } from './rules.ts';

/** What is spent on: models and embeddings count against the run's limit, priced tools against day and month alone. */
export type CostKind = 'model' | 'embedding' | 'tool';

/** Whose call it is; the ledger rows of the call carry the same. */
export interface CostSubject {
  tenantId: string;
  userId: string;
  agentId: string | null;
  conversationId: string | null;
  runId: string | null;
  requestId: string | null;
}

export interface HoldRequest extends CostSubject {
  kind: CostKind;
  /** The most that the call can cost: prompt and output cap at the model's price. 0 is always allowed. */
  worstNano: NanoUsd;
  /**
   * The least that is still useful: where `worstNano` does not fit, what is left is held instead as long as it is not
   * under this. Absent: all or nothing.
   */
  leastNano?: NanoUsd;
  /** What models and embeddings of this run have cost so far (settled calls only). */
  runUsedNano: NanoUsd;
}

/** An amount set aside for one call; it ends with one `settle` or `release`. */
export interface Hold extends CostSubject {
  /** Null where nothing was set aside (a call that costs nothing). */
  id: string | null;
  kind: CostKind;
  /** What the call may cost at most: lower the output cap to it where it is under what was asked. */
  amountNano: NanoUsd;
  /** Ids of the counters that carry it. */
  counters: readonly string[];
  /** Epoch ms: the spending belongs to the day and month of this instant. */
  createdAt: number;
}

/** One metered call. Who made it is in the hold. */
export interface LedgerEntry {
  kind: CostKind;
  /** `provider/name`; null for tools. */
  model: string | null;
  /** `server.name`; null for models. */
  tool: string | null;
  usage: ModelUsage | null;
  costNanoUsd: NanoUsd;
  /** True where the price or the token count is an estimate. */
  estimated: boolean;
}

export interface CostAlert {
  type: 'cost.alert' | 'cost.limit_reached';
  tenantId: string;
  scope: LimitScope;
  subject: string;
  period: LimitPeriod;
  /** 50, 75, 90 or 100: so much is used. Null for `cost.limit_reached`: a call was refused, whatever is used. */
  thresholdPercent: number | null;
  level: AlertLevel;
  limitNano: NanoUsd;
  usedNano: NanoUsd;
  reservedNano: NanoUsd;
  /** Epoch ms. */
  resetsAt: number;
}
