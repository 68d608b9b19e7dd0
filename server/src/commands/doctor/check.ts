/** One line of the doctor. */
export interface Finding {
  level: 'ok' | 'warn' | 'fail';
  what: string;
  /** What was found; for `warn` and `fail` also what to do. */
  text: string;
}

export const ok = (what: string, text: string): Finding => ({ level: 'ok', what, text });
export const warn = (what: string, text: string): Finding => ({ level: 'warn', what, text });
export const fail = (what: string, text: string): Finding => ({ level: 'fail', what, text });

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
