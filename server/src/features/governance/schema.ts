import { type Static, Type } from 'typebox';
import {
  AnyObject,
  AnyValue,
  Nullable,
  PageQuery,
  Strict,
  StringEnum,
  Timestamp,
  Usd,
} from '../../kernel/schema.ts';
import { FLAGS, RISKS } from '../../kernel/tool-policy.ts';
import { EXECUTION_STATUSES, SEATS, STATUSES, VETO_REASONS, VOTES } from './types.ts';

/** Wire types of the governance (contract, sections 7 and 14). */

const VoteItem = Type.Object({
  voter: Type.String({ description: 'Agent id or user id' }),
  voter_type: StringEnum(['agent', 'user']),
  seat: Nullable(StringEnum(SEATS)),
  vote: StringEnum(VOTES),
  reason: Type.String(),
  veto_reason: Nullable(StringEnum(VETO_REASONS)),
  confidence: Nullable(Type.Number()),
  created_at: Timestamp(),
});

export const Proposal = Type.Object({
  id: Type.String({ format: 'uuid' }),
  action: Type.String(),
  description: Type.String(),
  estimated_cost: Usd('What the action costs the company, US dollars'),
  risk: StringEnum(RISKS),
  flags: Type.Array(StringEnum(FLAGS)),
  status: StringEnum(STATUSES),
  reason: Nullable(Type.String(), { description: 'Why it stands as it does' }),
  votes: Type.Array(VoteItem),
  tally: Type.Object({
    approve: Type.Integer(),
    reject: Type.Integer(),
    abstain: Type.Integer(),
    needed: Type.Integer(),
    seats: Type.Integer(),
  }),
  requested_by: Type.String(),
  asks_requester: Type.Boolean({
    description: 'It waits for the person who asked, and for nobody else: POST …/confirm',
  }),
  tainted: Type.Boolean({ description: 'Untrusted content stood in the conversation that it comes from' }),
  agent_id: Nullable(Type.String()),
  conversation_id: Nullable(Type.String()),
  run_id: Nullable(Type.String()),
  tool: Nullable(Type.Object({ server: Type.String(), name: Type.String(), arguments: AnyObject() })),
  execution: Nullable(
    Type.Object({
      status: StringEnum(EXECUTION_STATUSES, {
        description: 'unknown: the server stopped during the call; it is not tried again',
      }),
      result: AnyValue(),
      error: Nullable(Type.String()),
    }),
    { description: 'null where there is no tool call, or it was turned down' },
  ),
  created_at: Timestamp(),
  expires_at: Timestamp(),
  decided_at: Nullable(Timestamp()),
  decided_by: Nullable(Type.String(), { description: 'User id, pentarchy, policy or time' }),
});

export const ProposalQuery = Strict({
  ...PageQuery,
  status: Type.Optional(StringEnum(STATUSES)),
  run_id: Type.Optional(Type.String({ maxLength: 64 })),
  conversation_id: Type.Optional(Type.String({ maxLength: 64 })),
});

export type ProposalQuery = Static<typeof ProposalQuery>;

export const ProposalParams = Strict({ id: Type.String({ maxLength: 64 }) });

export const ProposalBody = Strict({
  action: Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' }),
  description: Type.Optional(Type.String({ maxLength: 8_000 })),
  estimated_cost: Type.Number({
    minimum: 0,
    maximum: 9_000_000,
    description: 'US dollars, at most nine decimal places',
  }),
  risk: Type.Optional(StringEnum(RISKS)),
  flags: Type.Optional(Type.Array(StringEnum(FLAGS), { uniqueItems: true })),
  tool: Type.Optional(
    Strict({
      server: Type.String({ minLength: 1, maxLength: 128 }),
      name: Type.String({ minLength: 1, maxLength: 256 }),
      arguments: Type.Optional(AnyObject()),
    }),
  ),
});

export type ProposalBody = Static<typeof ProposalBody>;

export const ConfirmBody = Strict({
  approve: Type.Boolean({ description: 'true: make the call; false: do not' }),
});

export const VoteBody = Strict({
  vote: StringEnum(VOTES),
  reason: Type.Optional(Type.String({ maxLength: 4_000 })),
  seat: Type.Optional(StringEnum(SEATS, { description: 'Default: the first whose agent has not approved' })),
});
