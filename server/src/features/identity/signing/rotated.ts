import type { Queryable } from '../../../db/db.ts';
import { DEFAULT_TENANT } from '../../../kernel/tenant.ts';
import type { Audit } from '../../audit/index.ts';
import { findTenantBySlug } from '../../tenants/index.ts';

/** The row of a new signing key, in the chain of the tenant `default`; the very first key is older than that tenant. */
export const noteRotation =
  (audit: Audit) =>
  async (tx: Queryable, kid: string): Promise<void> => {
    const tenant = await findTenantBySlug(tx, DEFAULT_TENANT);
    if (tenant === undefined) return;
    await audit.append(tx, {
      tenantId: tenant.id,
      actorId: null,
      actorType: 'system',
      action: 'signing_key.rotated',
      targetType: 'signing_key',
      targetId: kid,
    });
  };
