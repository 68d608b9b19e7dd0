import type { AppError, ErrorCode } from '../kernel/errors.ts';

/** Largest refused body that is read to its end, so that its sender gets to the answer instead of a broken connection. */
export const MAX_DRAINED_BYTES = 32 * 1024 * 1024;

/**
 * A and B are the contract's, section 2; `oauth` is that of the identity provider's own paths (RFC 6749, 5.2), `openai`
 * that of the OpenAI-compatible door, `anthropic` that of `/v1/messages`, `jsonrpc` that of the A2A door, `scim` that of
 * RFC 7644, section 3.12.
 */
export type ErrorShape = 'A' | 'B' | 'oauth' | 'openai' | 'anthropic' | 'jsonrpc' | 'scim';

/** JSON-RPC 2.0, section 5.1; the rest are server errors of its free range. */
const RPC_CODES: Partial<Record<ErrorCode, number>> = {
  VALIDATION_ERROR: -32602,
  INTERNAL_ERROR: -32603,
};

/** Of a body that is no JSON. */
const PARSE_ERROR = -32700;

/** The plain ones of an error's details: ErrorInfo has texts alone. */
const textsOf = (details: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(details).flatMap(([name, value]) =>
      typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [],
    ),
  );

/** What a refusal looks like to a client of the A2A protocol; `id` of its request where that has been read. */
export const rpcError = (
  error: AppError,
  requestId: string,
  id: string | number | null = null,
): Record<string, unknown> => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: error.cause instanceof SyntaxError ? PARSE_ERROR : (RPC_CODES[error.code] ?? -32000),
    message: error.message,
    data: [
      {
        '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
        reason: error.code,
        domain: 'pentarch',
        metadata: { ...textsOf(error.details), request_id: requestId },
      },
    ],
  },
});

/** By the OpenAI API's own words where it has one for the case. */
const OPENAI_CODES: Partial<Record<ErrorCode, string>> = {
  UNAUTHORIZED: 'invalid_api_key',
  FORBIDDEN: 'insufficient_permissions',
  COST_EXCEEDED: 'insufficient_quota',
  RATE_LIMITED: 'rate_limit_exceeded',
  VALIDATION_ERROR: 'invalid_value',
};
const OPENAI_TYPES: Partial<Record<ErrorCode, string>> = {
  COST_EXCEEDED: 'insufficient_quota',
  RATE_LIMITED: 'rate_limit_error',
};

const firstField = (details: Record<string, unknown>): string | null => {
  const fields: unknown = details.fields;
  const first: unknown = Array.isArray(fields) ? fields[0] : undefined;
  if (typeof first !== 'object' || first === null || !('field' in first)) return null;
  const path = String(first.field).slice(1).replaceAll('/', '.');
  return path === '' ? null : path;
};

/** What a refusal says beside its message, without what stands elsewhere in the OpenAI API's body. */
const furtherDetails = (details: Record<string, unknown>): { details?: Record<string, unknown> } => {
  const { param: _param, openai_code: _code, fields: _fields, ...rest } = details;
  return Object.keys(rest).length === 0 ? {} : { details: rest };
};

/** The body of an error on `/v1`; also what its streams send for one. */
export const openAiError = (error: AppError, requestId: string): Record<string, unknown> => {
  const { code, message, details } = error;
  return {
    error: {
      message,
      type: OPENAI_TYPES[code] ?? (error.status >= 500 ? 'server_error' : 'invalid_request_error'),
      param: typeof details.param === 'string' ? details.param : firstField(details),
      code:
        typeof details.openai_code === 'string'
          ? details.openai_code
          : (OPENAI_CODES[code] ?? code.toLowerCase()),
      ...furtherDetails(details),
      request_id: requestId,
    },
  };
};

const ANTHROPIC_TYPES: Partial<Record<ErrorCode, string>> = {
  UNAUTHORIZED: 'authentication_error',
  FORBIDDEN: 'permission_error',
  NOT_FOUND: 'not_found_error',
  COST_EXCEEDED: 'billing_error',
  PAYLOAD_TOO_LARGE: 'request_too_large',
  RATE_LIMITED: 'rate_limit_error',
  SERVICE_UNAVAILABLE: 'overloaded_error',
  UPSTREAM_TIMEOUT: 'timeout_error',
};

/** The body of an error on `/v1/messages`; also what its streams send for one. */
export const anthropicError = (error: AppError, requestId: string): Record<string, unknown> => {
  const { code, message, details } = error;
  const param = typeof details.param === 'string' ? details.param : firstField(details);
  return {
    type: 'error',
    error: {
      type: ANTHROPIC_TYPES[code] ?? (error.status >= 500 ? 'api_error' : 'invalid_request_error'),
      message: param === null ? message : `${param}: ${message}`,
      ...furtherDetails(details),
    },
    request_id: requestId,
  };
};

const HAS_NO_422: ReadonlySet<ErrorShape> = new Set(['openai', 'anthropic', 'jsonrpc', 'scim']);

/** The status by which an error leaves: these protocols have 400 for what the contract calls 422. */
export const errorStatus = (error: AppError, shape: ErrorShape): number =>
  shape === 'scim' && error.details.precondition === true
    ? 412
    : HAS_NO_422.has(shape) && error.code === 'VALIDATION_ERROR'
      ? 400
      : error.status;

/** Content type of an error's body. */
export const errorType = (shape: ErrorShape): string =>
  shape === 'scim' ? 'application/scim+json; charset=utf-8' : 'application/json; charset=utf-8';

/** RFC 7644, section 3.12; `scim_type` in an error's details is its `scimType`. */
const scimError = (error: AppError): Record<string, unknown> => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: String(errorStatus(error, 'scim')),
  ...(typeof error.details.scim_type === 'string'
    ? { scimType: error.details.scim_type }
    : error.code === 'VALIDATION_ERROR'
      ? { scimType: error.cause instanceof SyntaxError ? 'invalidSyntax' : 'invalidValue' }
      : {}),
  detail: error.message,
});

const OAUTH_CODES: Partial<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'invalid_request',
  UNAUTHORIZED: 'invalid_token',
  FORBIDDEN: 'insufficient_scope',
  PAYLOAD_TOO_LARGE: 'invalid_request',
  URI_TOO_LONG: 'invalid_request',
  UNSUPPORTED_MEDIA_TYPE: 'invalid_request',
  VALIDATION_ERROR: 'invalid_request',
  RATE_LIMITED: 'temporarily_unavailable',
  SERVICE_UNAVAILABLE: 'temporarily_unavailable',
  INTERNAL_ERROR: 'server_error',
};

/**
 * The error bodies. In shape B `code` is the reason where there is one (TOKEN_EXPIRED),
 * else the table's code.
 */
export const errorBody = (error: AppError, shape: ErrorShape, requestId: string): Record<string, unknown> => {
  const { code, message, details } = error;
  if (shape === 'oauth') {
    return {
      error: OAUTH_CODES[code] ?? code.toLowerCase(),
      error_description: message,
      request_id: requestId,
    };
  }
  if (shape === 'jsonrpc') return rpcError(error, requestId);
  if (shape === 'scim') return scimError(error);
  if (shape === 'openai') return openAiError(error, requestId);
  if (shape === 'anthropic') return anthropicError(error, requestId);
  if (shape === 'A') return { error: { code, message, details, request_id: requestId } };
  const reason = code === 'UNAUTHORIZED' && typeof details.reason === 'string' ? details.reason : code;
  return { error: code.toLowerCase(), message, code: reason, details, request_id: requestId };
};

/** Headers that belong to an error, whatever its body: RFC 6750 for 401, Retry-After, Allow and the like. */
export const errorHeaders = (error: AppError): Record<string, string> => {
  const headers: Record<string, string> = { ...error.headers };
  if (error.code === 'UNAUTHORIZED') {
    const missing = error.details.reason === 'TOKEN_MISSING' || error.details.reason === undefined;
    headers['www-authenticate'] = missing
      ? 'Bearer'
      : `Bearer error="invalid_token", error_description="${error.message.replaceAll(/["\\]/g, '')}"`;
  }
  if (error.retryAfterS !== undefined)
    headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterS)));
  return headers;
};
