import { type NanoUsd, nanoToUsd } from '../../../kernel/money.ts';
import type { Flag, Risk } from '../../../kernel/tool-policy.ts';
import type { ToolAnnotations } from '../../../kernel/tools.ts';
import type { Seat, VetoReason, Vote } from '../types.ts';

/**
 * The written rules of the five seats, used where no model votes. Each reason names the number that led to the vote, so
 * that a person can check it. A seat that lacks what its question needs abstains.
 */
export interface SeatFacts {
  estimatedNano: NanoUsd;
  risk: Risk;
  flags: readonly Flag[];
  /** Characters of the description. */
  descriptionLength: number;
  /** Null where the proposal names no tool. */
  tool: {
    annotations: ToolAnnotations | null;
    /** Null where nothing is known about it. */
    health: { available: boolean; calls: number; failures: number } | null;
  } | null;
  tainted: boolean;
  /** Names of injection signs in the proposal's texts. */
  signs: readonly string[];
  /** Names of injection signs in what may have led to the call. */
  sourceSigns: readonly string[];
  /** Addresses and hosts that the arguments name. */
  audience: readonly string[];
  /** What the tenant may still spend this month; null without a limit. */
  budget: { limitNano: NanoUsd; remainingNano: NanoUsd } | null;
  /** Proposals of the same action that were turned down in the last 24 hours. */
  recentRejections: number;
}

export interface RuleLimits {
  maxAudience: number;
  maxFailureShare: number;
  /** Share of the remaining budget that one action may take. */
  maxBudgetShare: number;
  maxRecentRejections: number;
}

export const DEFAULT_RULE_LIMITS: RuleLimits = {
  maxAudience: 10,
  maxFailureShare: 0.5,
  maxBudgetShare: 0.25,
  maxRecentRejections: 2,
};

export interface SeatVote {
  vote: Vote;
  reason: string;
  veto: VetoReason | null;
  confidence: number;
}

/** The same of a model, which need not say how sure it is. */
type ModelVote = Omit<SeatVote, 'confidence'> & { confidence: number | null };

const say = (vote: Vote, reason: string, confidence = 0.8, veto: VetoReason | null = null): SeatVote => ({
  vote,
  reason,
  confidence,
  veto,
});

const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`;

const MIN_DESCRIPTION = 10;
const MIN_CALLS = 5;

const RULES: Readonly<Record<Seat, (facts: SeatFacts, limits: RuleLimits) => SeatVote>> = {
  athena(facts, limits) {
    const { recentRejections, descriptionLength } = facts;
    if (recentRejections >= limits.maxRecentRejections) {
      return say(
        'reject',
        `the same action was turned down ${recentRejections} times in the last 24 hours (limit ${limits.maxRecentRejections})`,
      );
    }
    if (descriptionLength < MIN_DESCRIPTION) {
      return say(
        'abstain',
        `its value cannot be judged: the description has ${descriptionLength} characters`,
        0.5,
      );
    }
    return say(
      'approve',
      `the purpose is described, and it was turned down ${recentRejections} times in the last 24 hours (limit ${limits.maxRecentRejections})`,
    );
  },

  hermes(facts, limits) {
    const reached = facts.audience.length;
    return reached > limits.maxAudience
      ? say('reject', `it reaches ${reached} addresses and hosts (limit ${limits.maxAudience})`)
      : say('approve', `it reaches ${reached} addresses and hosts (limit ${limits.maxAudience})`);
  },

  aegis(facts) {
    const { signs, sourceSigns, tainted, flags, risk } = facts;
    if (signs.length > 0 && tainted) {
      return say(
        'reject',
        `${signs.length} signs of injected instructions (${signs.join(', ')}) in a run that has read untrusted content`,
        0.9,
        'security_risk',
      );
    }
    if (signs.length > 0) {
      return say('reject', `${signs.length} signs of injected instructions: ${signs.join(', ')}`, 0.7);
    }
    if (sourceSigns.length > 0) {
      return say(
        'reject',
        `${sourceSigns.length} signs of injected instructions in what may have led to the call: ${sourceSigns.join(', ')}`,
        0.7,
      );
    }
    if (flags.includes('personal_data') || flags.includes('security')) {
      return say('reject', `marked ${flags.join(', ')}: a person must decide`, 0.9);
    }
    if (risk === 'critical') return say('reject', 'risk critical: a person must decide', 0.9);
    const annotations = facts.tool?.annotations ?? null;
    if (annotations?.destructive && annotations.openWorld && tainted) {
      return say(
        'reject',
        'a destructive call outside of the platform, asked for after untrusted content was read',
      );
    }
    return say('approve', `0 signs of injected instructions, ${flags.length} flags, risk ${risk}`);
  },

  hephaestus(facts, limits) {
    if (facts.tool === null) return say('abstain', 'it names no tool, so 0 tools can be checked', 0.5);
    const { health } = facts.tool;
    if (health === null) return say('abstain', 'no figures about the tool: 0 calls known', 0.5);
    if (!health.available) return say('reject', 'the tool is not available: 0 of 1 servers connected', 0.95);
    const share = health.calls === 0 ? 0 : health.failures / health.calls;
    if (health.calls >= MIN_CALLS && share > limits.maxFailureShare) {
      return say(
        'reject',
        `${health.failures} of its last ${health.calls} calls failed, ${percent(share)} (limit ${percent(limits.maxFailureShare)})`,
      );
    }
    return say(
      'approve',
      `the tool is available; ${health.failures} of its last ${health.calls} calls failed`,
    );
  },

  prometheus(facts, limits) {
    const { estimatedNano, budget } = facts;
    const cost = `${nanoToUsd(estimatedNano)} USD`;
    if (estimatedNano === 0) return say('approve', 'estimated cost 0 USD');
    if (budget === null) return say('abstain', `no budget is set to weigh ${cost} against`, 0.5);
    const left = `${nanoToUsd(budget.remainingNano)} USD left of ${nanoToUsd(budget.limitNano)}`;
    if (estimatedNano > budget.remainingNano)
      return say('reject', `${cost} is more than the budget: ${left}`, 0.95);
    const share = estimatedNano / budget.remainingNano;
    return share > limits.maxBudgetShare
      ? say(
          'reject',
          `${cost} takes ${percent(share)} of what is left (limit ${percent(limits.maxBudgetShare)}): ${left}`,
        )
      : say(
          'approve',
          `${cost} takes ${percent(share)} of what is left (limit ${percent(limits.maxBudgetShare)}): ${left}`,
        );
  },
};

/** Whether a model could only repeat what the written rule says: nothing is stricter. */
export const isStrictest = (seat: Seat, rule: SeatVote): boolean =>
  rule.vote === 'reject' && (seat !== 'aegis' || rule.veto !== null);

/**
 * The written rules are a floor under a seat's model: where they reject, it may be stricter (a veto of AEGIS) and never laxer.
 * An abstention of the rules says that they lack what the question needs, and binds nobody.
 */
export const withFloor = (rule: SeatVote, model: ModelVote): ModelVote => {
  if (rule.vote !== 'reject') return model;
  if (model.vote === 'reject') return { ...model, veto: model.veto ?? rule.veto };
  return { ...rule, reason: `${rule.reason}. The model voted ${model.vote}: ${model.reason}` };
};

export const voteByRule = (seat: Seat, facts: SeatFacts, limits: RuleLimits): SeatVote =>
  RULES[seat](facts, limits);
