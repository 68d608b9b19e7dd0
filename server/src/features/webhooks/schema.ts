import { type Static, Type } from 'typebox';
import {
  AnyObject,
  Nullable,
  PageQuery,
  ShownOnce,
  Strict,
  StringEnum,
  secretWithheld,
  Timestamp,
  Uuid,
} from '../../kernel/schema.ts';

/** What can be subscribed to (contract, section 12); `*` is all of them. */
export const WEBHOOK_EVENTS = [
  'conversation.completed',
  'message.created',
  'proposal.created',
  'proposal.decided',
  'task.completed',
  'task.failed',
  'document.indexed',
  'document.failed',
  'cost.alert',
  'cost.limit_reached',
  'agent.state_changed',
  'user.created',
  'notification',
] as const;

/** Why a webhook is off. */
export const DISABLED_REASONS = ['gone', 'failing', 'manual', 'key_deleted', 'account_inactive'] as const;
/** Why a delivery was cancelled. */
export const CANCELLED_REASONS = ['switched_off', 'not_allowed'] as const;

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const Events = Type.Array(StringEnum(['*', ...WEBHOOK_EVENTS]), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description: 'Types of events, or * for all',
});
const Url = Type.String({
  minLength: 1,
  maxLength: 2_048,
  description: 'Public https address; loopback, private, link-local and metadata addresses are refused',
});
const Description = Nullable(Type.String({ maxLength: 500 }));

export const CreateWebhook = Strict({ url: Url, events: Events, description: Type.Optional(Description) });
export type CreateWebhook = Static<typeof CreateWebhook>;

export const PatchWebhook = Strict(
  {
    url: Type.Optional(Url),
    events: Type.Optional(Events),
    description: Type.Optional(Description),
    status: Type.Optional(
      StringEnum(['active', 'disabled'], { description: 'active switches a disabled one on again' }),
    ),
  },
  { minProperties: 1 },
);
export type PatchWebhook = Static<typeof PatchWebhook>;

const fields = {
  id: Uuid(),
  url: Type.String(),
  events: Type.Array(Type.String()),
  description: Nullable(Type.String()),
  status: StringEnum(['active', 'disabled']),
  disabled_reason: Nullable(
    StringEnum(DISABLED_REASONS, {
      description:
        'gone: the receiver answered 410; failing: nothing was delivered for five days; key_deleted, account_inactive: whoever made or changed it cannot read for it any more, and who switches it on stands in for them',
    }),
  ),
  previous_secret_expires_at: Nullable(Timestamp()),
  created_by: Uuid(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
};

export const Webhook = Type.Object(fields);
export type Webhook = Static<typeof Webhook>;

export const WebhookWithSecret = Type.Object({
  ...fields,
  secret: ShownOnce('whsec_…, shown this once'),
  secret_withheld: secretWithheld(),
});
export type WebhookWithSecret = Static<typeof WebhookWithSecret>;

export const DeliveryAttempt = Type.Object({
  attempted_at: Timestamp(),
  duration_ms: Type.Integer(),
  request: Type.Object({ headers: AnyObject({ description: 'Without the signature' }) }),
  response: Nullable(
    Type.Object({
      status: Type.Integer(),
      headers: AnyObject(),
      body: Type.String({ description: 'The first 4 KiB' }),
    }),
  ),
  error: Nullable(Type.String()),
});

const deliveryFields = {
  id: Uuid('The webhook-id header of all attempts'),
  webhook_id: Uuid(),
  event: Type.String(),
  status: StringEnum(DELIVERY_STATUSES),
  cancelled_reason: Nullable(
    StringEnum(CANCELLED_REASONS, {
      description: 'switched_off: the webhook was; not_allowed: it may not read the record any more',
    }),
  ),
  attempts: Type.Integer(),
  response_status: Nullable(Type.Integer({ description: 'Of the last attempt' })),
  next_attempt_at: Nullable(Timestamp()),
  created_at: Timestamp(),
  finished_at: Nullable(Timestamp()),
};

export const Delivery = Type.Object(deliveryFields);
export type Delivery = Static<typeof Delivery>;

export const DeliveryWithLog = Type.Object({
  ...deliveryFields,
  request_body: Type.Optional(
    Type.String({
      description:
        'What is sent, the first 16 KiB; absent for readers who may not read the record that it tells of',
    }),
  ),
  body_withheld: Type.Optional(
    Type.String({ description: 'Why there is no request_body, and nothing of what the receiver said' }),
  ),
  log: Type.Array(DeliveryAttempt),
});
export type DeliveryWithLog = Static<typeof DeliveryWithLog>;

export const WebhookParams = Strict({ id: Uuid('Webhook id') });
export const DeliveryParams = Strict({ id: Uuid('Webhook id'), delivery_id: Uuid('Delivery id') });
export const ListWebhooks = Strict({ ...PageQuery });
export const ListDeliveries = Strict({
  ...PageQuery,
  status: Type.Optional(StringEnum(DELIVERY_STATUSES)),
  event: Type.Optional(Type.String({ maxLength: 64 })),
});
export type ListDeliveries = Static<typeof ListDeliveries>;
