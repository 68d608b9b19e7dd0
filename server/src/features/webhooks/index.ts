export { attemptDelivery } from './attempt.ts';
export { carriedWebhook } from './carried.ts';

export { aboutWebhookSecret } from './ports.ts';
export { webhookRoutes } from './routes.ts';
export { type AttemptVerdict, afterAttempt, verdictOf } from './rules.ts';
export { WEBHOOK_EVENTS } from './schema.ts';
export { createWebhooks } from './service.ts';
export { newSigningSecret as newWebhookSecret } from './signing.ts';
export { dropDeliveriesBefore } from './store.ts';
