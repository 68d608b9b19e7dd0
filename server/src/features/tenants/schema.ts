import { type Static, Type } from 'typebox';
import { TIERS } from '../../kernel/caller.ts';
import {
  AnyObject,
  Email,
  Page,
  PageQuery,
  ShownOnce,
  Slug,
  Strict,
  StringEnum,
  secretWithheld,
  Timestamp,
  Uuid,
} from '../../kernel/schema.ts';

export const TENANT_STATUSES = ['active', 'suspended'] as const;

const name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });
const settings = AnyObject({
  description: '`timezone` (IANA) is what days and months of costs go by; the rest is free, up to 32 KiB',
});

export const Tenant = Type.Object({
  id: Uuid(),
  name: Type.String(),
  slug: Type.String(),
  tier: StringEnum(TIERS),
  status: StringEnum(TENANT_STATUSES),
  settings: AnyObject(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});
export type TenantBody = Static<typeof Tenant>;

export const TenantPage = Page(Tenant);

export const TenantCreated = Type.Object({
  ...Tenant.properties,
  admin: Type.Optional(
    Type.Object({
      id: Uuid(),
      email: Type.String(),
      invitation_url: Type.Optional(ShownOnce('Once, when no password was given')),
    }),
  ),
  secret_withheld: secretWithheld(),
});

export const NewTenant = Strict({
  name,
  slug: Slug,
  tier: Type.Optional(StringEnum(TIERS)),
  settings: Type.Optional(settings),
  admin: Type.Optional(
    Strict({
      email: Email,
      password: Type.Optional(Type.String({ minLength: 8, maxLength: 1024 })),
    }),
  ),
});

export const TenantChange = Strict(
  {
    name: Type.Optional(name),
    slug: Type.Optional(Slug),
    tier: Type.Optional(StringEnum(TIERS)),
    status: Type.Optional(StringEnum(TENANT_STATUSES)),
    settings: Type.Optional(settings),
  },
  { minProperties: 1 },
);

export const TenantQuery = Strict(PageQuery);
export const TenantParams = Strict({ id: Uuid() });
