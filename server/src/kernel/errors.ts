/**
 * The error catalogue (contract, section 2). A status is looked up here and nowhere else; features
 * throw `AppError` with a code, the HTTP layer turns it into a body of the right shape.
 */
export const ERROR_STATUS = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  COST_EXCEEDED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  EXPECTATION_FAILED: 417,
  VALIDATION_ERROR: 422,
  UPGRADE_REQUIRED: 426,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  NOT_IMPLEMENTED: 501,
  UPSTREAM_ERROR: 502,
  SERVICE_UNAVAILABLE: 503,
  UPSTREAM_TIMEOUT: 504,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;
/** Whether a stored or foreign word is one of the catalogue. */
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERROR_STATUS, code);
export type AuthReason = 'TOKEN_MISSING' | 'TOKEN_INVALID' | 'TOKEN_EXPIRED' | 'TOKEN_REVOKED';

export interface AppErrorOptions {
  details?: Record<string, unknown>;
  /** Whole seconds for the `Retry-After` header. */
  retryAfterS?: number;
  headers?: Record<string, string>;
  /** The internal reason: it goes to the log, never to the client. */
  cause?: unknown;
}

/** `message` is public; what must stay inside goes into `cause`. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;
  readonly retryAfterS: number | undefined;
  readonly headers: Record<string, string>;
  /** It is in the log already, with more than its request knows. */
  logged = false;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details ?? {};
    this.retryAfterS = options.retryAfterS;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }
}

export interface FieldFault {
  /** JSON pointer into the body, or the name of a parameter behind a slash. */
  field: string;
  reason: string;
}

export const invalid = (...fields: FieldFault[]): AppError =>
  new AppError(
    'VALIDATION_ERROR',
    fields.map((f) => `${f.field} ${f.reason}`).join('; ') || 'invalid request',
    {
      details: { fields },
    },
  );

/** The faults of a part of the request as faults of the whole: `/url` of the part at `/servers/a` is `/servers/a/url`. */
export const underField = (error: unknown, pointer: string): unknown => {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') return error;
  const { fields } = error.details;
  if (!Array.isArray(fields)) return error;
  const faults = fields.flatMap((fault: unknown): FieldFault[] =>
    typeof fault === 'object' && fault !== null && 'field' in fault && 'reason' in fault
      ? [{ field: `${pointer}${fault.field}`, reason: String(fault.reason) }]
      : [],
  );
  return invalid(...faults);
};

/** Whether this is a refusal of one field and of nothing else. */
export const isFaultOf = (error: unknown, field: string): error is AppError => {
  if (!(error instanceof AppError) || error.code !== 'VALIDATION_ERROR') return false;
  const { fields } = error.details;
  if (!Array.isArray(fields) || fields.length !== 1) return false;
  const [fault] = fields as unknown[];
  return typeof fault === 'object' && fault !== null && 'field' in fault && fault.field === field;
};

/** One message for what does not exist and for what belongs to somebody else. */
export const notFound = (what: string): AppError => new AppError('NOT_FOUND', `${what} not found`);

export const conflict = (message: string, details: Record<string, unknown> = {}): AppError =>
  new AppError('CONFLICT', message, { details });

export const forbidden = (required: string): AppError =>
  new AppError('FORBIDDEN', `this needs the permission ${required}`, { details: { required } });

export const unauthorized = (reason: AuthReason, message: string): AppError =>
  new AppError('UNAUTHORIZED', message, { details: { reason } });
