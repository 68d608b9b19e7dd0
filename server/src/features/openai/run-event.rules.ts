import { AppError, type ErrorCode } from '../../kernel/errors.ts';

/** What the doors read out of the data of a run's events, which this platform has put there itself (chat/ending.ts). */

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export const idOf = (data: unknown): string =>
  typeof data === 'object' && data !== null && 'id' in data ? text(data.id) : '';

export const errorOf = (data: unknown): AppError => {
  const { code, message, details } = data as {
    code: ErrorCode;
    message: string;
    details: Record<string, unknown>;
  };
  return new AppError(code, message, { details });
};
