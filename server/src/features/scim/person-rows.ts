import { iso } from '../../kernel/clock.ts';
import type { UserRow } from '../users/index.ts';
import { ENTERPRISE_SCHEMA, isObject, type Resource, USER, USER_SCHEMA } from './attributes.ts';
import { etagOf, foldName } from './comparing.ts';
import type { DirectoryPersonRow, Membership } from './store.ts';
import { resourceOf } from './values.ts';

/** Between a person's resource and the rows that it is kept in. */

/** What a person's resource says of the account. */
export interface Wanted {
  name: string;
  /** Null where the directory names no address. */
  email: string | null;
  active: boolean;
}

const text = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

const list = (value: unknown): Resource[] => (Array.isArray(value) ? value.filter(isObject) : []);

const ADDRESS = /^[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\]+$/;
/** What nobody sees would make two addresses look like one. */
const UNSEEN = /\p{C}/u;
const isAddress = (value: string | null): value is string =>
  value !== null && value.length <= 320 && ADDRESS.test(value) && !UNSEEN.test(value);

/** The primary address, else the one for work, else the first, else the name in the directory. */
const emailOf = (resource: Resource): string | null => {
  const emails = list(resource.emails);
  const chosen =
    emails.find((email) => email.primary === true) ??
    emails.find((email) => String(email.type).toLowerCase() === 'work') ??
    emails[0];
  return [text(chosen?.value), text(resource.userName)].find(isAddress) ?? null;
};

const nameOf = (resource: Resource): string => {
  const parts = isObject(resource.name) ? resource.name : {};
  const joined = [text(parts.givenName), text(parts.familyName)].filter((part) => part !== null).join(' ');
  const name = text(resource.displayName) ?? text(parts.formatted) ?? text(joined) ?? text(resource.userName);
  return [...(name ?? '')].slice(0, 200).join('');
};

const NOWHERE = '@directory.invalid';

/** In place of an address that the directory does not name: no mail goes there, and nobody is found by it. */
export const noAddress = (personId: string): string => `${personId}${NOWHERE}`;
export const isNoAddress = (email: string): boolean => email.endsWith(NOWHERE);

export const wantedOf = (resource: Resource): Wanted => ({
  name: nameOf(resource),
  email: emailOf(resource),
  active: resource.active !== false,
});

/** What is kept beside the columns. */
export const attributesOf = (resource: Resource): string => {
  const { userName: _name, externalId: _id, active: _active, ...rest } = resource;
  return JSON.stringify(rest);
};

/** What the directory has sent, as PATCH changes it. */
export const storedResource = (row: DirectoryPersonRow, active: boolean): Resource => {
  const kept: unknown = JSON.parse(row.attributes);
  return resourceOf(USER, {
    ...(isObject(kept) ? kept : {}),
    userName: row.user_name,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    active,
  });
};

export const personColumns = (resource: Resource) => ({
  user_name: String(resource.userName).trim(),
  user_name_folded: foldName(String(resource.userName)),
  external_id: text(resource.externalId),
  active: resource.active === false ? 0 : 1,
  attributes: attributesOf(resource),
});

/** As it is answered. `active` is what holds: who was switched off here is not active. */
export const personView = (
  row: DirectoryPersonRow,
  user: Pick<UserRow, 'status'>,
  groups: readonly Membership[],
  base: string,
): Resource => {
  const resource = storedResource(row, user.status !== 'deactivated');
  return {
    schemas: [USER_SCHEMA, ...(resource[ENTERPRISE_SCHEMA] === undefined ? [] : [ENTERPRISE_SCHEMA])],
    id: row.id,
    ...resource,
    ...(groups.length === 0
      ? {}
      : {
          groups: groups.map((group) => ({
            value: group.group_id,
            $ref: `${base}/Groups/${group.group_id}`,
            display: group.display_name,
          })),
        }),
    meta: metaOf('User', row, `${base}/Users/${row.id}`, user.status === 'deactivated'),
  };
};

export const metaOf = (
  resourceType: 'User' | 'Group',
  row: { created_at: number; updated_at: number; version: number },
  location: string,
  off = false,
): Resource => ({
  resourceType,
  created: iso(row.created_at),
  lastModified: iso(row.updated_at),
  location,
  version: etagOf(row.version, off),
});
