import { type Static, Type } from 'typebox';
import { ROLES, TIERS } from '../../kernel/caller.ts';
import { PERMISSIONS } from '../../kernel/permissions.ts';
import {
  AnyObject,
  Email,
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

export const USER_TYPES = ['person', 'service'] as const;
export const USER_STATUSES = ['active', 'invited', 'deactivated'] as const;

const name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });
const roles = Type.Array(StringEnum(ROLES), { minItems: 1, maxItems: ROLES.length, uniqueItems: true });
const permissions = Type.Array(StringEnum(PERMISSIONS), {
  maxItems: PERMISSIONS.length,
  uniqueItems: true,
  description: 'Permissions beyond those of the roles',
});

export const User = Type.Object({
  id: Uuid(),
  type: StringEnum(USER_TYPES),
  email: Type.String(),
  name: Type.String(),
  roles: Type.Array(StringEnum(ROLES)),
  permissions: Type.Array(Type.String(), { description: 'Permissions beyond those of the roles' }),
  tenant_id: Uuid(),
  tier: StringEnum(TIERS, { description: "The tenant's, or the override of this account" }),
  status: StringEnum(USER_STATUSES),
  created_at: Timestamp(),
  last_seen_at: Nullable(Timestamp()),
});
export type UserBody = Static<typeof User>;

export const UserPage = Page(User);

export const UserCreated = Type.Object({
  ...User.properties,
  invitation_url: Type.Optional(ShownOnce('Once, when no password was given')),
  secret_withheld: secretWithheld(),
});

export const NewUser = Strict({
  email: Email,
  name: Type.Optional(name),
  password: Type.Optional(Type.String({ minLength: 8, maxLength: 1024 })),
  roles: Type.Optional(roles),
  permissions: Type.Optional(permissions),
  type: Type.Optional(StringEnum(USER_TYPES)),
  tier: Type.Optional(Nullable(StringEnum(TIERS))),
  tenant_id: Type.Optional(Uuid('Another tenant: platform administrators only')),
});

export const UserChange = Strict(
  {
    name: Type.Optional(name),
    roles: Type.Optional(roles),
    permissions: Type.Optional(permissions),
    tier: Type.Optional(Nullable(StringEnum(TIERS))),
    status: Type.Optional(StringEnum(['active', 'deactivated'])),
  },
  { minProperties: 1 },
);

export const UserMove = Strict({
  tenant_id: Uuid('Tenant that the person goes to'),
  roles: Type.Optional(roles),
});

export const UserMoved = Type.Object({
  ...User.properties,
  moved_from: Uuid('The account before: deactivated, with everything that was written in its tenant'),
});

export const MyChange = Strict({ name: Type.Optional(name) }, { minProperties: 1 });

export const UserQuery = Strict({
  ...PageQuery,
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name or e-mail' })),
  status: Type.Optional(StringEnum(USER_STATUSES)),
  type: Type.Optional(StringEnum(USER_TYPES)),
});

export const LinkAnswer = Type.Object({
  url: Nullable(ShownOnce('The link, shown only now'), { description: 'null when it went out by mail' }),
  secret_withheld: secretWithheld(),
});

export const UserExport = Type.Object({
  user: User,
  exported_at: Timestamp(),
  data: AnyObject({ description: 'Content by feature' }),
});

export const Erased = Type.Object({
  user_id: Uuid(),
  erased: Type.Record(Type.String(), Type.Integer(), { description: 'Records erased by feature' }),
});

export const UserParams = Strict({ id: Uuid() });
