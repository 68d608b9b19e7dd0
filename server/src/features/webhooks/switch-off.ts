import type { Db } from '../../db/db.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { ActorGone } from '../../kernel/stored-credential.ts';
import type { Audit } from '../audit/index.ts';
import type { Readings } from './readers.ts';
import { activeOfPerson, cancelPending, disableWebhook, findWebhook, type WebhookRow } from './store.ts';

/** Why the platform itself switches a webhook off. */
export type OffReason = 'gone' | 'failing' | Exclude<ActorGone, 'tenant_suspended'>;

type HookId = Pick<WebhookRow, 'id' | 'tenant_id'>;

export interface SwitchOff {
  /** Off, with what waits for it; audited, and its maker or the tenant's operators are told. */
  now(hook: HookId, reason: OffReason): Promise<void>;
  /** Off where nobody is left to read for it: why, or null while it may go on. */
  ifLost(hook: HookId): Promise<OffReason | null>;
  /** The same later, apart from the work that has found it. */
  lookLater(hook: HookId): void;
  /** After a change of a person's keys or account. */
  lookAtPerson(userId: string): void;
  settled(): Promise<void>;
}

export const createSwitchOff = (options: {
  db: Db;
  clock: Clock;
  audit: Audit;
  readings: Pick<Readings, 'gone'>;
  changed(tenantId: string): void;
  onError(error: unknown, message: string): void;
}): SwitchOff => {
  const { db, clock } = options;
  const looking = new Set<Promise<void>>();

  const now = async (hook: HookId, reason: OffReason): Promise<void> => {
    const at = clock.now();
    const row = await db.write(async (tx) => {
      const off = await disableWebhook(tx, hook, reason, at);
      if (off === undefined) return undefined;
      await cancelPending(tx, hook.id, at);
      await options.audit.append(tx, {
        tenantId: hook.tenant_id,
        actorId: null,
        actorType: 'system',
        action: 'webhook.disabled',
        targetType: 'webhook',
        targetId: hook.id,
        details: { reason },
      });
      await tx.emit({
        type: 'webhook.disabled',
        tenantId: off.tenant_id,
        userId: off.created_by,
        reach: 'own',
        permission: 'webhooks:read',
        data: { webhook_id: off.id, url: off.url, reason },
      });
      return off;
    });
    if (row !== undefined) options.changed(row.tenant_id);
  };

  const ifLost = async (hook: HookId): Promise<OffReason | null> => {
    const row = await findWebhook(db.read, hook.tenant_id, hook.id);
    if (row === undefined || row.status !== 'active') return null;
    const gone = await options.readings.gone(db.read, row);
    if (gone === null || gone === 'tenant_suspended') return null;
    await now(row, gone);
    return gone;
  };

  const later = (work: Promise<unknown>): void => {
    const done = work
      .then(() => {})
      .catch((error: unknown) =>
        options.onError(error, 'a webhook without a reader could not be switched off'),
      )
      .finally(() => looking.delete(done));
    looking.add(done);
  };

  return {
    now,
    ifLost,
    lookLater: (hook) => later(ifLost(hook)),
    lookAtPerson(userId) {
      later(
        activeOfPerson(db.read, userId).then(async (hooks) => {
          for (const hook of hooks) await ifLost(hook);
        }),
      );
    },
    async settled() {
      while (looking.size > 0) await Promise.all(looking);
    },
  };
};
