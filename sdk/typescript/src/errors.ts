/**
 * Errors that the client throws. Every one is a `PentarchError`; an answer of the API becomes the class of its code
 * (contract, section 2), whichever of the two body shapes it came in. No text ever holds a token.
 */

export class PentarchError extends Error {
  override name = 'PentarchError';
}

/** No answer came: refused, reset, name not found. The request may or may not have been carried out. */
export class ConnectionFailedError extends PentarchError {
  override name = 'ConnectionFailedError';
}

/** The time limit of the call passed. */
export class TimedOutError extends PentarchError {
  override name = 'TimedOutError';
}

/** The caller's AbortSignal fired. */
export class CancelledError extends PentarchError {
  override name = 'CancelledError';
}

/** The answer was no JSON, or a stream ended in a way from which it cannot be taken up again. */
export class ProtocolError extends PentarchError {
  override name = 'ProtocolError';
}

/** A webhook whose signature, time or headers are not right. */
export class WebhookVerificationError extends PentarchError {
  override name = 'WebhookVerificationError';
}

/** The identity provider's answer to a token request (RFC 6749, section 5.2). */
export class OAuthError extends PentarchError {
  override name = 'OAuthError';
  readonly code: string;
  readonly status: number;
  constructor(code: string, description: string, status: number) {
    super(description === '' ? code : `${code}: ${description}`);
    this.code = code;
    this.status = status;
  }
}

export interface ApiErrorInit {
  status: number;
  code: string;
  reason: string | null;
  message: string;
  details: Readonly<Record<string, unknown>>;
  requestId: string | null;
  /** Seconds that the server asks to wait; null when it did not say. */
  retryAfterS: number | null;
}

/** An error answer of the API. */
export class ApiError extends PentarchError {
  override name = 'ApiError';
  readonly status: number;
  /** A code of the contract's table, e.g. NOT_FOUND. */
  readonly code: string;
  /** Closer reason where there is one, e.g. TOKEN_EXPIRED. */
  readonly reason: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  /** Name it to the operator: it stands in logs, traces and audit rows. */
  readonly requestId: string | null;
  readonly retryAfterS: number | null;
  constructor(init: ApiErrorInit) {
    super(init.message);
    this.status = init.status;
    this.code = init.code;
    this.reason = init.reason;
    this.details = init.details;
    this.requestId = init.requestId;
    this.retryAfterS = init.retryAfterS;
  }
}

export class BadRequestError extends ApiError {
  override name = 'BadRequestError';
}
export class UnauthorizedError extends ApiError {
  override name = 'UnauthorizedError';
}
export class CostExceededError extends ApiError {
  override name = 'CostExceededError';
}
export class ForbiddenError extends ApiError {
  override name = 'ForbiddenError';
}
export class NotFoundError extends ApiError {
  override name = 'NotFoundError';
}
export class MethodNotAllowedError extends ApiError {
  override name = 'MethodNotAllowedError';
}
export class RequestTimeoutError extends ApiError {
  override name = 'RequestTimeoutError';
}
export class ConflictError extends ApiError {
  override name = 'ConflictError';
}
export class PayloadTooLargeError extends ApiError {
  override name = 'PayloadTooLargeError';
}
export class UnsupportedMediaTypeError extends ApiError {
  override name = 'UnsupportedMediaTypeError';
}
export class RateLimitedError extends ApiError {
  override name = 'RateLimitedError';
}
export class InternalServerError extends ApiError {
  override name = 'InternalServerError';
}
export class NotImplementedError extends ApiError {
  override name = 'NotImplementedError';
}
export class UpstreamError extends ApiError {
  override name = 'UpstreamError';
}
export class ServiceUnavailableError extends ApiError {
  override name = 'ServiceUnavailableError';
}
export class UpstreamTimeoutError extends ApiError {
  override name = 'UpstreamTimeoutError';
}

export class ValidationError extends ApiError {
  override name = 'ValidationError';
  /** The fields at fault, by JSON pointer. */
  get fields(): readonly { field: string; reason: string }[] {
    const { fields } = this.details;
    if (!Array.isArray(fields)) return [];
    return fields.flatMap((entry: unknown) => {
      if (!isRecord(entry)) return [];
      return [{ field: String(entry.field ?? ''), reason: String(entry.reason ?? '') }];
    });
  }
}

type ApiErrorClass = new (init: ApiErrorInit) => ApiError;

const CLASSES: Readonly<Record<string, ApiErrorClass>> = {
  BAD_REQUEST: BadRequestError,
  UNAUTHORIZED: UnauthorizedError,
  COST_EXCEEDED: CostExceededError,
  FORBIDDEN: ForbiddenError,
  NOT_FOUND: NotFoundError,
  METHOD_NOT_ALLOWED: MethodNotAllowedError,
  REQUEST_TIMEOUT: RequestTimeoutError,
  CONFLICT: ConflictError,
  PAYLOAD_TOO_LARGE: PayloadTooLargeError,
  UNSUPPORTED_MEDIA_TYPE: UnsupportedMediaTypeError,
  VALIDATION_ERROR: ValidationError,
  RATE_LIMITED: RateLimitedError,
  INTERNAL_ERROR: InternalServerError,
  NOT_IMPLEMENTED: NotImplementedError,
  UPSTREAM_ERROR: UpstreamError,
  SERVICE_UNAVAILABLE: ServiceUnavailableError,
  UPSTREAM_TIMEOUT: UpstreamTimeoutError,
};

/** For answers without a body of ours, such as those of a proxy. */
const CODE_OF_STATUS: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  402: 'COST_EXCEEDED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'VALIDATION_ERROR',
  429: 'RATE_LIMITED',
  501: 'NOT_IMPLEMENTED',
  502: 'UPSTREAM_ERROR',
  503: 'SERVICE_UNAVAILABLE',
  504: 'UPSTREAM_TIMEOUT',
};

const STATUS_OF_CODE = new Map(
  Object.entries(CODE_OF_STATUS).map(([status, code]) => [code, Number(status)]),
);

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOr = <T>(value: unknown, otherwise: T): string | T =>
  typeof value === 'string' ? value : otherwise;

/**
 * The error of a body in shape A or B; null where it is neither.
 * @param status of the HTTP answer; 0 for an `error` event of a stream, whose status then follows from the code.
 */
export const apiErrorFrom = (
  body: unknown,
  status: number,
  requestId: string | null,
  retryAfterS: number | null,
): ApiError | null => {
  if (!isRecord(body)) return null;
  const inner = isRecord(body.error) ? body.error : body;
  const given = textOr(inner.code, '');
  if (given === '') return null;
  const details = isRecord(inner.details) ? inner.details : {};
  // Shape B names the table's code in `error` and the reason in `code`; shape A has the reason in the details.
  const code = typeof body.error === 'string' ? body.error.toUpperCase() : given;
  const reason = given === code ? textOr(details.reason, null) : given;
  const init: ApiErrorInit = {
    status: status === 0 ? (STATUS_OF_CODE.get(code) ?? 500) : status,
    code,
    reason,
    message: textOr(inner.message, code),
    details,
    requestId: textOr(inner.request_id, requestId),
    retryAfterS,
  };
  return new (CLASSES[code] ?? ApiError)(init);
};

/** The error of any answer that is no success. */
export const errorOfAnswer = (
  status: number,
  text: string,
  requestId: string | null,
  retryAfterS: number | null,
): ApiError => {
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // No body of ours: the status alone says what it is.
  }
  const known = apiErrorFrom(body, status, requestId, retryAfterS);
  if (known !== null) return known;
  const code = CODE_OF_STATUS[status] ?? (status >= 500 ? 'INTERNAL_ERROR' : 'BAD_REQUEST');
  const message = `the server answered ${status} without an error body`;
  return new (CLASSES[code] ?? ApiError)({
    status,
    code,
    reason: null,
    message,
    details: {},
    requestId,
    retryAfterS,
  });
};
