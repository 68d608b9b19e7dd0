import { Ajv } from 'ajv';
import { type Static, Type } from 'typebox';
import { MAX_GLOB_CHARACTERS, MAX_GLOBS } from '../../kernel/glob.ts';
import { type NanoUsd, usdToNano } from '../../kernel/money.ts';
import { Strict, StringEnum } from '../../kernel/schema.ts';
import { APPROVALS, FLAGS, RISKS } from '../../kernel/tool-policy.ts';
import type { ApprovalLimits } from './required-approval.rules.ts';
import type { ServerPolicies } from './tool-policies.rules.ts';
import { SEATS, type Seat } from './types.ts';
import { DEFAULT_RULE_LIMITS, type RuleLimits } from './voting/written.rules.ts';

/** Thresholds, seats and policies: the defaults below, changed by the operator's GOVERNANCE_FILE (docs/governance.md). */

type SeatHolder = { kind: 'agent' } | { kind: 'user' | 'role'; name: string };

const VOTE_ORDERS = ['auto', 'together', 'in_turn'] as const;
type VoteOrder = (typeof VOTE_ORDERS)[number];

interface SeatConfig {
  holder: SeatHolder;
  /** The question that the seat answers, as it is put to the seat's model. */
  charter: string;
  /** `provider/name`; null = the model of the platform. */
  model: string | null;
}

export interface GovernanceConfig {
  approvals: ApprovalLimits;
  seats: Readonly<Record<Seat, SeatConfig>>;
  policies: ServerPolicies;
  rules: RuleLimits;
  /** How long the five may vote before a person is asked. */
  votingMs: number;
  /** How long a person may take. */
  humanMs: number;
  /** How long one agent may take for its vote. */
  voteTimeoutMs: number;
  /** Whether the seats are asked at once; `auto`: one after another at a local model, together at others. */
  voteOrder: VoteOrder;
  /** How long the approved call may take. */
  executionMs: number;
}

const CHARTERS: Readonly<Record<Seat, string>> = {
  athena: 'Strategic value: does this action serve what the person asked for, and is it worth doing at all?',
  hermes:
    'Who is affected: whom does this action reach inside and outside of the company, and would they agree?',
  aegis:
    'Security: could this action harm security, leak data, break rules or touch personal data without cause? You alone may veto.',
  hephaestus:
    'Feasibility: will the tool do what is asked with these arguments, and can it be undone if not?',
  prometheus: 'Cost and benefit: is the benefit worth the estimated cost, given what is left of the budget?',
};

/** Of the API too: `policy.schema.ts` of the gateway has the same form. */
const Globs = Type.Record(
  Type.String(),
  Type.Array(Type.String({ minLength: 1, maxLength: MAX_GLOB_CHARACTERS }), {
    minItems: 1,
    maxItems: MAX_GLOBS,
  }),
);
const AllowRules = Type.Array(
  Strict({ hosts: Type.Optional(Globs), arguments: Type.Optional(Globs) }, { minProperties: 1 }),
  { minItems: 1, maxItems: 100 },
);

const Policy = Strict({
  cost_usd: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000 })),
  risk: Type.Optional(StringEnum(RISKS)),
  flags: Type.Optional(Type.Array(StringEnum(FLAGS), { uniqueItems: true })),
  approval: Type.Optional(StringEnum(APPROVALS)),
  allow: Type.Optional(AllowRules),
});

const SeatFile = Strict({
  holder: Type.Optional(Type.String({ pattern: '^(agent|(user|role):.{1,128})$' })),
  charter: Type.Optional(Type.String({ minLength: 1, maxLength: 4_000 })),
  model: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
});

const Seconds = (maximum: number) => Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum }));

const GovernanceFile = Strict({
  thresholds: Type.Optional(
    Strict({
      auto_usd: Type.Optional(Type.Number({ minimum: 0, maximum: 9_000_000 })),
      pentarchy_usd: Type.Optional(Type.Number({ minimum: 0, maximum: 9_000_000 })),
    }),
  ),
  risk: Type.Optional(
    Strict({
      low: Type.Optional(StringEnum(APPROVALS)),
      medium: Type.Optional(StringEnum(APPROVALS)),
      high: Type.Optional(StringEnum(APPROVALS)),
      critical: Type.Optional(StringEnum(APPROVALS)),
    }),
  ),
  destructive: Type.Optional(StringEnum(APPROVALS)),
  tainted_open_world: Type.Optional(StringEnum([...APPROVALS, 'requester'])),
  tainted_personal: Type.Optional(StringEnum([...APPROVALS, 'requester'])),
  seats: Type.Optional(Strict(Object.fromEntries(SEATS.map((seat) => [seat, Type.Optional(SeatFile)])))),
  rules: Type.Optional(
    Strict({
      max_audience: Type.Optional(Type.Integer({ minimum: 0 })),
      max_failure_share: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
      max_budget_share: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
      max_recent_rejections: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
  ),
  policies: Type.Optional(
    Type.Record(
      Type.String(),
      Strict({
        default: Type.Optional(Policy),
        tools: Type.Optional(Type.Record(Type.String(), Policy)),
      }),
    ),
  ),
  voting_s: Seconds(86_400),
  human_s: Seconds(30 * 86_400),
  vote_timeout_s: Seconds(3_600),
  vote_order: Type.Optional(StringEnum(VOTE_ORDERS)),
  execution_s: Seconds(86_400),
});

type GovernanceFile = Static<typeof GovernanceFile>;

const check = new Ajv({ allErrors: true, strict: false }).compile<GovernanceFile>(GovernanceFile);

const holderOf = (text: string | undefined): SeatHolder => {
  if (text === undefined || text === 'agent') return { kind: 'agent' };
  const [kind, ...rest] = text.split(':');
  return { kind: kind === 'user' ? 'user' : 'role', name: rest.join(':') };
};

const nano = (usd: number | undefined, fallback: number): NanoUsd => usdToNano(usd ?? fallback);

const ms = (seconds: number | undefined, fallback: number): number =>
  Math.round((seconds ?? fallback) * 1000);

/** From the parsed content of the file (null without one). Throws an Error with one line for each fault. */
export const governanceConfig = (content: unknown): GovernanceConfig => {
  const file: unknown = content ?? {};
  if (!check(file)) {
    const faults = (check.errors ?? []).map(
      (fault) => `${fault.instancePath || '/'} ${fault.message ?? 'is wrong'}`,
    );
    throw new Error(`GOVERNANCE_FILE is wrong:\n${faults.join('\n')}`);
  }
  const { thresholds, risk, rules } = file;
  const autoNano = nano(thresholds?.auto_usd, 50);
  const pentarchyNano = nano(thresholds?.pentarchy_usd, 100);
  if (pentarchyNano < autoNano) {
    throw new Error('GOVERNANCE_FILE is wrong:\n/thresholds/pentarchy_usd must not be under auto_usd');
  }
  const seat = (name: Seat): SeatConfig => {
    const given: Static<typeof SeatFile> = file.seats?.[name] ?? {};
    return {
      holder: holderOf(given.holder),
      charter: given.charter ?? CHARTERS[name],
      model: given.model ?? null,
    };
  };
  return {
    approvals: {
      autoNano,
      pentarchyNano,
      byRisk: {
        low: risk?.low ?? 'auto',
        medium: risk?.medium ?? 'auto',
        high: risk?.high ?? 'pentarchy',
        critical: risk?.critical ?? 'human',
      },
      destructive: file.destructive ?? 'pentarchy',
      taintedOpenWorld: file.tainted_open_world ?? 'requester',
      taintedPersonal: file.tainted_personal ?? 'requester',
    },
    seats: {
      athena: seat('athena'),
      hermes: seat('hermes'),
      aegis: seat('aegis'),
      hephaestus: seat('hephaestus'),
      prometheus: seat('prometheus'),
    },
    policies: file.policies ?? {},
    rules: {
      maxAudience: rules?.max_audience ?? DEFAULT_RULE_LIMITS.maxAudience,
      maxFailureShare: rules?.max_failure_share ?? DEFAULT_RULE_LIMITS.maxFailureShare,
      maxBudgetShare: rules?.max_budget_share ?? DEFAULT_RULE_LIMITS.maxBudgetShare,
      maxRecentRejections: rules?.max_recent_rejections ?? DEFAULT_RULE_LIMITS.maxRecentRejections,
    },
    votingMs: ms(file.voting_s, 300),
    humanMs: ms(file.human_s, 86_400),
    voteTimeoutMs: ms(file.vote_timeout_s, 30),
    voteOrder: file.vote_order ?? 'auto',
    executionMs: ms(file.execution_s, 120),
  };
};
