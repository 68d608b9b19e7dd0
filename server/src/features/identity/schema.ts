import { type Static, Type } from 'typebox';
import { ROLES, TIERS } from '../../kernel/caller.ts';
import { PERMISSIONS } from '../../kernel/permissions.ts';
import {
  Nullable,
  Page,
  PageQuery,
  ShownOnce,
  Strict,
  StringEnum,
  secretWithheld,
  Timestamp,
  Uuid,
} from '../../kernel/schema.ts';

export const LoginRequest = Strict({
  email: Type.String({ minLength: 1, maxLength: 320 }),
  password: Type.String({ minLength: 1, maxLength: 1024 }),
});

export const RefreshRequest = Strict({ refresh_token: Type.String({ minLength: 1, maxLength: 512 }) });

export const TokenPair = Type.Object({
  access_token: Type.String({ description: 'JWT for the Authorization header' }),
  refresh_token: Type.String({ description: 'For one use; the answer brings its successor' }),
  token_type: Type.Literal('bearer'),
  expires_in: Type.Integer({ description: 'Seconds until the access token expires' }),
});

export const Me = Type.Object({
  sub: Uuid('User id'),
  email: Type.String(),
  name: Type.String(),
  roles: Type.Array(StringEnum(ROLES)),
  org_id: Uuid('Tenant id'),
  permissions: Type.Array(Type.String(), { description: 'Effective permissions, <resource>:<action>' }),
  tier: StringEnum(TIERS),
  platform_admin: Type.Boolean(),
  credential: StringEnum(['jwt', 'api_key', 'personal_token']),
  token_id: Type.String(),
  session_id: Nullable(Type.String()),
  client_id: Nullable(Type.String()),
  scope: Nullable(Type.String()),
  iss: Nullable(Type.String()),
  iat: Nullable(Type.Integer({ description: 'Epoch seconds' })),
  exp: Nullable(Type.Integer({ description: 'Epoch seconds' })),
});
export type MeBody = Static<typeof Me>;

const keyFields = {
  id: Uuid(),
  name: Type.String(),
  hint: Type.String({ description: 'First characters of the secret' }),
  permissions: Nullable(Type.Array(Type.String()), { description: 'null: all that the owner may' }),
  created_at: Timestamp(),
  expires_at: Nullable(Timestamp()),
  last_used_at: Nullable(Timestamp()),
};

const name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });

export const NewApiKey = Strict({
  name,
  permissions: Type.Optional(Type.Array(StringEnum(PERMISSIONS), { maxItems: PERMISSIONS.length })),
  expires_at: Type.Optional(Nullable(Timestamp())),
});
export const ApiKey = Type.Object(keyFields);
export const ApiKeyCreated = Type.Object({
  ...keyFields,
  key: ShownOnce('The secret, shown only now'),
  secret_withheld: secretWithheld(),
});
export const ApiKeyPage = Page(ApiKey);
export const RotateKey = Strict({
  overlap_s: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 30 * 86_400,
      description: 'Seconds for which the old secret still works (default 86400)',
    }),
  ),
});

export const NewPersonalToken = Strict({ name, expires_at: Type.Optional(Nullable(Timestamp())) });
export const PersonalTokenCreated = Type.Object({
  ...keyFields,
  token: ShownOnce('The secret, shown only now'),
  secret_withheld: secretWithheld(),
});

export const IdParams = Strict({ id: Uuid() });
export const ListQuery = Strict(PageQuery);

export const ForgotPassword = Strict({ email: Type.String({ minLength: 1, maxLength: 320 }) });
const newPassword = Type.String({ minLength: 8, maxLength: 1024 });
export const ResetPassword = Strict({
  token: Type.String({ minLength: 1, maxLength: 128 }),
  password: newPassword,
});
export const ChangePassword = Strict({
  current_password: Type.String({ minLength: 1, maxLength: 1024 }),
  new_password: newPassword,
});

export const Session = Type.Object({
  id: Type.String(),
  client_id: Type.String(),
  address: Nullable(Type.String()),
  user_agent: Nullable(Type.String()),
  current: Type.Boolean({ description: 'The session of this request' }),
  created_at: Timestamp(),
  last_used_at: Timestamp(),
  expires_at: Timestamp(),
});
export const SessionList = Type.Object({ items: Type.Array(Session), total: Type.Integer() });
export const SessionParams = Strict({ id: Type.String({ minLength: 1, maxLength: 128 }) });
