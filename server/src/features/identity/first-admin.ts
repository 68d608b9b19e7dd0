import type { Db } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import { DEFAULT_TENANT } from '../../kernel/tenant.ts';
import type { Audit } from '../audit/index.ts';
import { findTenantBySlug, insertTenant } from '../tenants/index.ts';
import { foldEmail, insertUser } from '../users/index.ts';
import { hashPassword } from './passwords/hash.ts';
import { newPassword } from './secrets.ts';

export interface FirstAdmin {
  email: string;
  /** To be shown once; null when it was given by a setting, or the admin was there already. */
  password: string | null;
  created: boolean;
}

/** The tenant `default` and its admin, on the first start only: later changes of the settings change nothing. */
export const ensureFirstAdmin = async (options: {
  db: Db;
  clock: Clock;
  audit: Audit;
  email: string;
  password: string | null;
}): Promise<FirstAdmin> => {
  const { db, clock, audit, email } = options;
  if ((await findTenantBySlug(db.read, DEFAULT_TENANT)) !== undefined) {
    return { email, password: null, created: false };
  }
  const password = options.password ?? newPassword();
  const passwordHash = await hashPassword(password);
  const tenantId = newId();
  const userId = newId();
  const at = clock.now();
  await db.write(async (tx) => {
    await insertTenant(tx, {
      id: tenantId,
      slug: DEFAULT_TENANT,
      name: 'Default',
      tier: 'free',
      status: 'active',
      settings: '{}',
      external_id: null,
      created_at: at,
      updated_at: at,
    });
    await insertUser(tx, {
      id: userId,
      tenant_id: tenantId,
      type: 'person',
      email,
      email_folded: foldEmail(email),
      name: 'Admin',
      password_hash: passwordHash,
      password_permissions: null,
      roles: '["admin"]',
      permissions: '[]',
      tier: null,
      status: 'active',
      external_id: null,
      created_at: at,
      updated_at: at,
      last_seen_at: null,
      claims_at: null,
      placed_by_admin: null,
    });
    await audit.append(tx, {
      tenantId,
      actorId: null,
      actorType: 'system',
      action: 'tenant.created',
      targetType: 'tenant',
      targetId: tenantId,
      details: { first_start: true, admin: userId },
    });
  });
  return { email, password: options.password === null ? password : null, created: true };
};
