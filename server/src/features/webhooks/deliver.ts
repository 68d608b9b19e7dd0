import type { Db } from '../../db/db.ts';
import { type JobHandler, type Jobs, PermanentJobError } from '../../jobs/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import { newId } from '../../kernel/ids.ts';
import type { OutgoingHttp } from '../../kernel/outgoing.ts';
import { type AttemptResult, attemptDelivery } from './attempt.ts';
import { type DeliverPayload, deliverKind } from './jobs.ts';
import { aboutWebhookSecret, type WebhookSecretBox } from './ports.ts';
import { needsOf, type Readings } from './readers.ts';
import {
  type AttemptVerdict,
  afterAttempt,
  type DeliveryState,
  FAILING_LIMIT_MS,
  verdictOf,
} from './rules.ts';
import {
  deliveryWithHook,
  insertAttempt,
  markFailing,
  settleAttempt,
  updateDelivery,
  updateWebhook,
  type WebhookDeliveryRow,
  type WebhookRow,
} from './store.ts';
import type { SwitchOff } from './switch-off.ts';

export interface DeliverOptions {
  db: Db;
  clock: Clock;
  http: OutgoingHttp;
  box: WebhookSecretBox;
  jobs: Pick<Jobs, 'enqueue'>;
  readings: Pick<Readings, 'verdict'>;
  off: SwitchOff;
  timeoutMs: number;
}

export interface Deliverer {
  handler: JobHandler<DeliverPayload>;
  /** One attempt at once, outside of the schedule: the test of a webhook. */
  once(delivery: WebhookDeliveryRow, hook: WebhookRow): Promise<void>;
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

  /** The attempt, the delivery's next state and the job of its next attempt, in one transaction. */
  const storeAttempt = async (made: {
    delivery: WebhookDeliveryRow;
    hook: WebhookRow;
    at: number;
    result: AttemptResult;
    attempt: number;
    state: DeliveryState;
  }): Promise<void> => {
    const { delivery, hook, at, result, state } = made;
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
      const settled = await settleAttempt(tx, delivery, state, made.attempt);
      if (settled && state.status === 'pending') {
        await options.jobs.enqueue(
          tx,
          deliverKind,
          { v: 1, delivery_id: delivery.id, tenant_id: hook.tenant_id, due: state.next_attempt_at },
          { group: hook.id, runAt: state.next_attempt_at },
        );
      }
      if (state.status !== 'delivered') await markFailing(tx, hook.id, at);
      else if (hook.failing_since !== null) {
        await updateWebhook(tx, hook.tenant_id, hook.id, { failing_since: null });
      }
    });
  };

  /** Nothing leaves the house while the tenant is suspended; the schedule goes on. */
  const SUSPENDED: AttemptResult = {
    requestHeaders: {},
    response: null,
    error: 'not sent: the tenant is suspended',
    durationMs: 0,
  };

  /** Sends and records; outside of the schedule (`scheduled` false) there is no next attempt. */
  const attempt = async (
    delivery: WebhookDeliveryRow,
    hook: WebhookRow,
    signal: AbortSignal,
    how: { scheduled: boolean; suspended: boolean },
  ): Promise<{ verdict: AttemptVerdict; state: DeliveryState }> => {
    const at = clock.now();
    const result = how.suspended
      ? SUSPENDED
      : await attemptDelivery({
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
    const number = delivery.round_attempts + 1;
    const state = afterAttempt(verdict, how.scheduled ? number : null, clock.now());
    await storeAttempt({ delivery, hook, at, result, attempt: number, state });
    if (verdict.outcome === 'gone') await options.off.now(hook, 'gone');
    return { verdict, state };
  };

  const cancel = async (
    delivery: WebhookDeliveryRow,
    reason: 'switched_off' | 'not_allowed',
  ): Promise<void> => {
    await db.write((tx) =>
      updateDelivery(tx, delivery.id, {
        status: 'cancelled',
        cancelled_reason: reason,
        next_attempt_at: null,
        finished_at: clock.now(),
      }),
    );
  };

  return {
    handler: {
      async run(payload, context) {
        const found = await deliveryWithHook(db.read, payload.delivery_id);
        // Deleted with its webhook, or settled by an earlier run of this job that could not report.
        if (found === undefined || found.delivery.status !== 'pending') return;
        const { delivery, hook } = found;
        // This attempt is recorded already, or belongs to an earlier round: another job has the next one.
        if (payload.due !== null && payload.due !== delivery.next_attempt_at) return;
        const may = await options.readings.verdict(db.read, hook, needsOf(delivery));
        if (hook.status !== 'active' || may === 'may_not') {
          await cancel(delivery, hook.status === 'active' ? 'not_allowed' : 'switched_off');
          return;
        }
        if (may === 'key_deleted' || may === 'account_inactive') {
          await options.off.now(hook, may);
          return;
        }
        const { verdict, state } = await attempt(delivery, hook, context.signal, {
          scheduled: true,
          suspended: may === 'tenant_suspended',
        });
        if (verdict.outcome === 'gone') throw new PermanentJobError('the receiver answered 410');
        if (verdict.outcome === 'retry' && state.status === 'failed')
          throw new PermanentJobError(verdict.reason);
      },
      async dead(payload) {
        const found = await deliveryWithHook(db.read, payload.delivery_id);
        if (found === undefined) return;
        const { delivery, hook } = found;
        if (delivery.status === 'pending') {
          await db.write((tx) =>
            updateDelivery(tx, delivery.id, {
              status: 'failed',
              next_attempt_at: null,
              finished_at: clock.now(),
            }),
          );
        }
        const since = hook.failing_since;
        if (hook.status === 'active' && since !== null && clock.now() - since >= FAILING_LIMIT_MS) {
          await options.off.now(hook, 'failing');
        }
      },
    },
    async once(delivery, hook) {
      await attempt(delivery, hook, new AbortController().signal, { scheduled: false, suspended: false });
    },
  };
};
