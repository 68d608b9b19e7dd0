import type { User } from 'pentarch-sdk';

/**
 * What each role may, as the server has it (server/src/kernel/permissions.ts; the API does not tell it).
 * server/test/console-roles.test.ts holds both to each other.
 */
export type Role = User['roles'][number];
export const ROLES: readonly Role[] = ['admin', 'operator', 'analyst', 'user', 'readonly'];

export const ABOUT: Readonly<Record<Role, string>> = {
  admin: 'Everything in the organisation.',
  operator: 'Runs it: agents, MCP servers, webhooks, votes on proposals.',
  analyst: 'Uses it, and sees everybody’s costs and the audit.',
  user: 'Chats, uploads, remembers, schedules and proposes.',
  readonly: 'Only looks.',
};

/** By resource: each action, and who may it besides the admin, who may everything. */
type Others = readonly Exclude<Role, 'admin'>[];
const EVERYBODY: Others = ['operator', 'analyst', 'user', 'readonly'];
const USERS: Others = ['operator', 'analyst', 'user'];
const OPERATORS: Others = ['operator'];
const OBSERVERS: Others = ['operator', 'analyst'];
const NOBODY: Others = [];

export const RIGHTS: readonly {
  resource: string;
  label: string;
  actions: readonly { action: string; others: Others }[];
}[] = [
  { resource: 'chat', label: 'Chat', actions: [{ action: 'write', others: USERS }] },
  {
    resource: 'conversations',
    label: 'Conversations',
    actions: [
      { action: 'read', others: EVERYBODY },
      { action: 'write', others: USERS },
    ],
  },
  {
    resource: 'agents',
    label: 'Agents',
    actions: [
      { action: 'read', others: EVERYBODY },
      { action: 'manage', others: OPERATORS },
    ],
  },
  {
    resource: 'knowledge',
    label: 'Knowledge',
    actions: [
      { action: 'read', others: EVERYBODY },
      { action: 'write', others: USERS },
      { action: 'manage', others: NOBODY },
    ],
  },
  {
    resource: 'memory',
    label: 'Memory',
    actions: [
      { action: 'read', others: EVERYBODY },
      { action: 'write', others: USERS },
    ],
  },
  {
    resource: 'mcp',
    label: 'MCP',
    actions: [
      { action: 'read', others: EVERYBODY },
      { action: 'call', others: USERS },
      { action: 'manage', others: OPERATORS },
    ],
  },
  {
    resource: 'governance',
    label: 'Governance',
    actions: [
      { action: 'read', others: EVERYBODY },
      { action: 'propose', others: USERS },
      { action: 'vote', others: OPERATORS },
    ],
  },
  {
    resource: 'tasks',
    label: 'Tasks',
    actions: [
      { action: 'read', others: EVERYBODY },
      { action: 'write', others: USERS },
    ],
  },
  {
    resource: 'costs',
    label: 'Own costs',
    actions: [
      { action: 'read', others: EVERYBODY },
      { action: 'manage', others: NOBODY },
    ],
  },
  { resource: 'analytics', label: 'Costs of everybody', actions: [{ action: 'read', others: OBSERVERS }] },
  { resource: 'audit', label: 'Audit', actions: [{ action: 'read', others: OBSERVERS }] },
  {
    resource: 'webhooks',
    label: 'Webhooks',
    actions: [
      { action: 'read', others: OPERATORS },
      { action: 'manage', others: OPERATORS },
    ],
  },
  {
    resource: 'notifications',
    label: 'Notifications',
    actions: [
      { action: 'read', others: EVERYBODY },
      { action: 'write', others: USERS },
    ],
  },
  {
    resource: 'keys',
    label: 'Own tokens and keys',
    actions: [
      { action: 'read', others: EVERYBODY },
      { action: 'write', others: USERS },
    ],
  },
  { resource: 'profile', label: 'Own profile', actions: [{ action: 'write', others: USERS }] },
  {
    resource: 'users',
    label: 'Users',
    actions: [
      { action: 'read', others: OPERATORS },
      { action: 'manage', others: NOBODY },
    ],
  },
  {
    resource: 'tenants',
    label: 'Tenants',
    actions: [
      { action: 'read', others: NOBODY },
      { action: 'manage', others: NOBODY },
    ],
  },
  { resource: 'clients', label: 'OAuth clients', actions: [{ action: 'manage', others: NOBODY }] },
  { resource: 'scim', label: 'Company directory (SCIM)', actions: [{ action: 'manage', others: NOBODY }] },
];

/** Permissions of a role, as the API names them. */
export const permissionsOf = (role: Role): readonly string[] =>
  RIGHTS.flatMap(({ resource, actions }) =>
    actions
      .filter(({ others }) => role === 'admin' || others.includes(role))
      .map(({ action }) => `${resource}:${action}`),
  );
