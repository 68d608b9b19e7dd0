import type { Db } from '../../db/db.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { conflict, invalid, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import { type PageResult, pageRequest, pageResult } from '../../kernel/pagination.ts';
import { credentialText } from '../../kernel/stored-credential.ts';
import type { Audit } from '../audit/index.ts';
import { webhookEntry } from './audit-entry.ts';
import { webhookOf } from './lookup.ts';
import { aboutWebhookSecret, type WebhookSecretBox } from './ports.ts';
import { type Readings, readersAfter } from './readers.ts';
import type { CreateWebhook, PatchWebhook, Webhook, WebhookWithSecret } from './schema.ts';
import { newSigningSecret } from './signing.ts';
import {
  cancelPending,
  countWebhooks,
  deleteWebhook,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  updateWebhook,
  type WebhookRow,
} from './store.ts';
import { webhookView } from './wire.ts';

export interface SubscriptionsOptions {
  db: Db;
  clock: Clock;
  http: Pick<OutgoingHttp, 'check'>;
  box: WebhookSecretBox;
  audit: Audit;
  readings: Pick<Readings, 'takenOver'>;
  /** After a change of what is sent where. */
  changed(tenantId: string): void;
}

const MAX_PER_TENANT = 100;

/** Throws VALIDATION_ERROR for an address that is not called. */
export const checkWebhookUrl = (http: Pick<OutgoingHttp, 'check'>, url: string): void => {
  const reason = http.check(url);
  if (reason !== null) throw invalid({ field: '/url', reason });
};

/** Which addresses a tenant has subscribed to which events. */
export const createSubscriptions = (options: SubscriptionsOptions) => {
  const { db, clock, http, box, audit, changed } = options;

  return {
    async list(
      caller: Caller,
      query: { page?: number; limit?: number; cursor?: string },
    ): Promise<PageResult<Webhook>> {
      const page = pageRequest(query);
      const { rows, total } = await listWebhooks(db.read, caller.tenantId, page);
      return pageResult(
        page,
        rows.map((row) => webhookView(row, clock.now())),
        total,
        (item) => ({
          createdAt: Date.parse(item.created_at),
          id: item.id,
        }),
      );
    },

    get: async (caller: Caller, id: string): Promise<Webhook> =>
      webhookView(await webhookOf(db, caller, id), clock.now()),

    /** The secret is in this answer and in no later one. Throws VALIDATION_ERROR, CONFLICT above the number allowed. */
    async create(caller: Caller, body: CreateWebhook, requestId: string): Promise<WebhookWithSecret> {
      checkWebhookUrl(http, body.url);
      const secret = newSigningSecret();
      const now = clock.now();
      const id = newId();
      const row: WebhookRow = {
        id,
        tenant_id: caller.tenantId,
        created_by: caller.userId,
        url: body.url,
        events: JSON.stringify(body.events),
        description: body.description ?? null,
        status: 'active',
        disabled_reason: null,
        secret: box.seal(secret, aboutWebhookSecret({ tenant_id: caller.tenantId, id })),
        previous_secret: null,
        previous_secret_until: null,
        failing_since: null,
        credential: credentialText(caller),
        readers: null,
        created_at: now,
        updated_at: now,
      };
      await db.write(async (tx) => {
        if ((await countWebhooks(tx, caller.tenantId)) >= MAX_PER_TENANT) {
          throw conflict(`a tenant has at most ${MAX_PER_TENANT} webhooks`);
        }
        await insertWebhook(tx, row);
        await audit.append(tx, webhookEntry(caller, 'webhook.created', row.id, requestId, { url: row.url }));
      });
      changed(caller.tenantId);
      return { ...webhookView(row, clock.now()), secret };
    },

    async patch(caller: Caller, id: string, body: PatchWebhook, requestId: string): Promise<Webhook> {
      await webhookOf(db, caller, id);
      if (body.url !== undefined) checkWebhookUrl(http, body.url);
      const now = clock.now();
      const row = await db.write(async (tx) => {
        // What it may be told follows from the row, which others change meanwhile.
        const current = await lockWebhook(tx, db.dialect, caller.tenantId, id);
        if (current === undefined) throw notFound('webhook');
        const taken = body.status === 'active' ? await options.readings.takenOver(tx, current, caller) : null;
        const updated = await updateWebhook(tx, caller.tenantId, id, {
          ...(taken ?? {}),
          ...(body.url === undefined ? {} : { url: body.url }),
          ...(body.events === undefined ? {} : { events: JSON.stringify(body.events) }),
          ...(body.description === undefined ? {} : { description: body.description }),
          ...(body.status === undefined
            ? {}
            : {
                status: body.status,
                disabled_reason: body.status === 'active' ? null : 'manual',
                failing_since: null,
              }),
          ...(body.url === undefined && body.events === undefined
            ? {}
            : readersAfter({ ...current, ...(taken ?? {}) }, caller)),
          updated_at: now,
        });
        if (updated === undefined) throw notFound('webhook');
        if (body.status === 'disabled') await cancelPending(tx, id, now);
        const { url: _url, ...rest } = body;
        await audit.append(tx, webhookEntry(caller, 'webhook.updated', id, requestId, rest));
        return updated;
      });
      changed(caller.tenantId);
      return webhookView(row, clock.now());
    },

    async remove(caller: Caller, id: string, requestId: string): Promise<void> {
      await db.write(async (tx) => {
        if (!(await deleteWebhook(tx, caller.tenantId, id))) throw notFound('webhook');
        await audit.append(tx, webhookEntry(caller, 'webhook.deleted', id, requestId));
      });
      changed(caller.tenantId);
    },
  };
};
