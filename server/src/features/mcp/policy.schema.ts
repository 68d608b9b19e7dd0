import { Type } from 'typebox';
import { ROLES } from '../../kernel/caller.ts';
import { MAX_GLOB_CHARACTERS, MAX_GLOBS } from '../../kernel/glob.ts';
import { Strict, StringEnum } from '../../kernel/schema.ts';
import { APPROVALS, FLAGS, RISKS } from '../../kernel/tool-policy.ts';

/** Wire forms of policies and access lists: the same in the API and in the file. */
export const OAuthSchema = Strict({
  grant: Type.Optional(StringEnum(['authorization_code', 'client_credentials'])),
  client_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      description: 'Left out: registered where that is possible',
    }),
  ),
  client_secret: Type.Optional(Type.String({ minLength: 1, maxLength: 4_000 })),
  scope: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000 })),
});

const Globs = Type.Record(
  Type.String({ minLength: 1, maxLength: 128 }),
  Type.Array(Type.String({ minLength: 1, maxLength: MAX_GLOB_CHARACTERS }), {
    minItems: 1,
    maxItems: MAX_GLOBS,
  }),
);

export const ToolPolicySchema = Strict({
  cost_usd: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000, description: 'Cost of one call' })),
  risk: Type.Optional(StringEnum(RISKS)),
  flags: Type.Optional(Type.Array(StringEnum(FLAGS), { uniqueItems: true })),
  approval: Type.Optional(StringEnum(APPROVALS)),
  allow: Type.Optional(
    Type.Array(
      Strict({ hosts: Type.Optional(Globs), arguments: Type.Optional(Globs) }, { minProperties: 1 }),
      {
        minItems: 1,
        maxItems: 100,
        description:
          'Calls that are made unasked with untrusted content in the conversation: by argument, globs of the host of its address or of its text',
      },
    ),
  ),
});

export const ServerPolicySchema = Strict({
  default: Type.Optional(ToolPolicySchema),
  tools: Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: MAX_GLOB_CHARACTERS }), ToolPolicySchema, {
      // Of the keys; the type of the keys alone is not held against them.
      propertyNames: { minLength: 1, maxLength: MAX_GLOB_CHARACTERS },
      maxProperties: MAX_GLOBS,
      description: 'By glob of the tool name',
    }),
  ),
});

const AccessRuleSchema = Strict({
  tenants: Type.Optional(
    Type.Array(Type.String({ maxLength: 100 }), { maxItems: 1_000, description: 'Ids of tenants' }),
  ),
  roles: Type.Optional(Type.Array(StringEnum(ROLES))),
  tools: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_GLOB_CHARACTERS }), {
      maxItems: MAX_GLOBS,
      description: 'Globs',
    }),
  ),
});

export const AccessListSchema = Strict({
  allow: Type.Optional(Type.Array(AccessRuleSchema, { maxItems: 100 })),
  deny: Type.Optional(Type.Array(AccessRuleSchema, { maxItems: 100, description: 'Wins over allow' })),
});
