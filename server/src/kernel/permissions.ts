import type { Role } from './caller.ts';

/**
 * Every permission of the platform, `<resource>:<action>`. A route names one of these (or says that it is public or for
 * any signed-in caller), so a route without a declared need does not compile.
 */
export const PERMISSIONS = [
  'chat:write',
  'conversations:read',
  'conversations:write',
  'agents:read',
  'agents:manage',
  'knowledge:read',
  'knowledge:write',
  /** To vouch for documents. */
  'knowledge:manage',
  'memory:read',
  'memory:write',
  'mcp:read',
  'mcp:call',
  'mcp:manage',
  'governance:read',
  'governance:propose',
  'governance:vote',
  'tasks:read',
  'tasks:write',
  'costs:read',
  'costs:manage',
  'analytics:read',
  'audit:read',
  'webhooks:read',
  'webhooks:manage',
  'notifications:read',
  'notifications:write',
  'keys:read',
  'keys:write',
  /** One's own name, and the erasure of one's own data. */
  'profile:write',
  'users:read',
  'users:manage',
  'tenants:read',
  'tenants:manage',
  'clients:manage',
  /** For the credential of a company's directory: people and groups by SCIM. */
  'scim:manage',
] as const;

export type Permission = (typeof PERMISSIONS)[number];

export const isPermission = (text: string): text is Permission =>
  (PERMISSIONS as readonly string[]).includes(text);

const READ_OF_A_USER: readonly Permission[] = [
  'conversations:read',
  'agents:read',
  'knowledge:read',
  'memory:read',
  'mcp:read',
  'governance:read',
  'tasks:read',
  'costs:read',
  'notifications:read',
  'keys:read',
];

const USER: readonly Permission[] = [
  ...READ_OF_A_USER,
  'chat:write',
  'conversations:write',
  'knowledge:write',
  'memory:write',
  'mcp:call',
  'governance:propose',
  'tasks:write',
  'notifications:write',
  'keys:write',
  'profile:write',
];

/** The role table of the contract, section 3. */
export const ROLE_PERMISSIONS: Readonly<Record<Role, readonly Permission[]>> = {
  admin: PERMISSIONS,
  operator: [
    ...USER,
    'agents:manage',
    'mcp:manage',
    'governance:vote',
    'webhooks:read',
    'webhooks:manage',
    'analytics:read',
    'audit:read',
    'users:read',
  ],
  analyst: [...USER, 'analytics:read', 'audit:read'],
  user: USER,
  readonly: READ_OF_A_USER,
};

/** Permissions of roles together with those that the credential adds. */
export const effectivePermissions = (roles: readonly Role[], added: readonly string[]): Set<string> => {
  const all = new Set<string>(added);
  for (const role of roles) for (const permission of ROLE_PERMISSIONS[role]) all.add(permission);
  return all;
};
