import type { Db } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Audit } from '../audit/index.ts';
import { webhookEntry } from './audit-entry.ts';
import { aboutWebhookSecret, type WebhookSecretBox } from './ports.ts';
import { ROTATION_OVERLAP_MS } from './rules.ts';
import type { WebhookWithSecret } from './schema.ts';
import { newSigningSecret } from './signing.ts';
import { findWebhook, updateWebhook } from './store.ts';
import { webhookView } from './wire.ts';

/** A new secret; the old one signs along for a day. */
export const createSecretRotation =
  ({ db, clock, box, audit }: { db: Db; clock: Clock; box: WebhookSecretBox; audit: Audit }) =>
  async (caller: Caller, id: string, requestId: string): Promise<WebhookWithSecret> => {
    const secret = newSigningSecret();
    const now = clock.now();
    const row = await db.write(async (tx) => {
      const current = await findWebhook(tx, caller.tenantId, id);
      if (current === undefined) throw notFound('webhook');
      const changed = await updateWebhook(tx, caller.tenantId, id, {
        secret: box.seal(secret, aboutWebhookSecret(current)),
        previous_secret: current.secret,
        previous_secret_until: now + ROTATION_OVERLAP_MS,
        updated_at: now,
      });
      if (changed === undefined) throw notFound('webhook');
      await audit.append(tx, webhookEntry(caller, 'webhook.secret_rotated', id, requestId));
      return changed;
    });
    return { ...webhookView(row, clock.now()), secret };
  };
