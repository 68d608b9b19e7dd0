import { AppError, isErrorCode } from '../../kernel/errors.ts';
import { ModelError } from '../../kernel/model.ts';
import { ParseError } from '../../kernel/parser.ts';
import { throttled } from '../../kernel/throttled.ts';
import type { UploadFault } from './ports.ts';

/** What can be wrong with an upload, as answers of the contract and as they are kept. */

const unreadable = (error: ParseError, field: string): AppError =>
  new AppError('VALIDATION_ERROR', error.message, {
    details: { reason: error.fault, fields: [{ field, reason: error.message }] },
    cause: error,
  });

/** Faults of the parser and of the embedding provider as answers of the contract. */
export const asAnswer = (error: unknown, field: string): unknown => {
  if (error instanceof ParseError) return unreadable(error, field);
  if (!(error instanceof ModelError)) return error;
  if (error.status === 429) return throttled(error);
  const code = error.kind === 'timeout' ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_ERROR';
  return new AppError(code, 'the embedding provider did not answer as it should', {
    details: { provider: error.provider },
    cause: error,
  });
};

/** What a message says of what is none of the client's business. */
const OF_OURS = 'the file could not be read; it can be tried again';

export const toFault = (error: unknown): UploadFault =>
  error instanceof AppError && error.code !== 'INTERNAL_ERROR'
    ? { code: error.code, message: error.message, details: error.details }
    : { code: 'INTERNAL_ERROR', message: OF_OURS, details: {} };

export const toError = (fault: UploadFault): AppError =>
  new AppError(isErrorCode(fault.code) ? fault.code : 'INTERNAL_ERROR', fault.message, {
    details: fault.details,
  });

const LASTING: ReadonlySet<string> = new Set([
  'VALIDATION_ERROR',
  'COST_EXCEEDED',
  'FORBIDDEN',
  'NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
]);

/** Whether another attempt may fare better. */
export const mayPass = (error: unknown): boolean => !(error instanceof AppError && LASTING.has(error.code));
