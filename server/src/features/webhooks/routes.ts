import { locationOf } from '../../http/location.ts';
import { type AnyRoute, route } from '../../http/route.ts';
import { Page } from '../../kernel/schema.ts';
import {
  CreateWebhook,
  Delivery,
  DeliveryParams,
  DeliveryWithLog,
  ListDeliveries,
  ListWebhooks,
  PatchWebhook,
  Webhook,
  WebhookParams,
  WebhookWithSecret,
} from './schema.ts';
import type { Webhooks } from './service.ts';

const tag = 'Webhooks';

const subscriptionRoutes = (webhooks: Webhooks): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/webhooks',
    operationId: 'listWebhooks',
    summary: 'Webhooks of the tenant, newest first',
    tag,
    access: 'webhooks:read',
    query: ListWebhooks,
    responses: { 200: Page(Webhook) },
    handler: ({ caller, query }) => webhooks.list(caller, query),
  }),
  route({
    method: 'POST',
    path: '/webhooks',
    operationId: 'createWebhook',
    summary: 'Subscribe an address to events; the signing secret is shown this once',
    tag,
    access: 'webhooks:manage',
    body: CreateWebhook,
    responses: { 201: WebhookWithSecret },
    handler: async ({ caller, body, request, reply, requestId }) => {
      const webhook = await webhooks.create(caller, body, requestId);
      reply.header('location', locationOf(request, `/webhooks/${webhook.id}`));
      return webhook;
    },
  }),
  route({
    method: 'GET',
    path: '/webhooks/:id',
    operationId: 'getWebhook',
    summary: 'One webhook',
    tag,
    access: 'webhooks:read',
    params: WebhookParams,
    responses: { 200: Webhook },
    handler: ({ caller, params }) => webhooks.get(caller, params.id),
  }),
  route({
    method: 'PATCH',
    path: '/webhooks/:id',
    operationId: 'updateWebhook',
    summary: 'Change a webhook, or switch it on or off',
    tag,
    access: 'webhooks:manage',
    params: WebhookParams,
    body: PatchWebhook,
    responses: { 200: Webhook },
    handler: ({ caller, params, body, requestId }) => webhooks.patch(caller, params.id, body, requestId),
  }),
  route({
    method: 'DELETE',
    path: '/webhooks/:id',
    operationId: 'deleteWebhook',
    summary: 'Remove a webhook with its log',
    tag,
    access: 'webhooks:manage',
    params: WebhookParams,
    responses: { 204: null },
    handler: ({ caller, params, requestId }) => webhooks.remove(caller, params.id, requestId),
  }),
];

/** For whoever sets the receiver up. */
const receiverRoutes = (webhooks: Webhooks): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/webhooks/:id/test',
    operationId: 'testWebhook',
    summary: 'Send a webhook.test event now and see what comes back',
    tag,
    access: 'webhooks:manage',
    params: WebhookParams,
    responses: { 200: DeliveryWithLog },
    handler: ({ caller, params, requestId }) => webhooks.test(caller, params.id, requestId),
  }),
  route({
    method: 'POST',
    path: '/webhooks/:id/rotate-secret',
    operationId: 'rotateWebhookSecret',
    summary: 'A new signing secret; the old one signs along for 24 h',
    tag,
    access: 'webhooks:manage',
    params: WebhookParams,
    responses: { 200: WebhookWithSecret },
    handler: ({ caller, params, requestId }) => webhooks.rotateSecret(caller, params.id, requestId),
  }),
];

const deliveryRoutes = (webhooks: Webhooks): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/webhooks/:id/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'Deliveries of a webhook, newest first',
    tag,
    access: 'webhooks:read',
    params: WebhookParams,
    query: ListDeliveries,
    responses: { 200: Page(Delivery) },
    handler: ({ caller, params, query }) => webhooks.deliveries(caller, params.id, query),
  }),
  route({
    method: 'GET',
    path: '/webhooks/:id/deliveries/:delivery_id',
    operationId: 'getWebhookDelivery',
    summary: 'One delivery with all its attempts',
    tag,
    access: 'webhooks:read',
    params: DeliveryParams,
    responses: { 200: DeliveryWithLog },
    handler: ({ caller, params }) => webhooks.delivery(caller, params.id, params.delivery_id),
  }),
  route({
    method: 'POST',
    path: '/webhooks/:id/deliveries/:delivery_id/redeliver',
    operationId: 'redeliverWebhook',
    summary: 'Try a delivery again, with the same id and body',
    tag,
    access: 'webhooks:manage',
    params: DeliveryParams,
    responses: { 202: Delivery },
    handler: ({ caller, params, requestId }) =>
      webhooks.redeliver(caller, params.id, params.delivery_id, requestId),
  }),
];

export const webhookRoutes = (webhooks: Webhooks): AnyRoute[] => [
  ...subscriptionRoutes(webhooks),
  ...receiverRoutes(webhooks),
  ...deliveryRoutes(webhooks),
];
