import type { Db, Queryable } from '../../db/db.ts';
import type { Jobs } from '../../jobs/index.ts';
import type { Caller } from '../../kernel/caller.ts';
import { type Clock, iso, isoOrNull } from '../../kernel/clock.ts';
import { conflict, invalid, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import { type PageResult, pageRequest, pageResult } from '../../kernel/pagination.ts';
import {
  type CallerFor,
  credentialOf,
  credentialText,
  narrowedTo,
  readCredential,
} from '../../kernel/stored-credential.ts';
import { tellsOf } from '../../kernel/told-records.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import { createDeliverer } from './deliver.ts';
import { deliverKind } from './jobs.ts';
import { bodyOf, createOutbox, type Outbox } from './outbox.ts';
import { aboutWebhookSecret, type WebhookSecretBox } from './ports.ts';
import { ROTATION_OVERLAP_MS } from './rules.ts';
import {
  type CreateWebhook,
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryStatus,
  type DeliveryWithLog,
  type ListDeliveries,
  type PatchWebhook,
  type Webhook,
  type WebhookWithSecret,
} from './schema.ts';
import { newSigningSecret } from './signing.ts';
import {
  attemptsOf,
  cancelPending,
  countWebhooks,
  deleteWebhook,
  deliveriesAfter,
  dropDeliveries,
  findDelivery,
  findWebhook,
  insertDelivery,
  insertWebhook,
  lastStatuses,
  listDeliveries,
  listWebhooks,
  lockWebhook,
  updateDelivery,
  updateWebhook,
  type WebhookAttemptRow,
  type WebhookDeliveryRow,
  type WebhookRow,
} from './store.ts';

/** Rows that are looked at in one step when copies of erased records are sought. */
const COPIES_AT_ONCE = 500;

export interface WebhooksOptions {
  db: Db;
  clock: Clock;
  jobs: Jobs;
  http: OutgoingHttp;
  box: WebhookSecretBox;
  audit: Audit;
  callerFor: CallerFor<Queryable>;
  onError(error: unknown, message: string): void;
  /** Longest time for one attempt. Default 20,000. */
  timeoutMs?: number;
}

const MAX_PER_TENANT = 100;
const SHOWN_BODY_CHARACTERS = 16 * 1024;
/** At once in this process; and for one receiver over all, so that a hanging one does not hold up the others. */
const CONCURRENCY = 16;
const PER_WEBHOOK = 4;

const strings = (json: string): string[] => {
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? parsed.filter((item) => typeof item === 'string') : [];
};

const record = (json: string | null): Record<string, unknown> => {
  const parsed: unknown = JSON.parse(json ?? '{}');
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
};

/** After a change of what is sent where: what the maker and the changer could read, both. */
const credentialAfter = (row: WebhookRow, caller: Caller): string => {
  const made = readCredential(row.credential);
  return JSON.stringify(made === null ? credentialOf(caller) : narrowedTo(made, caller));
};

const REASONS = ['gone', 'failing', 'manual'] as const;

const statusOf = (text: string): DeliveryStatus => DELIVERY_STATUSES.find((s) => s === text) ?? 'failed';

const deliveryView = (row: WebhookDeliveryRow, responseStatus: number | null): Delivery => ({
  id: row.id,
  webhook_id: row.webhook_id,
  event: row.event,
  status: statusOf(row.status),
  attempts: row.attempts,
  response_status: responseStatus,
  next_attempt_at: isoOrNull(row.next_attempt_at),
  created_at: iso(row.created_at),
  finished_at: isoOrNull(row.finished_at),
});

const attemptView = (row: WebhookAttemptRow): DeliveryWithLog['log'][number] => ({
  attempted_at: iso(row.attempted_at),
  duration_ms: row.duration_ms,
  request: { headers: record(row.request_headers) },
  response:
    row.status_code === null
      ? null
      : {
          status: row.status_code,
          headers: record(row.response_headers),
          body: row.response_body ?? '',
        },
  error: row.error,
});

export const createWebhooks = (options: WebhooksOptions) => {
  const { db, clock, jobs, http, box, audit } = options;
  const outbox: Outbox = createOutbox({
    db,
    clock,
    jobs,
    kind: deliverKind,
    callerFor: options.callerFor,
    onError: options.onError,
  });
  const deliverer = createDeliverer({
    db,
    clock,
    http,
    box,
    jobs,
    timeoutMs: options.timeoutMs ?? 20_000,
    changed: outbox.forget,
  });
  jobs.work(deliverKind, { concurrency: CONCURRENCY, perGroup: PER_WEBHOOK }, deliverer.handler);

  const view = (row: WebhookRow): Webhook => ({
    id: row.id,
    url: row.url,
    events: strings(row.events),
    description: row.description,
    status: row.status === 'active' ? 'active' : 'disabled',
    disabled_reason: REASONS.find((reason) => reason === row.disabled_reason) ?? null,
    previous_secret_expires_at:
      row.previous_secret_until !== null && row.previous_secret_until > clock.now()
        ? iso(row.previous_secret_until)
        : null,
    created_by: row.created_by,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  });

  const checkUrl = (url: string): void => {
    const reason = http.check(url);
    if (reason !== null) throw invalid({ field: '/url', reason });
  };

  const find = async (caller: Caller, id: string): Promise<WebhookRow> => {
    const row = await findWebhook(db.read, caller.tenantId, id);
    if (row === undefined) throw notFound('webhook');
    return row;
  };

  const findWithDelivery = async (caller: Caller, id: string, deliveryId: string) => {
    const hook = await find(caller, id);
    const delivery = await findDelivery(db.read, hook.id, deliveryId);
    if (delivery === undefined) throw notFound('delivery');
    return { hook, delivery };
  };

  const withLog = async (row: WebhookDeliveryRow): Promise<DeliveryWithLog> => {
    const attempts = await attemptsOf(db.read, row.id);
    return {
      ...deliveryView(row, attempts.at(-1)?.status_code ?? null),
      request_body: row.body.slice(0, SHOWN_BODY_CHARACTERS),
      log: attempts.map(attemptView),
    };
  };

  const audited = (caller: Caller, action: string, id: string, requestId: string, details = {}) => ({
    ...actorOf(caller),
    action,
    targetType: 'webhook',
    targetId: id,
    requestId,
    details,
  });

  return {
    outbox,

    /** Deliveries that tell of these records go, for the erasure of a person's data; how many. */
    async eraseCopies(tenantId: string, recordIds: ReadonlySet<string>): Promise<number> {
      let erased = 0;
      for (let after = ''; ; ) {
        const rows = await deliveriesAfter(db.read, tenantId, after, COPIES_AT_ONCE);
        const told = rows.filter(({ body }) => {
          const parsed: unknown = JSON.parse(body);
          return typeof parsed === 'object' && parsed !== null && 'data' in parsed
            ? tellsOf(parsed.data, recordIds)
            : false;
        });
        const ids = told.map((row) => row.id);
        if (ids.length > 0) erased += await db.write((tx) => dropDeliveries(tx, ids));
        const last = rows.at(-1);
        if (last === undefined || rows.length < COPIES_AT_ONCE) return erased;
        after = last.id;
      }
    },

    async list(
      caller: Caller,
      query: { page?: number; limit?: number; cursor?: string },
    ): Promise<PageResult<Webhook>> {
      const page = pageRequest(query);
      const { rows, total } = await listWebhooks(db.read, caller.tenantId, page);
      return pageResult(page, rows.map(view), total, (item) => ({
        createdAt: Date.parse(item.created_at),
        id: item.id,
      }));
    },

    get: async (caller: Caller, id: string): Promise<Webhook> => view(await find(caller, id)),

    /** The secret is in this answer and in no later one. Throws VALIDATION_ERROR, CONFLICT above the number allowed. */
    async create(caller: Caller, body: CreateWebhook, requestId: string): Promise<WebhookWithSecret> {
      checkUrl(body.url);
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
        created_at: now,
        updated_at: now,
      };
      await db.write(async (tx) => {
        if ((await countWebhooks(tx, caller.tenantId)) >= MAX_PER_TENANT) {
          throw conflict(`a tenant has at most ${MAX_PER_TENANT} webhooks`);
        }
        await insertWebhook(tx, row);
        await audit.append(tx, audited(caller, 'webhook.created', row.id, requestId, { url: row.url }));
      });
      outbox.forget(caller.tenantId);
      return { ...view(row), secret };
    },

    async patch(caller: Caller, id: string, body: PatchWebhook, requestId: string): Promise<Webhook> {
      await find(caller, id);
      if (body.url !== undefined) checkUrl(body.url);
      const now = clock.now();
      const row = await db.write(async (tx) => {
        // What it may be told follows from the row, which others change meanwhile.
        const current = await lockWebhook(tx, db.dialect, caller.tenantId, id);
        if (current === undefined) throw notFound('webhook');
        const changed = await updateWebhook(tx, caller.tenantId, id, {
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
            : { credential: credentialAfter(current, caller) }),
          updated_at: now,
        });
        if (changed === undefined) throw notFound('webhook');
        if (body.status === 'disabled') await cancelPending(tx, id, now);
        const { url: _url, ...rest } = body;
        await audit.append(tx, audited(caller, 'webhook.updated', id, requestId, rest));
        return changed;
      });
      outbox.forget(caller.tenantId);
      return view(row);
    },

    async remove(caller: Caller, id: string, requestId: string): Promise<void> {
      await db.write(async (tx) => {
        if (!(await deleteWebhook(tx, caller.tenantId, id))) throw notFound('webhook');
        await audit.append(tx, audited(caller, 'webhook.deleted', id, requestId));
      });
      outbox.forget(caller.tenantId);
    },

    /** A new secret; the old one signs along for a day. */
    async rotateSecret(caller: Caller, id: string, requestId: string): Promise<WebhookWithSecret> {
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
        await audit.append(tx, audited(caller, 'webhook.secret_rotated', id, requestId));
        return changed;
      });
      return { ...view(row), secret };
    },

    /** Sends a `webhook.test` event at once, a single time, and tells what came of it. */
    async test(caller: Caller, id: string, requestId: string): Promise<DeliveryWithLog> {
      const hook = await find(caller, id);
      checkUrl(hook.url);
      const now = clock.now();
      const eventId = newId();
      const row: WebhookDeliveryRow = {
        id: newId(),
        webhook_id: hook.id,
        tenant_id: caller.tenantId,
        event_id: eventId,
        event: 'webhook.test',
        body: bodyOf({
          id: eventId,
          type: 'webhook.test',
          tenantId: caller.tenantId,
          userId: caller.userId,
          reach: 'own',
          permission: 'webhooks:read',
          data: { webhook_id: hook.id, message: 'This is a test of your webhook.' },
          createdAt: now,
        }),
        request_id: requestId,
        status: 'pending',
        attempts: 0,
        round_attempts: 0,
        next_attempt_at: null,
        created_at: now,
        finished_at: null,
      };
      await db.write((tx) => insertDelivery(tx, row));
      await deliverer.once(row, hook);
      const stored = await findDelivery(db.read, hook.id, row.id);
      return withLog(stored ?? row);
    },

    async deliveries(caller: Caller, id: string, query: ListDeliveries): Promise<PageResult<Delivery>> {
      const hook = await find(caller, id);
      const page = pageRequest(query);
      const { rows, total } = await listDeliveries(
        db.read,
        { webhookId: hook.id, status: query.status, event: query.event },
        page,
      );
      const statuses = await lastStatuses(
        db.read,
        rows.map((row) => row.id),
      );
      return pageResult(
        page,
        rows.map((row) => deliveryView(row, statuses.get(row.id) ?? null)),
        total,
        (item) => ({ createdAt: Date.parse(item.created_at), id: item.id }),
      );
    },

    async delivery(caller: Caller, id: string, deliveryId: string): Promise<DeliveryWithLog> {
      return withLog((await findWithDelivery(caller, id, deliveryId)).delivery);
    },

    /**
     * Sends now, and begins the whole schedule again, with the same id and body; a wait for a next try ends by it. Throws
     * CONFLICT while the webhook is off.
     */
    async redeliver(caller: Caller, id: string, deliveryId: string): Promise<Delivery> {
      const { hook } = await findWithDelivery(caller, id, deliveryId);
      if (hook.status !== 'active') throw conflict('the webhook is switched off');
      const row = await db.write(async (tx) => {
        const current = await findDelivery(tx, hook.id, deliveryId);
        if (current === undefined) throw notFound('delivery');
        // Its own moment: the job of another round has another one.
        const now = current.next_attempt_at === clock.now() ? clock.now() + 1 : clock.now();
        await jobs.enqueue(
          tx,
          deliverKind,
          { v: 1, delivery_id: deliveryId, tenant_id: hook.tenant_id, due: now },
          { group: hook.id },
        );
        return updateDelivery(tx, deliveryId, {
          status: 'pending',
          round_attempts: 0,
          next_attempt_at: now,
          finished_at: null,
        });
      });
      if (row === undefined) throw notFound('delivery');
      const statuses = await lastStatuses(db.read, [row.id]);
      return deliveryView(row, statuses.get(row.id) ?? null);
    },
  };
};

export type Webhooks = ReturnType<typeof createWebhooks>;
