import type { Db } from '../../db/db.ts';
import { iso } from '../../kernel/clock.ts';
import { defineTool, READS, refused, said, toolSource } from '../../kernel/define-tool.ts';
import { isUuid } from '../../kernel/ids.ts';
import { Strict } from '../../kernel/schema.ts';
import type { ToolSource } from '../../kernel/tools.ts';
import type { RightsOfUser } from '../audit/index.ts';
import { findUserByEmail, findUserOfTenant } from './store.ts';

/** The caller's own profile, for Hestia, and the look-up of people that AEGIS needs. */

const list = (json: string): string[] => {
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? parsed.filter((item) => typeof item === 'string') : [];
};

/** A person of the tenant by id or e-mail address; null for anybody else. */
export const findRights = async (
  db: Db,
  tenantId: string,
  idOrEmail: string,
): Promise<RightsOfUser | null> => {
  const row = isUuid(idOrEmail)
    ? await findUserOfTenant(db.read, tenantId, idOrEmail)
    : await findUserByEmail(db.read, idOrEmail);
  if (row === undefined || row.tenant_id !== tenantId) return null;
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    roles: list(row.roles),
    permissions: list(row.permissions),
    status: row.status,
  };
};

export const profileTools = (db: Db): ToolSource =>
  toolSource([
    defineTool({
      name: 'get_profile',
      description:
        'Reads the profile of the person who asks: name, e-mail address, roles, tier, member since.',
      input: Strict({}),
      annotations: READS,
      permission: 'conversations:read',
      taint: [],
      async run(_args, { caller }) {
        const row = await findUserOfTenant(db.read, caller.tenantId, caller.userId);
        if (row === undefined) return refused('This account has no profile.');
        const profile = {
          id: row.id,
          name: row.name,
          email: row.email,
          roles: caller.roles,
          tier: caller.tier,
          created_at: iso(row.created_at),
        };
        return said(
          `Name: ${profile.name}\nE-mail: ${profile.email}\nRoles: ${profile.roles.join(', ')}\nTier: ${profile.tier}\nMember since: ${profile.created_at.slice(0, 10)}`,
          profile,
        );
      },
    }),
  ]);
