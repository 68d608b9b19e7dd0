import type { ErrorObject } from 'ajv';
import { isStoreUnavailable, storeUnavailable } from '../db/faults.ts';
import { AppError, type FieldFault } from '../kernel/errors.ts';
import { PATTERN_WORDS } from '../kernel/schema.ts';

/** Anything that was thrown, as an error of the catalogue. What is not known becomes INTERNAL_ERROR and stays in `cause`. */

const pointer = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

const reasonOf = (fault: ErrorObject): string => {
  const { keyword, params, message } = fault;
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a known field';
    case 'type':
      return `must be ${[params.type].flat().join(' or ')}`;
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'pattern':
      return PATTERN_WORDS.get(params.pattern) ?? `must match ${params.pattern}`;
    case 'format':
      return `must be a valid ${params.format}`;
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    default:
      return message ?? 'is invalid';
  }
};

/** Ajv's faults to the contract's fields, each once; `anyOf` wrappers say nothing that their parts do not. */
export const fieldFaults = (faults: readonly ErrorObject[]): FieldFault[] => {
  const seen = new Map<string, FieldFault>();
  const useful = faults.filter((fault) => fault.keyword !== 'anyOf' && fault.keyword !== 'if');
  for (const fault of useful.length > 0 ? useful : faults) {
    const extra =
      fault.keyword === 'required'
        ? `/${pointer(String(fault.params.missingProperty))}`
        : fault.keyword === 'additionalProperties'
          ? `/${pointer(String(fault.params.additionalProperty))}`
          : '';
    const field = `${fault.instancePath}${extra}` || '/';
    const reason = reasonOf(fault);
    // A nullable field faults twice (its type and "must be null"): the first says it.
    if (fault.keyword === 'type' && fault.params.type === 'null' && seen.has(field)) continue;
    if (!seen.has(field)) seen.set(field, { field, reason });
  }
  return [...seen.values()].slice(0, 50);
};

interface FastifyFault {
  code?: string;
  statusCode?: number;
  validation?: ErrorObject[];
}

const validationError = (fields: FieldFault[]): AppError =>
  new AppError('VALIDATION_ERROR', fields.map((f) => `${f.field} ${f.reason}`).join('; '), {
    details: { fields },
  });

const byFastifyCode: Record<string, (cause: unknown) => AppError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: (cause) =>
    new AppError('PAYLOAD_TOO_LARGE', 'the request body is larger than this endpoint takes', { cause }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (cause) =>
    new AppError('UNSUPPORTED_MEDIA_TYPE', 'this content type is not taken here; send application/json', {
      cause,
    }),
  FST_ERR_CTP_EMPTY_JSON_BODY: (cause) =>
    new AppError('VALIDATION_ERROR', 'the body is empty', {
      details: { fields: [{ field: '/', reason: 'must be JSON' }] },
      cause,
    }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: (cause) =>
    new AppError('BAD_REQUEST', 'the body does not have the length that Content-Length says', { cause }),
  FST_ERR_BAD_URL: (cause) => new AppError('NOT_FOUND', 'this path does not exist', { cause }),
  FST_ERR_MAX_PARAM_LENGTH: (cause) => new AppError('NOT_FOUND', 'this path does not exist', { cause }),
  FST_REQ_FILE_TOO_LARGE: (cause) =>
    new AppError('PAYLOAD_TOO_LARGE', 'the file is larger than this server takes', { cause }),
  FST_INVALID_MULTIPART_CONTENT_TYPE: (cause) =>
    new AppError('UNSUPPORTED_MEDIA_TYPE', 'send multipart/form-data or application/json', { cause }),
};

export const mapError = (error: unknown): AppError => {
  if (error instanceof AppError) return error;
  const fault: FastifyFault = typeof error === 'object' && error !== null ? error : {};
  if (fault.validation) return validationError(fieldFaults(fault.validation));
  const known = fault.code === undefined ? undefined : byFastifyCode[fault.code];
  if (known) return known(error);
  // Before the store: a client that breaks off in mid-body is an ECONNRESET too.
  if (fault.statusCode !== undefined && fault.statusCode >= 400 && fault.statusCode < 500) {
    return new AppError('BAD_REQUEST', 'the request could not be read', { cause: error });
  }
  if (isStoreUnavailable(error)) return storeUnavailable(error);
  return new AppError('INTERNAL_ERROR', 'something went wrong inside; the request id names it in the logs', {
    cause: error,
  });
};
