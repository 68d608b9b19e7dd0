import { ROLES, type Role } from '../../../kernel/caller.ts';
import { isPermission } from '../../../kernel/permissions.ts';

/**
 * The claim map of external providers (docs/security.md): where Zitadel, Keycloak and providers that speak the
 * specification's own claims put a person's name, organisation and roles.
 */
export interface Organisation {
  id: string;
  name: string;
}

export interface ExternalPerson {
  subject: string;
  email: string;
  /** The address where the provider says that it is proved; nobody is found by another one. */
  provedEmail: string | null;
  /** Microsoft's id of the person, which is the same for every application; its `sub` is not. */
  objectId: string | null;
  name: string;
  /** Null when the token says nothing of roles: those of the account stay. */
  roles: Role[] | null;
  /** Every role as the provider spells it, as far as it counts for the person's organisation. */
  roleNames: readonly string[];
  permissions: string[];
  organisation: Organisation | null;
  /** Why it cannot be said which organisation the token is for; null when it can, or when it names none. */
  organisationFault: string | null;
}

export interface ClaimOptions {
  /** Of this API at the provider (IDP_CLIENT_ID): whose `resource_access` counts. */
  clientId: string;
  /** Zitadel project whose roles alone count (IDP_PROJECT_ID); null for those of every project. */
  projectId: string | null;
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

/** Roles that a map gives: `{"<role>": {"<organisation id>": "<its domain>"}}`, or a list of such objects. */
const rolesGivenIn = (map: unknown, organisationId: string): string[] =>
  (Array.isArray(map) ? map : [map]).filter(isObject).flatMap((roles) =>
    Object.entries(roles)
      .filter(([, organisations]) => isObject(organisations) && Object.hasOwn(organisations, organisationId))
      .map(([role]) => role),
  );

const ZITADEL_ROLES = /^urn:zitadel:iam:org:project:(?:([^:]+):)?roles$/;

/**
 * Zitadel, under one claim or one for each project. Each role names the organisations that it is given for: it counts for the
 * person's own alone, and without one none counts, whoever else gave it.
 */
const zitadelRoles = (
  claims: Claims,
  organisation: Organisation | null,
  projectId: string | null,
): string[] | null => {
  const maps = Object.entries(claims).flatMap(([name, map]) => {
    const match = ZITADEL_ROLES.exec(name);
    return match === null ? [] : [{ project: match[1] ?? null, map }];
  });
  if (maps.length === 0) return null;
  if (organisation === null) return [];
  return maps
    .filter(({ project }) => projectId === null || project === projectId)
    .flatMap(({ map }) => rolesGivenIn(map, organisation.id));
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

interface OrganisationClaim {
  organisation: Organisation | null;
  fault: string | null;
}

/** A claim that is there and says nothing: the person has no organisation. */
const isNothing = (claim: unknown): boolean =>
  claim === undefined ||
  claim === null ||
  claim === '' ||
  (Array.isArray(claim) && claim.length === 0) ||
  (isObject(claim) && Object.keys(claim).length === 0);

/** A name that cannot be read is no reason to take its bearer for somebody without an organisation. */
const unreadable = (claim: string): OrganisationClaim => ({
  organisation: null,
  fault: `the claim ${claim} names an organisation in a form that is not known here`,
});

/** Keycloak: `organization` is an alias, a list of aliases, or an object of them with ids. Null for any other form. */
const keycloakOrganisations = (claim: unknown): (Organisation & { alias: string })[] | null => {
  if (isNothing(claim)) return [];
  const entries: [unknown, unknown][] = isObject(claim)
    ? Object.entries(claim)
    : Array.isArray(claim)
      ? claim.map((alias: unknown) => [alias, null])
      : [[claim, null]];
  const all = entries.flatMap(([key, details]) => {
    const alias = identifier(key);
    const named: unknown = isObject(details) ? details.id : undefined;
    const id = isNothing(named) ? alias : identifier(named);
    return alias === null || id === null ? [] : [{ id, name: shortened(alias), alias }];
  });
  return all.length === entries.length ? all : null;
};

const SCOPE_ORGANISATION = /^organization:(.+)$/;

/** Of several the one that the token's `scope` asks for by alias or id; which is first says nothing. */
const keycloakOrganisation = (claims: Claims): OrganisationClaim => {
  const all = keycloakOrganisations(claims.organization);
  if (all === null) return unreadable('organization');
  const [only] = all;
  if (only === undefined) return { organisation: null, fault: null };
  const scopes = typeof claims.scope === 'string' ? claims.scope.split(' ') : [];
  const asked = new Set(scopes.flatMap((scope) => SCOPE_ORGANISATION.exec(scope)?.[1] ?? []));
  const fitting = all.length === 1 ? all : all.filter(({ alias, id }) => asked.has(alias) || asked.has(id));
  const [chosen] = fitting;
  if (fitting.length !== 1 || chosen === undefined) {
    return {
      organisation: null,
      fault: 'the token names several organisations; ask for one with the scope organization:<alias>',
    };
  }
  return { organisation: { id: chosen.id, name: chosen.name }, fault: null };
};

const ZITADEL_OWNER = 'urn:zitadel:iam:user:resourceowner';
const ZITADEL_ORG_ID = /^urn:zitadel:iam:org:id(?::(.+))?$/;

/** Ids of organisations that the request asked for: they say what was wanted, and not where the person belongs. */
const askedOfZitadel = (claims: Claims): string[] =>
  Object.entries(claims).flatMap(([name, value]) => {
    const match = ZITADEL_ORG_ID.exec(name);
    if (match === null) return [];
    const id = match[1] ?? identifier(value);
    return id === null ? [] : [id];
  });

const organisationOf = (claims: Claims): OrganisationClaim => {
  for (const claim of [`${ZITADEL_OWNER}:id`, 'org_id']) {
    if (!isNothing(claims[claim]) && identifier(claims[claim]) === null) return unreadable(claim);
  }
  const owner = identifier(claims[`${ZITADEL_OWNER}:id`]);
  if (owner !== null) {
    if (askedOfZitadel(claims).some((id) => id !== owner)) {
      return { organisation: null, fault: 'the token was asked for another organisation than the person’s' };
    }
    return {
      organisation: { id: owner, name: shortened(text(claims[`${ZITADEL_OWNER}:name`]) ?? owner) },
      fault: null,
    };
  }
  const plain = identifier(claims.org_id);
  if (plain !== null) {
    return { organisation: { id: plain, name: shortened(text(claims.org_name) ?? plain) }, fault: null };
  }
  return keycloakOrganisation(claims);
};

const MICROSOFT = /^https:\/\/(login\.microsoftonline\.com|sts\.windows\.net)\//;

/** Null for claims without a subject. */
export const personOf = (claims: Claims, options: ClaimOptions): ExternalPerson | null => {
  const subject = identifier(claims.sub);
  if (subject === null) return null;
  const { organisation, fault } = organisationOf(claims);
  const zitadel = zitadelRoles(claims, organisation, options.projectId);
  const named = zitadel ?? keycloakRoles(claims, options.clientId) ?? plainRoles(claims);
  const username = text(claims.preferred_username) ?? text(claims.username);
  return {
    subject,
    email: address(claims.email) ?? address(username) ?? `${subject}@external.invalid`,
    provedEmail: claims.email_verified === true ? address(claims.email) : null,
    objectId: typeof claims.iss === 'string' && MICROSOFT.test(claims.iss) ? identifier(claims.oid) : null,
    name: shortened(text(claims.name) ?? username ?? subject),
    roles: named === null ? null : ROLES.filter((role) => named.includes(role)),
    roleNames: named ?? [],
    // Without the organisation that its roles are given for, a token has nothing else that would count somewhere else.
    permissions:
      zitadel !== null && organisation === null ? [] : strings(claims.permissions).filter(isPermission),
    organisation,
    organisationFault: fault,
  };
};

const ROLE_PREFIX = 'role:';

export interface PlatformAdmins {
  subjects: ReadonlySet<string>;
  roles: ReadonlySet<string>;
}

/** IDP_PLATFORM_ADMINS: subjects, and roles as `role:<name>`. */
export const platformAdminsOf = (entries: readonly string[]): PlatformAdmins => ({
  subjects: new Set(entries.filter((entry) => !entry.startsWith(ROLE_PREFIX))),
  roles: new Set(
    entries
      .filter((entry) => entry.startsWith(ROLE_PREFIX))
      .map((entry) => entry.slice(ROLE_PREFIX.length))
      // Whoever administers an organisation gives these; the configuration refuses them too.
      .filter((role) => !(ROLES as readonly string[]).includes(role)),
  ),
});

/** Whether the token makes its bearer a platform administrator. No role of the platform's own names does. */
export const isNamedPlatformAdmin = (
  admins: PlatformAdmins,
  person: Pick<ExternalPerson, 'subject' | 'roleNames'>,
): boolean => admins.subjects.has(person.subject) || person.roleNames.some((role) => admins.roles.has(role));

/** Slug for an organisation's tenant: its name in the alphabet of slugs; never empty. */
export const tenantSlugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40)
    .replace(/-$/, '') || 'org';
