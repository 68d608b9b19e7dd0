import { AppError, type ErrorCode } from '../../kernel/errors.ts';

/** A refusal by the name of the parameter. */
export const refusal = (
  param: string,
  message: string,
  openAiCode = 'unsupported_parameter',
  code: ErrorCode = 'VALIDATION_ERROR',
): AppError => new AppError(code, message, { details: { param, openai_code: openAiCode } });
