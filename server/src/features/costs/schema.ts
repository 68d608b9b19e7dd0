import { type Static, Type } from 'typebox';
import { AnyValue, Nullable, Strict, StringEnum, Timestamp, Usd } from '../../kernel/schema.ts';
import { ALERT_LEVELS, LIMIT_PERIODS, LIMIT_SCOPES } from './rules.ts';

/** Wire types of the costs (contract, sections 6 and 14). */

const beyondEstimate = () =>
  Type.Integer({ description: 'Calls that have cost more than was reserved for them' });

const counts = {
  cost_usd: Usd(),
  requests: Type.Integer({ description: 'Metered calls: model, embedding or priced tool' }),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cached_input_tokens: Type.Integer(),
  beyond_estimate: beyondEstimate(),
};

const part = <const K extends string>(key: K) =>
  Type.Array(
    Type.Object({ [key]: Nullable(Type.String(), { description: 'null: spend without one' }), ...counts }),
  );

export const Budget = Type.Object({
  scope: StringEnum(LIMIT_SCOPES),
  subject: Type.String(),
  period: StringEnum(LIMIT_PERIODS),
  limit_usd: Usd(),
  used_usd: Usd(),
  reserved_usd: Usd('Set aside for calls that are running'),
  remaining_usd: Usd(),
  resets_at: Nullable(Timestamp()),
  alert_level: StringEnum(ALERT_LEVELS),
  forecast_usd: Nullable(Usd('Spend at the end of the period when it goes on like this')),
});

export const Usage = Type.Object({
  period: Type.Object({
    name: StringEnum(['day', 'week', 'month', 'custom']),
    start: Timestamp(),
    end: Timestamp(),
  }),
  scope: StringEnum(['me', 'tenant']),
  currency: Type.Literal('USD'),
  total_usd: Usd(),
  forecast_usd: Nullable(Usd('Total at the end of the period when it goes on like this')),
  requests: Type.Integer(),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cached_input_tokens: Type.Integer(),
  beyond_estimate: beyondEstimate(),
  by_agent: part('agent_id'),
  by_model: part('model'),
  by_tool: part('tool'),
  by_day: part('date'),
  by_user: Type.Optional(part('user_id')),
  users_total: Type.Optional(
    Type.Integer({ description: 'Users with spending in the period, on all pages of by_user' }),
  ),
  budget: Nullable(Budget, { description: 'The limit that is nearest to the question; null without one' }),
});

/** A page of `by_user`: a client that does not ask for one gets the dearest. */
export const DEFAULT_USERS = 100;

export const UsageQuery = Strict({
  period: Type.Optional(
    StringEnum(['day', 'week', 'month', 'custom'], {
      description: 'Running period in the time zone of the tenant; default month, or custom with from and to',
    }),
  ),
  from: Type.Optional(
    Type.String({ maxLength: 40, description: 'ISO 8601 time, or date (from its beginning)' }),
  ),
  to: Type.Optional(
    Type.String({ maxLength: 40, description: 'ISO 8601 time (exclusive), or date (to its end)' }),
  ),
  scope: Type.Optional(
    StringEnum(['me', 'tenant'], {
      description: 'Default me; tenant needs the role analyst, operator or admin',
    }),
  ),
  users_page: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'Page of by_user, the dearest first; default 1',
    }),
  ),
  users_limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1_000, description: `Users on a page; default ${DEFAULT_USERS}` }),
  ),
});

export type UsageQuery = Static<typeof UsageQuery>;

export const Limit = Type.Object({
  id: Type.String({ format: 'uuid' }),
  scope: StringEnum(LIMIT_SCOPES),
  subject: Type.String({ description: 'Id of the tenant, user or agent; * for every run' }),
  period: StringEnum(LIMIT_PERIODS),
  limit_usd: Usd(),
  used_usd: Usd(),
  reserved_usd: Usd('Set aside for calls that are running'),
  remaining_usd: Usd(),
  resets_at: Nullable(Timestamp()),
  alert_level: StringEnum(ALERT_LEVELS, {
    description: 'info from 50 %, warning from 75 %, critical from 90 %, exceeded when nothing is left',
  }),
});

export const Limits = Type.Object({ limits: Type.Array(Limit) });

/** In nano-dollars still a whole number that is exact. */
export const MAX_LIMIT_USD = 9_000_000;

export const LimitsBody = Strict({
  limits: Type.Array(
    Strict({
      scope: StringEnum(LIMIT_SCOPES),
      subject: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 128,
          description: 'User or agent id; nothing for tenant and run',
        }),
      ),
      period: StringEnum(LIMIT_PERIODS),
      limit_usd: Nullable(Type.Number({ minimum: 0, maximum: MAX_LIMIT_USD }), {
        description: 'At most nine decimal places; 0 allows nothing that costs, null removes the limit',
      }),
    }),
    { minItems: 1, maxItems: 100 },
  ),
});

export type LimitsBody = Static<typeof LimitsBody>;

export const Csv = AnyValue({ description: 'CSV, one line for each metered call' });
