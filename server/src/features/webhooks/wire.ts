import type { Caller } from '../../kernel/caller.ts';
import { iso, isoOrNull } from '../../kernel/clock.ts';
import { mayReceive } from '../../kernel/may-receive.ts';
import { needsOf } from './readers.ts';
import {
  CANCELLED_REASONS,
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryStatus,
  type DeliveryWithLog,
  DISABLED_REASONS,
  type Webhook,
} from './schema.ts';
import type { WebhookAttemptRow, WebhookDeliveryRow, WebhookRow } from './store.ts';

const SHOWN_BODY_CHARACTERS = 16 * 1024;

const strings = (json: string): string[] => {
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? parsed.filter((item) => typeof item === 'string') : [];
};

const record = (json: string | null): Record<string, unknown> => {
  const parsed: unknown = JSON.parse(json ?? '{}');
  return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
};

const statusOf = (text: string): DeliveryStatus => DELIVERY_STATUSES.find((s) => s === text) ?? 'failed';

export const webhookView = (row: WebhookRow, now: number): Webhook => ({
  id: row.id,
  url: row.url,
  events: strings(row.events),
  description: row.description,
  status: row.status === 'active' ? 'active' : 'disabled',
  disabled_reason: DISABLED_REASONS.find((reason) => reason === row.disabled_reason) ?? null,
  previous_secret_expires_at:
    row.previous_secret_until !== null && row.previous_secret_until > now
      ? iso(row.previous_secret_until)
      : null,
  created_by: row.created_by,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

export const deliveryView = (row: WebhookDeliveryRow, responseStatus: number | null): Delivery => ({
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

/** What was said, both ways, for those alone who may read the record that the event is about. */
export const deliveryWithLog = (
  row: WebhookDeliveryRow,
  attempts: readonly WebhookAttemptRow[],
  caller: Caller,
): DeliveryWithLog => {
  const withheld = withheldFrom(row, caller);
  return {
    ...deliveryView(row, attempts.at(-1)?.status_code ?? null),
    ...(withheld === null
      ? { request_body: row.body.slice(0, SHOWN_BODY_CHARACTERS) }
      : { body_withheld: withheld }),
    log: attempts.map((attempt) => attemptView(attempt, withheld !== null)),
  };
};
