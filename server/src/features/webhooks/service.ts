import type { Db, Queryable } from '../../db/db.ts';
import type { Jobs } from '../../jobs/index.ts';
import type { Caller } from '../../kernel/caller.ts';
import { type Clock, iso, isoOrNull } from '../../kernel/clock.ts';
import { conflict, invalid, notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { mayReceive } from '../../kernel/may-receive.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import { type PageResult, pageRequest, pageResult } from '../../kernel/pagination.ts';
import { type ActorFor, credentialText } from '../../kernel/stored-credential.ts';
import { tellsOf } from '../../kernel/told-records.ts';
import { type Audit, actorOf } from '../audit/index.ts';
import { createDeliverer } from './deliver.ts';
import { deliverKind } from './jobs.ts';
import { bodyOf, createOutbox, type Outbox } from './outbox.ts';
import { aboutWebhookSecret, type WebhookSecretBox } from './ports.ts';
import { createReadings, needsOf, readersAfter } from './readers.ts';
import { ROTATION_OVERLAP_MS } from './rules.ts';
import {
  CANCELLED_REASONS,
  type CreateWebhook,
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryStatus,
  type DeliveryWithLog,
  DISABLED_REASONS,
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
import { createSwitchOff } from './switch-off.ts';

/** Rows that are looked at in one step when copies of erased records are sought. */
const COPIES_AT_ONCE = 500;

export interface WebhooksOptions {
  db: Db;
  clock: Clock;
  jobs: Jobs;
  http: OutgoingHttp;
  box: WebhookSecretBox;
  audit: Audit;
  actorFor: ActorFor<Queryable>;
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

const statusOf = (text: string): DeliveryStatus => DELIVERY_STATUSES.find((s) => s === text) ?? 'failed';

const deliveryView = (row: WebhookDeliveryRow, responseStatus: number | null): Delivery => ({
  id: row.id,
  webhook_id: row.webhook_id,
  event: row.event,
  status: statusOf(row.status),
  cancelled_reason: CANCELLED_REASONS.find((reason) => reason === row.cancelled_reason) ?? null,
  attempts: row.attempts,
  response_status: responseStatus,
  next_attempt_at: isoOrNull(row.next_attempt_at),
  created_at: iso(row.created_at),
  finished_at: isoOrNull(row.finished_at),
});

/** Without what the receiver said where it is withheld: many send back what they were sent. */
const attemptView = (row: WebhookAttemptRow, withheld: boolean): DeliveryWithLog['log'][number] => ({
  attempted_at: iso(row.attempted_at),
  duration_ms: row.duration_ms,
  request: { headers: record(row.request_headers) },
  response:
    row.status_code === null
      ? null
      : {
          status: row.status_code,
          headers: withheld ? {} : record(row.response_headers),
          body: withheld ? '' : (row.response_body ?? ''),
        },
  error: row.error,
});

/** Why the caller does not see the body; null for those who do. */
const withheldFrom = (row: WebhookDeliveryRow, caller: Caller): string | null => {
  const needs = needsOf(row);
  if (mayReceive(caller, needs)) return null;
  return caller.permissions.has(needs.permission)
    ? 'the record belongs to another person'
    : `reading it needs ${needs.permission || 'more than anybody may'}`;
};

export const createWebhooks = (options: WebhooksOptions) => {
  const { db, clock, jobs, http, box, audit } = options;
  const readings = createReadings(options.actorFor);
  const off = createSwitchOff({
    db,
    clock,
    audit,
    readings,
    changed: (tenantId) => outbox.forget(tenantId),
    onError: options.onError,
  });
  const outbox: Outbox = createOutbox({
    db,
    clock,
    jobs,
    kind: deliverKind,
    readings,
    lost: off.lookLater,
    onError: options.onError,
  });
  const deliverer = createDeliverer({
    db,
    clock,
    http,
    box,
    jobs,
    readings,
    off,
    timeoutMs: options.timeoutMs ?? 20_000,
  });
  jobs.work(deliverKind, { concurrency: CONCURRENCY, perGroup: PER_WEBHOOK }, deliverer.handler);

  const view = (row: WebhookRow): Webhook => ({
    id: row.id,
    url: row.url,
    events: strings(row.events),
    description: row.description,
    status: row.status === 'active' ? 'active' : 'disabled',
    disabled_reason: DISABLED_REASONS.find((reason) => reason === row.disabled_reason) ?? null,
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

  /** What was said, both ways, for those alone who may read the record that the event is about. */
  const withLog = async (row: WebhookDeliveryRow, caller: Caller): Promise<DeliveryWithLog> => {
    const attempts = await attemptsOf(db.read, row.id);
    const withheld = withheldFrom(row, caller);
    return {
      ...deliveryView(row, attempts.at(-1)?.status_code ?? null),
      ...(withheld === null
        ? { request_body: row.body.slice(0, SHOWN_BODY_CHARACTERS) }
        : { body_withheld: withheld }),
      log: attempts.map((attempt) => attemptView(attempt, withheld !== null)),
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

    /** After a change of a person's keys or account: webhooks that nobody reads for any more are switched off. */
    lookAtPerson: off.lookAtPerson,

    /** Resolves when what has been found without a reader so far is switched off. */
    settled: off.settled,

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
        readers: null,
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
        const taken = body.status === 'active' ? await readings.takenOver(tx, current, caller) : null;
        const changed = await updateWebhook(tx, caller.tenantId, id, {
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
        permission: 'webhooks:read',
        reach: 'tenant',
        owner: caller.userId,
        status: 'pending',
        cancelled_reason: null,
        attempts: 0,
        round_attempts: 0,
        next_attempt_at: null,
        created_at: now,
        finished_at: null,
      };
      await db.write((tx) => insertDelivery(tx, row));
      await deliverer.once(row, hook);
      const stored = await findDelivery(db.read, hook.id, row.id);
      return withLog(stored ?? row, caller);
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
      return withLog((await findWithDelivery(caller, id, deliveryId)).delivery, caller);
    },

    /**
     * Sends now, and begins the whole schedule again, with the same id and body; a wait for a next try ends by it. Throws
     * CONFLICT while the webhook is off, or may not read the record (any more).
     */
    async redeliver(caller: Caller, id: string, deliveryId: string, requestId: string): Promise<Delivery> {
      const { hook, delivery } = await findWithDelivery(caller, id, deliveryId);
      if (hook.status !== 'active' || (await off.ifLost(hook)) !== null)
        throw conflict('the webhook is switched off');
      if ((await readings.verdict(db.read, hook, needsOf(delivery))) === 'may_not')
        throw conflict('the webhook may not read the record that this tells of');
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
        const details = { delivery_id: deliveryId };
        await audit.append(tx, audited(caller, 'webhook.redelivered', hook.id, requestId, details));
        return updateDelivery(tx, deliveryId, {
          status: 'pending',
          cancelled_reason: null,
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
