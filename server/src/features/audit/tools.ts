import { Type } from 'typebox';
import type { Db } from '../../db/db.ts';
import { type Caller, ROLES, type Role } from '../../kernel/caller.ts';
import { iso } from '../../kernel/clock.ts';
import { defineTool, READS, refused, said, toolSource } from '../../kernel/define-tool.ts';
import { effectivePermissions, ROLE_PERMISSIONS } from '../../kernel/permissions.ts';
import { Strict, StringEnum, Timestamp } from '../../kernel/schema.ts';
import type { AgentTool, ToolOutcome, ToolSource } from '../../kernel/tools.ts';
import { scanText } from './scan.rules.ts';
import { type AuditEventRow, listRows } from './store.ts';

/** What AEGIS reads: the audit trail, who may do what, and signs in a text. */

/** A person of the tenant, as far as rights are concerned. */
export interface RightsOfUser {
  id: string;
  email: string;
  name: string;
  roles: readonly string[];
  /** Beyond those of the roles. */
  permissions: readonly string[];
  status: string;
}

export interface AuditToolsDeps {
  db: Db;
  /** By id or e-mail address, within the tenant. */
  findUser(tenantId: string, idOrEmail: string): Promise<RightsOfUser | null>;
}

const MAX_SCAN = 50_000;

const line = (row: AuditEventRow): string =>
  `- ${iso(row.created_at)} ${row.action} (${row.outcome}) by ${row.actor_id ?? row.actor_type}${row.target_id === null ? '' : ` on ${row.target_type ?? ''} ${row.target_id}`.replace(/ {2,}/g, ' ')}${row.address === null ? '' : ` from ${row.address}`}`;

const dataOf = (row: AuditEventRow) => ({
  at: iso(row.created_at),
  action: row.action,
  outcome: row.outcome,
  actor: row.actor_id ?? row.actor_type,
  target: row.target_id,
  address: row.address,
});

const ReadAudit = Strict({
  action: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'Whole action or its beginning: session (sign-ins: session.created, session.refused, session.revoked), user, token, tenant, costs, mcp, …',
    }),
  ),
  outcome: Type.Optional(StringEnum(['success', 'refused', 'failed'])),
  actor: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'Id of who acted' })),
  target: Type.Optional(
    Type.String({ minLength: 1, maxLength: 128, description: 'Id of what was acted on' }),
  ),
  from: Type.Optional(Timestamp()),
  to: Type.Optional(Timestamp()),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Default 20' })),
});

const time = (text: string | undefined): number | undefined => {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? undefined : at;
};
const readAudit = ({ db }: Pick<AuditToolsDeps, 'db'>): AgentTool =>
  defineTool({
    name: 'read_audit',
    description:
      'Reads the audit trail of the organisation, newest first: who did what, when, from which address, and whether it was refused. Failed sign-ins are action session with outcome refused.',
    input: ReadAudit,
    annotations: READS,
    permission: 'audit:read',
    async run(args, { caller }) {
      const limit = args.limit ?? 20;
      const { rows, total } = await listRows(
        db.read,
        {
          tenantId: caller.tenantId,
          action: args.action,
          outcome: args.outcome,
          actor: args.actor,
          target: args.target,
          from: time(args.from),
          to: time(args.to),
        },
        { page: 1, limit, after: null },
      );
      const shown = rows.slice(0, limit);
      return said(
        total === 0
          ? 'The audit trail holds no such event.'
          : `${total} events${total > shown.length ? `, the newest ${shown.length}` : ''}:\n${shown.map(line).join('\n')}`,
        { total, events: shown.map(dataOf) },
      );
    },
  });

const rightsOfRole = (role: Role): ToolOutcome => {
  const permissions = [...ROLE_PERMISSIONS[role]].sort();
  return said(`The role ${role} may: ${permissions.join(', ')}.`, { role, permissions });
};

const ownRights = (caller: Caller): ToolOutcome => {
  const permissions = [...caller.permissions].sort();
  return said(`You (${caller.email}, ${caller.roles.join(', ')}) may: ${permissions.join(', ')}.`, {
    user: { id: caller.userId, email: caller.email, roles: caller.roles },
    permissions,
  });
};

/** Whether `user` means the caller. */
const isCaller = (user: string, caller: Caller): boolean =>
  /^me$/i.test(user) || user === caller.userId || user.toLowerCase() === caller.email.toLowerCase();

const rightsOfOther = async (
  deps: Pick<AuditToolsDeps, 'findUser'>,
  caller: Caller,
  user: string,
): Promise<ToolOutcome> => {
  if (!caller.permissions.has('users:read'))
    return refused('Reading the rights of other people needs the permission users:read.');
  const found = await deps.findUser(caller.tenantId, user);
  if (found === null) return refused('There is no such person in this organisation.');
  const roles = ROLES.filter((role) => found.roles.includes(role));
  const permissions =
    found.status === 'active' ? [...effectivePermissions(roles, found.permissions)].sort() : [];
  return said(
    `${found.name} (${found.email}, ${roles.join(', ')}, ${found.status}) may: ${permissions.join(', ') || 'nothing'}.`,
    { user: { id: found.id, email: found.email, roles, status: found.status }, permissions },
  );
};

const rightsOfRoles = (): ToolOutcome => {
  const roles = ROLES.map((role) => ({ role, permissions: [...ROLE_PERMISSIONS[role]].sort() }));
  return said(
    roles
      .map(({ role, permissions }) =>
        role === 'admin' ? '- admin: everything' : `- ${role}: ${permissions.join(', ')}`,
      )
      .join('\n'),
    { roles },
  );
};

const listPermissions = (deps: Pick<AuditToolsDeps, 'findUser'>): AgentTool =>
  defineTool({
    name: 'list_permissions',
    description:
      'Lists what the roles of the platform may do, or what one person may do (by id or e-mail address; one’s own rights without any).',
    input: Strict({
      user: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 320,
          description: 'Id or e-mail address; "me" for oneself',
        }),
      ),
      role: Type.Optional(StringEnum(ROLES)),
    }),
    annotations: READS,
    permission: 'agents:read',
    async run(args, { caller }) {
      if (args.role !== undefined) return rightsOfRole(args.role);
      if (args.user === undefined) return rightsOfRoles();
      if (isCaller(args.user, caller)) return ownRights(caller);
      return rightsOfOther(deps, caller, args.user);
    },
  });

const scanContent = defineTool({
  name: 'scan_content',
  description:
    'Examines a text by written rules for signs of prompt injection, secrets and personal data. Finds common forms only: a clean result does not prove that a text is harmless.',
  input: Strict({ text: Type.String({ minLength: 1, maxLength: MAX_SCAN, pattern: '\\S' }) }),
  annotations: READS,
  permission: 'chat:write',
  run(args) {
    const findings = scanText(args.text);
    const structured = { characters: args.text.length, findings };
    if (findings.length === 0) {
      return said(
        `No sign of injection, secrets or personal data in ${args.text.length} characters. The rules know common forms only.`,
        structured,
      );
    }
    const name = { injection: 'injection', secret: 'secret', personal_data: 'personal data' };
    return said(
      `${findings.length} signs found:\n${findings.map((f) => `- ${name[f.kind]}: ${f.sign}, at character ${f.at + 1}: ${f.excerpt}`).join('\n')}`,
      structured,
    );
  },
});

export const auditTools = (deps: AuditToolsDeps): ToolSource =>
  toolSource([readAudit(deps), listPermissions(deps), scanContent]);
