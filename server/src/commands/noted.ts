import type { Config } from '../config.ts';
import type { Db } from '../db/db.ts';
import { findTenantBySlug } from '../features/tenants/index.ts';
import { auditOf } from './audit.ts';
import type { Io } from './command.ts';
import { platformKeysOf } from './keys.ts';
import { openForCommand } from './store.ts';

interface Entry {
  tenant: string;
  action: 'platform.backed_up' | 'tenant.exported';
}

const write = async (db: Db, config: Config, io: Pick<Io, 'now'>, entry: Entry): Promise<void> => {
  const audit = await auditOf(db, platformKeysOf(config), { now: io.now });
  await db.write(async (tx) => {
    const tenant = await findTenantBySlug(tx, entry.tenant);
    if (tenant === undefined) return;
    await audit.append(tx, {
      tenantId: tenant.id,
      actorId: null,
      actorType: 'system',
      action: entry.action,
      targetType: 'tenant',
      targetId: entry.action === 'tenant.exported' ? tenant.id : null,
      details: { by: 'command' },
    });
  });
};

/**
 * A row of the audit chain for what leaves the platform by a command: before the first byte is written, since an export that
 * nobody can see must not exist. `tenant`: the slug of whose chain it stands in. Where the row cannot be written (a full disk, a
 * store of another release) that is said, and the command goes on: a backup is needed most in such a moment.
 */
export const noteExport = async (
  config: Config,
  io: Pick<Io, 'now' | 'out'>,
  entry: Entry,
): Promise<void> => {
  try {
    const db = await openForCommand(config);
    await write(db, config, io, entry).finally(() => db.close());
  } catch (error) {
    io.out(`not in the audit chain: ${error instanceof Error ? error.message : String(error)}`);
  }
};
