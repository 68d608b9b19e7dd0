import { ROLES, type Role } from '../../../kernel/caller.ts';
import { isPermission } from '../../../kernel/permissions.ts';

/**
 * The claim map of external providers (docs/security.md): where Zitadel, Keycloak and providers that speak the
 * specification's own claims put a person's name, organisation and roles.
 */
export interface ExternalPerson {
  subject: string;
  email: string;
  name: string;
  /** Null when the token says nothing of roles: those of the account stay. */
  roles: Role[] | null;
  permissions: string[];
  organisation: { id: string; name: string } | null;
}

type Claims = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Text that every store can keep; null for what is none. */
const text = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.isWellFormed() && !value.includes('\u0000')
    ? value
    : null;
/** OpenID Connect Core, 2: at most 255 characters. A longer name of a record fits no index. */
const identifier = (value: unknown): string | null => {
  const given = text(value);
  return given === null || given.length > 255 ? null : given;
};
const shortened = (given: string): string => [...given].slice(0, 200).join('');
/** One address and nothing that a mail server would read as more: some providers let people write it themselves. */
const address = (value: unknown): string | null =>
  typeof value === 'string' &&
  /^[^\s@<>"(),:;\\]+@[^\s@<>"(),:;\\]+$/.test(value) &&
  value.length <= 320 &&
  text(value) !== null
    ? value
    : null;

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

const ZITADEL_ROLES = /^urn:zitadel:iam:org:project:(?:[^:]+:)?roles$/;

/** Zitadel: `{"admin": {"<org id>": "<org domain>"}}`, under one claim or one for each project. Only of the own organisation. */
const zitadelRoles = (claims: Claims, organisationId: string | null): string[] | null => {
  const found = Object.entries(claims).filter(([name]) => ZITADEL_ROLES.test(name));
  if (found.length === 0) return null;
  const names: string[] = [];
  for (const [, roles] of found) {
    if (!isObject(roles)) continue;
    for (const [name, organisations] of Object.entries(roles)) {
      const granted = isObject(organisations) ? Object.keys(organisations) : [];
      if (organisationId === null || granted.includes(organisationId)) names.push(name);
    }
  }
  return names;
};

/** Keycloak: `realm_access.roles` and `resource_access.<client>.roles`. */
const keycloakRoles = (claims: Claims, clientId: string): string[] | null => {
  const { realm_access: realm, resource_access: resources } = claims;
  const client = isObject(resources) ? resources[clientId] : undefined;
  if (!isObject(realm) && !isObject(client)) return null;
  return [...strings(isObject(realm) ? realm.roles : []), ...strings(isObject(client) ? client.roles : [])];
};

const plainRoles = (claims: Claims): string[] | null =>
  Array.isArray(claims.roles) ? strings(claims.roles) : null;

/** Keycloak 26: `organization` is a list of names, or an object of them with ids. */
const keycloakOrganisation = (claims: Claims): { id: string; name: string } | null => {
  const { organization } = claims;
  if (Array.isArray(organization)) {
    const name = identifier(organization[0]);
    return name === null ? null : { id: name, name };
  }
  if (!isObject(organization)) return null;
  const [first] = Object.entries(organization);
  if (first === undefined) return null;
  const [key, details] = first;
  const name = identifier(key);
  return name === null ? null : { id: (isObject(details) ? identifier(details.id) : null) ?? name, name };
};

const organisationOf = (claims: Claims): { id: string; name: string } | null => {
  const zitadel = identifier(claims['urn:zitadel:iam:user:resourceowner:id']);
  if (zitadel !== null) {
    return {
      id: zitadel,
      name: shortened(text(claims['urn:zitadel:iam:user:resourceowner:name']) ?? zitadel),
    };
  }
  const plain = identifier(claims.org_id);
  if (plain !== null) return { id: plain, name: shortened(text(claims.org_name) ?? plain) };
  return keycloakOrganisation(claims);
};

/** Null for claims without a subject. */
export const personOf = (claims: Claims, clientId: string): ExternalPerson | null => {
  const subject = identifier(claims.sub);
  if (subject === null) return null;
  const organisation = organisationOf(claims);
  const named =
    zitadelRoles(claims, organisation?.id ?? null) ?? keycloakRoles(claims, clientId) ?? plainRoles(claims);
  const username = text(claims.preferred_username) ?? text(claims.username);
  return {
    subject,
    email: address(claims.email) ?? address(username) ?? `${subject}@external.invalid`,
    name: shortened(text(claims.name) ?? username ?? subject),
    roles: named === null ? null : ROLES.filter((role) => named.includes(role)),
    permissions: strings(claims.permissions).filter(isPermission),
    organisation,
  };
};

/** Slug for an organisation's tenant: its name in the alphabet of slugs; never empty. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40)
    .replace(/-$/, '') || 'org';
