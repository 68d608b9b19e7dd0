import {
  ApiError,
  CancelledError,
  ConnectionFailedError,
  OAuthError,
  PentarchError,
  ProtocolError,
  TimedOutError,
} from 'pentarch-sdk';

/** What went wrong, as an exit code and a text for people or programs. No text ever holds a token. */

export const EXIT_CODES = {
  0: 'done',
  1: 'anything that has no code of its own',
  2: 'wrong use: unknown command or option, a value that cannot be read',
  3: 'not signed in, or the token was refused (401)',
  4: 'not allowed (403)',
  5: 'not found (404)',
  6: 'the request was not accepted (400, 405, 413, 415, 422)',
  7: 'conflict with what is there (409)',
  8: 'too many requests (429)',
  9: 'a cost limit is reached (402)',
  10: 'the server or something behind it failed (500, 501, 502, 504)',
  11: 'no answer: not reachable, or not ready (503)',
  12: 'the time limit passed (also 408)',
  13: 'done in part: some of several failed',
  14: 'stopped before its end: a run that awaits approval or ran out of budget',
  130: 'interrupted with Ctrl-C',
} as const;

export type ExitCode = keyof typeof EXIT_CODES;

/** An error of the command line itself. */
export class CliError extends Error {
  override name = 'CliError';
  readonly exitCode: ExitCode;
  readonly code: string;
  /** What to do about it. */
  readonly hint: string | null;
  constructor(message: string, exitCode: ExitCode, hint: string | null = null, code = 'CLI_ERROR') {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
    this.code = code;
  }
}

export const usage = (message: string, hint: string | null = null): CliError =>
  new CliError(message, 2, hint, 'USAGE');

const CODE_OF_STATUS: Readonly<Record<number, ExitCode>> = {
  400: 6,
  401: 3,
  402: 9,
  403: 4,
  404: 5,
  405: 6,
  408: 12,
  409: 7,
  413: 6,
  415: 6,
  422: 6,
  429: 8,
  503: 11,
};

export interface Failure {
  readonly exitCode: ExitCode;
  readonly code: string;
  readonly reason: string | null;
  readonly message: string;
  readonly hint: string | null;
  readonly requestId: string | null;
  readonly fields: readonly { field: string; reason: string }[];
}

const fieldsOf = (error: ApiError): { field: string; reason: string }[] => {
  const { fields } = error.details;
  if (!Array.isArray(fields)) return [];
  return fields.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return [];
    const field = 'field' in entry ? String(entry.field) : '';
    const reason = 'reason' in entry ? String(entry.reason) : '';
    return [{ field, reason }];
  });
};

const hintOf = (error: ApiError): string | null => {
  if (error.status === 401) return 'sign in with "pentarch login", or set PENTARCH_TOKEN';
  if (error.status === 429 && error.retryAfterS !== null) return `try again in ${error.retryAfterS} s`;
  if (error.status === 402) return '"pentarch costs limits" shows what is left';
  if (error.status === 503) return '"pentarch doctor" tells what is not ready';
  return null;
};

const plain = (exitCode: ExitCode, code: string, message: string, hint: string | null = null): Failure => ({
  exitCode,
  code,
  reason: null,
  message,
  hint,
  requestId: null,
  fields: [],
});

export const failureOf = (error: unknown): Failure => {
  if (error instanceof CliError) return plain(error.exitCode, error.code, error.message, error.hint);
  if (error instanceof ApiError) {
    const exitCode = CODE_OF_STATUS[error.status] ?? (error.status >= 500 ? 10 : 1);
    const { code, reason, message, requestId } = error;
    return { exitCode, code, reason, message, hint: hintOf(error), requestId, fields: fieldsOf(error) };
  }
  if (error instanceof OAuthError) {
    const hint = 'the sign-in is over: "pentarch login" begins a new one';
    return plain(error.status >= 500 ? 10 : 3, error.code.toUpperCase(), error.message, hint);
  }
  if (error instanceof ConnectionFailedError) {
    return plain(11, 'UNREACHABLE', error.message, '"pentarch doctor" looks for the reason');
  }
  if (error instanceof TimedOutError) return plain(12, 'TIMED_OUT', error.message);
  if (error instanceof CancelledError) return plain(130, 'CANCELLED', 'interrupted');
  if (error instanceof ProtocolError) return plain(10, 'PROTOCOL', error.message);
  if (error instanceof PentarchError) return plain(1, 'CLIENT', error.message);
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    const missing = error.code === 'ENOENT' || error.code === 'EISDIR' || error.code === 'EACCES';
    return plain(missing ? 2 : 1, error.code, error.message);
  }
  return plain(1, 'FAILED', error instanceof Error ? error.message : String(error));
};
