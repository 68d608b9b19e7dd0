import { type Static, Type } from 'typebox';
import { ROLES } from '../../kernel/caller.ts';
import {
  AnyObject,
  Nullable,
  Page,
  PageQuery,
  Strict,
  StringEnum,
  Timestamp,
  Uuid,
} from '../../kernel/schema.ts';

/** Of SCIM only what the HTTP layer needs: resources are validated by the feature, with the errors of their protocol. */
export const ScimResource = AnyObject({ description: 'A resource or message of RFC 7643 and 7644' });
export const ScimId = Strict({ id: Type.String({ minLength: 1, maxLength: 200 }) });
export const DiscoveryId = Strict({ id: Type.String({ minLength: 1, maxLength: 200 }) });

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));

export const ScimParts = Type.Object({ attributes: text(4_000), excludedAttributes: text(4_000) });

/** Directories add parameters of their own (`aadOptscim062020`), which mean nothing here. */
export const ScimList = Type.Object({
  filter: text(8_000),
  startIndex: text(20),
  count: text(20),
  sortBy: text(200),
  sortOrder: text(20),
  attributes: text(4_000),
  excludedAttributes: text(4_000),
});

export const DirectoryGroup = Type.Object({
  id: Uuid(),
  name: Type.String({ description: 'As the directory names it' }),
  external_id: Nullable(Type.String({ description: 'Id in the directory' })),
  roles: Type.Array(StringEnum(ROLES), { description: 'Roles that its members have by it' }),
  members: Type.Integer({ description: 'How many people are in it' }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});
export type DirectoryGroup = Static<typeof DirectoryGroup>;

export const DirectoryGroupPage = Page(DirectoryGroup);
export const DirectoryGroupQuery = Strict(PageQuery);
export const DirectoryGroupParams = Strict({ id: Uuid() });

export const GroupRoles = Strict({
  roles: Type.Array(StringEnum(ROLES), {
    maxItems: ROLES.length,
    uniqueItems: true,
    description: 'None: the group gives no role',
  }),
});
