export interface WebhookRow {
  id: string;
  tenant_id: string;
  created_by: string;
  url: string;
  /** JSON array of event types. */
  events: string;
  description: string | null;
  /** active, disabled */
  status: string;
  /** Why it was switched off: `gone` (410), `failing`, `manual`, `key_deleted`, `account_inactive`. */
  disabled_reason: string | null;
  /** Sealed. */
  secret: string;
  /** Sealed; signs too until `previous_secret_until`. */
  previous_secret: string | null;
  previous_secret_until: number | null;
  /** First failed attempt since the last success. */
  failing_since: number | null;
  /** Who made or changed it last, and what both could; null in rows of earlier releases. */
  credential: string | null;
  /** JSON: all those whose rights bound it (`readersOf`); null where its maker is the only one. */
  readers: string | null;
  created_at: number;
  updated_at: number;
}

export interface WebhookDeliveryRow {
  /** The `webhook-id` of all its attempts. */
  id: string;
  webhook_id: string;
  tenant_id: string;
  event_id: string;
  event: string;
  /** The bytes that are sent, the same at each attempt. */
  body: string;
  request_id: string | null;
  /** pending, delivered, failed, cancelled */
  status: string;
  /** Why it is `cancelled`: `switched_off`, `not_allowed`; null of rows of earlier releases. */
  cancelled_reason: string | null;
  /** What a reader of its event needs (kernel/may-receive.ts); all null in rows of earlier releases. */
  permission: string | null;
  reach: string | null;
  owner: string | null;
  attempts: number;
  /** Of them, those since it was made or asked for again: its place in the schedule. */
  round_attempts: number;
  next_attempt_at: number | null;
  created_at: number;
  finished_at: number | null;
}

export interface WebhookAttemptRow {
  id: string;
  delivery_id: string;
  attempted_at: number;
  duration_ms: number;
  request_headers: string;
  status_code: number | null;
  response_headers: string | null;
  /** Cut to a few KiB. */
  response_body: string | null;
  error: string | null;
}

export interface WebhookTables {
  webhooks: WebhookRow;
  webhook_deliveries: WebhookDeliveryRow;
  webhook_attempts: WebhookAttemptRow;
}
