import type { Db } from '../../db/db.ts';
import { type JobHandler, PermanentJobError, RetryLater } from '../../jobs/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { EventSink } from '../../kernel/events.ts';
import { newId } from '../../kernel/ids.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import { type AttemptResult, attemptDelivery } from './attempt.ts';
import type { DeliverPayload } from './jobs.ts';
import { aboutWebhookSecret, type SecretBox } from './ports.ts';
import { type AttemptVerdict, FAILING_LIMIT_MS, RETRY_DELAYS_MS, verdictOf } from './rules.ts';
import {
  cancelPending,
  deliveryWithHook,
  endDelivery,
  insertAttempt,
  markFailing,
  settleAttempt,
  updateWebhook,
  type WebhookDeliveryRow,
  type WebhookRow,
} from './store.ts';

export interface DeliverOptions {
  db: Db;
  clock: Clock;
  http: OutgoingHttp;
  box: SecretBox;
  events: EventSink;
  timeoutMs: number;
  /** A webhook was switched off. */
  changed(tenantId: string): void;
}

export interface Deliverer {
  handler: JobHandler<DeliverPayload>;
  /** One attempt at once, outside of the schedule: the test of a webhook. */
  once(delivery: WebhookDeliveryRow, hook: WebhookRow): Promise<AttemptVerdict>;
}

export const createDeliverer = (options: DeliverOptions): Deliverer => {
  const { db, clock } = options;

  const secretsOf = (hook: WebhookRow): string[] => {
    const secrets = [options.box.open(hook.secret, aboutWebhookSecret(hook))];
    const until = hook.previous_secret_until ?? 0;
    if (hook.previous_secret !== null && until > clock.now())
      secrets.push(options.box.open(hook.previous_secret, aboutWebhookSecret(hook)));
    return secrets;
  };

  const switchOff = async (hook: WebhookRow, reason: 'gone' | 'failing'): Promise<void> => {
    const now = clock.now();
    await db.write(async (tx) => {
      await updateWebhook(tx, hook.tenant_id, hook.id, {
        status: 'disabled',
        disabled_reason: reason,
        updated_at: now,
      });
      await cancelPending(tx, hook.id, now);
    });
    options.changed(hook.tenant_id);
    options.events.publish({
      type: 'webhook.disabled',
      tenantId: hook.tenant_id,
      userId: hook.created_by,
      reach: 'own',
      permission: 'webhooks:read',
      data: { webhook_id: hook.id, url: hook.url, reason },
    });
  };

  const storeAttempt = async (
    delivery: WebhookDeliveryRow,
    hook: WebhookRow,
    at: number,
    result: AttemptResult,
    change: Parameters<typeof settleAttempt>[2],
    delivered: boolean,
  ): Promise<void> => {
    await db.write(async (tx) => {
      await insertAttempt(tx, {
        id: newId(),
        delivery_id: delivery.id,
        attempted_at: at,
        duration_ms: result.durationMs,
        request_headers: JSON.stringify(result.requestHeaders),
        status_code: result.response?.status ?? null,
        response_headers: result.response === null ? null : JSON.stringify(result.response.headers),
        response_body: result.response?.body ?? null,
        error: result.error,
      });
      await settleAttempt(tx, delivery, change);
      if (!delivered) await markFailing(tx, hook.id, at);
      else if (hook.failing_since !== null) {
        await updateWebhook(tx, hook.tenant_id, hook.id, { failing_since: null });
      }
    });
  };

  /** Sends and logs; `retryAt` says when the schedule would try again (null: it would not). */
  const attempt = async (
    delivery: WebhookDeliveryRow,
    hook: WebhookRow,
    signal: AbortSignal,
    retryAt: (askedMs: number | null) => number | null,
  ): Promise<AttemptVerdict> => {
    const at = clock.now();
    const result = await attemptDelivery({
      http: options.http,
      url: hook.url,
      deliveryId: delivery.id,
      requestId: delivery.request_id,
      body: delivery.body,
      secrets: secretsOf(hook),
      now: at,
      timeoutMs: options.timeoutMs,
      signal,
    });
    const verdict: AttemptVerdict =
      result.response === null || result.error !== null
        ? { outcome: 'retry', reason: result.error ?? 'no answer', retryAfterMs: null }
        : verdictOf(result.response.status, result.response.headers['retry-after'] ?? null, clock.now());
    const now = clock.now();
    const next = verdict.outcome === 'retry' ? retryAt(verdict.retryAfterMs) : null;
    const status =
      verdict.outcome === 'delivered'
        ? 'delivered'
        : verdict.outcome === 'gone' || next === null
          ? 'failed'
          : 'pending';
    await storeAttempt(
      delivery,
      hook,
      at,
      result,
      { status, next_attempt_at: next, finished_at: status === 'pending' ? null : now },
      verdict.outcome === 'delivered',
    );
    if (verdict.outcome === 'gone') await switchOff(hook, 'gone');
    return verdict;
  };

  return {
    handler: {
      async run(payload, context) {
        const found = await deliveryWithHook(db.read, payload.delivery_id);
        // Deleted with its webhook, or settled by an earlier run of this job that could not report.
        if (found === undefined || found.delivery.status !== 'pending') return;
        const { delivery, hook } = found;
        // Somebody has asked for it in the meantime: that round goes on with it.
        if (delivery.round !== (payload.round ?? 0)) return;
        if (hook.status !== 'active')
          return db.write((tx) => endDelivery(tx, delivery, 'cancelled', clock.now()));
        const verdict = await attempt(delivery, hook, context.signal, (askedMs) => {
          const delayMs = RETRY_DELAYS_MS[context.attempt - 1];
          return delayMs === undefined ? null : clock.now() + Math.max(delayMs, askedMs ?? 0);
        });
        if (verdict.outcome === 'gone') throw new PermanentJobError('the receiver answered 410');
        if (verdict.outcome === 'retry') throw new RetryLater(verdict.reason, verdict.retryAfterMs ?? 0);
      },
      async dead(payload) {
        const found = await deliveryWithHook(db.read, payload.delivery_id);
        if (found === undefined) return;
        const { delivery, hook } = found;
        if (delivery.status === 'pending' && delivery.round === (payload.round ?? 0))
          await db.write((tx) => endDelivery(tx, delivery, 'failed', clock.now()));
        const since = hook.failing_since;
        if (hook.status === 'active' && since !== null && clock.now() - since >= FAILING_LIMIT_MS) {
          await switchOff(hook, 'failing');
        }
      },
    },
    once: (delivery, hook) => attempt(delivery, hook, new AbortController().signal, () => null),
  };
};
