export {
  type MachineKey,
  parseMachineKey,
  passwordLogin,
  type RefreshOptions,
  refreshing,
  type ServiceAccountOptions,
  serviceAccount,
  staticToken,
  type TokenContext,
  type TokenSource,
  type Tokens,
} from './auth.ts';
export { type Client, createClient } from './client.ts';
export {
  ApiError,
  type ApiErrorInit,
  BadRequestError,
  CancelledError,
  ConflictError,
  ConnectionFailedError,
  CostExceededError,
  ForbiddenError,
  InternalServerError,
  MethodNotAllowedError,
  NotFoundError,
  NotImplementedError,
  OAuthError,
  PayloadTooLargeError,
  PentarchError,
  ProtocolError,
  RateLimitedError,
  RequestTimeoutError,
  ServiceUnavailableError,
  TimedOutError,
  UnauthorizedError,
  UnsupportedMediaTypeError,
  UpstreamError,
  UpstreamTimeoutError,
  ValidationError,
  WebhookVerificationError,
} from './errors.ts';
export { type LiveEvent, type LiveOptions, liveEvents } from './events.ts';
export type * from './generated/models.ts';
export * as resources from './generated/resources.ts';
export {
  type Answer,
  type Call,
  type CallOptions,
  type ClientOptions,
  createHttp,
  type Http,
  type LogEntry,
  type QueryValue,
} from './http.ts';
export { allBareItems, allItems, nextQueryOf, type Page } from './pages.ts';
export {
  type AuthorizeOptions,
  authorizeUrl,
  challengeOf,
  createPkce,
  type ExchangeOptions,
  exchangeCode,
  type Pkce,
} from './pkce.ts';
export { createSseParser, type SseEvent, type SseParser } from './sse.ts';
export type { ChatEvent, ChatStream } from './stream.ts';
export { type UploadOptions, uploadDocument } from './uploads.ts';
export { type VerifyOptions, verifyWebhook, type WebhookPayload } from './webhooks.ts';
