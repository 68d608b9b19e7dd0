import { type Static, Type } from 'typebox';
import { Nullable, Page, PageQuery, Strict, StringEnum, Timestamp, Uuid } from '../../kernel/schema.ts';

/** Characters of a tenant's instructions for one agent. */
export const MAX_INSTRUCTIONS = 16_000;

const count = (description: string) => Type.Integer({ description });
const figure = (description: string) => Nullable(Type.Number(), { description });

export const AgentMetrics = Type.Object(
  {
    window: StringEnum(['1h', '24h', '7d', '30d']),
    requests: count('Runs that this agent answered'),
    successes: count('Runs that completed'),
    failures: count('Runs that failed'),
    success_rate: figure('Successes of all finished, 0–1'),
    active_runs: count('Runs going on now'),
    latency_ms: Type.Object({
      avg: figure('Mean in ms'),
      p50: figure('Median in ms'),
      p95: figure('95th percentile in ms'),
      p99: figure('99th percentile in ms'),
    }),
    first_token_ms: Type.Object({ p50: figure('Median in ms'), p95: figure('95th percentile in ms') }),
    input_tokens: count('Tokens read'),
    output_tokens: count('Tokens written'),
    cost_usd: Type.Number({ description: 'US dollars' }),
    tool_calls: count('Tool calls made'),
    last_active_at: Nullable(Type.String({ format: 'date-time' })),
  },
  { description: 'Measured from runs; a figure without data is null' },
);
export type AgentMetrics = Static<typeof AgentMetrics>;

export const AgentStatus = Type.Object({
  id: Type.String(),
  name: Type.String(),
  domain: Type.String(),
  state: StringEnum(['idle', 'busy', 'degraded', 'disabled']),
  enabled: Type.Boolean(),
  description: Type.String(),
  seat: Nullable(Type.String(), {
    description: 'What the agent’s seat in the Pentarchy looks at; null without a seat',
  }),
  model: Nullable(Type.String(), { description: 'Model of this agent; null = the default' }),
  instructions: Nullable(Type.String(), { description: 'Instructions of this tenant, added to the charter' }),
  all_tools: Type.Boolean({
    description: 'Its model is told of all its tools with each call; else of a few, and finds the others',
  }),
  metrics: AgentMetrics,
});
export type AgentStatus = Static<typeof AgentStatus>;

export const ListAgents = Strict({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Default 1' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Default 20' })),
});

export const AgentParams = Strict({
  id: Type.String({ minLength: 1, maxLength: 64, description: 'Agent id' }),
});
export const MetricsQuery = Strict({
  window: Type.Optional(StringEnum(['1h', '24h', '7d', '30d'], { description: 'Default 24h' })),
});
export const AgentPatch = Strict(
  {
    enabled: Type.Optional(Type.Boolean()),
    model: Type.Optional(Nullable(Type.String({ minLength: 1, maxLength: 200 }))),
    instructions: Type.Optional(Nullable(Type.String({ maxLength: MAX_INSTRUCTIONS }))),
    all_tools: Type.Optional(Type.Boolean()),
  },
  { minProperties: 1 },
);
export type AgentPatch = Static<typeof AgentPatch>;

export const SUGGESTION_STATUSES = ['open', 'accepted', 'rejected'] as const;
export const Suggestion = Type.Object(
  {
    id: Uuid(),
    agent_id: Type.String(),
    instruction: Type.String({ description: 'Text that accepting adds to the agent’s instructions' }),
    reason: Nullable(Type.String()),
    status: StringEnum(SUGGESTION_STATUSES),
    suggested_by: Type.String({ description: 'Id of the person in whose conversation it came up' }),
    created_at: Timestamp(),
    decided_by: Nullable(Type.String()),
    decided_at: Nullable(Timestamp()),
  },
  { description: 'A change of an agent’s instructions that an operator accepts or rejects' },
);
export type Suggestion = Static<typeof Suggestion>;
export const SuggestionPage = Page(Suggestion);
export const SuggestionQuery = Strict({
  ...PageQuery,
  status: Type.Optional(StringEnum(SUGGESTION_STATUSES)),
  agent_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
});
