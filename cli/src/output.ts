import type { Failure } from './errors.ts';
import { recordText, tableText } from './table.ts';
import { oneLine, safe } from './text.ts';

/** Where answers go: standard output for what was asked for, standard error for everything said about it. */

export interface Sink {
  write(text: string | Uint8Array): void;
  readonly isTTY: boolean;
  /** Columns of the terminal; undefined where there is none. */
  readonly columns: number | undefined;
}

export interface List {
  readonly items: readonly unknown[];
  readonly total: number | null;
  readonly nextCursor: string | null;
}

export interface Output {
  readonly json: boolean;
  /** Standard output is a terminal. */
  readonly terminal: boolean;
  /** To standard output as it is; for files and texts that are the answer. */
  raw(text: string | Uint8Array): void;
  /** A text of a server, made harmless, to standard output. */
  text(text: string): void;
  line(text: string): void;
  /** One record: JSON under --json, a line for each field else. */
  record(value: unknown): void;
  list(list: List, columns: readonly string[]): void;
  /** Something was done. Under --json only `value` comes out. */
  done(text: string, value: unknown): void;
  /** To standard error; not under --json. */
  note(text: string): void;
  /** To standard error as it is, for bars and prompts. */
  status(text: string): void;
  failure(failure: Failure): void;
  dim(text: string): string;
  bold(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
}

export interface OutputOptions {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly json: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const present = (text: string | undefined): boolean => text !== undefined && text !== '';

export const createOutput = ({ stdout, stderr, json, env }: OutputOptions): Output => {
  // NO_COLOR and FORCE_COLOR as on no-color.org and force-color.org; TERM=dumb shows none.
  const colour = present(env.NO_COLOR)
    ? false
    : present(env.FORCE_COLOR) || (stdout.isTTY && stderr.isTTY && env.TERM !== 'dumb');
  const paint =
    (code: number) =>
    (text: string): string =>
      colour ? `\u001b[${code}m${text}\u001b[0m` : text;
  const room = stdout.isTTY ? (stdout.columns ?? 80) : Number.POSITIVE_INFINITY;
  const print = (value: unknown): void => stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  const paints = { dim: paint(2), bold: paint(1), good: paint(32), bad: paint(31), warn: paint(33) };
  return {
    json,
    terminal: stdout.isTTY,
    raw: (text) => stdout.write(text),
    text: (text) => stdout.write(safe(text)),
    line: (text) => stdout.write(`${text}\n`),
    record: (value) => (json ? print(value) : stdout.write(recordText(value, room))),
    list({ items, total, nextCursor }, columns) {
      if (json) return print({ items, total, next_cursor: nextCursor });
      if (items.length === 0) return stderr.write('nothing found\n');
      stdout.write(tableText(columns, items, room));
      if (nextCursor !== null) {
        const of = total === null ? '' : ` of ${total}`;
        stderr.write(paints.dim(`${items.length}${of}; --cursor ${nextCursor} or --all shows more\n`));
      }
    },
    done: (text, value) => (json ? print(value) : stdout.write(`${oneLine(text)}\n`)),
    note: (text) => {
      if (!json) stderr.write(`${safe(text)}\n`);
    },
    status: (text) => stderr.write(text),
    failure(failure) {
      const { exitCode, code, reason, message, hint, requestId, fields } = failure;
      if (json) {
        const error = { code, reason, message, hint, request_id: requestId, exit_code: exitCode, fields };
        stderr.write(`${JSON.stringify({ error })}\n`);
        return;
      }
      stderr.write(`${paints.bad('error:')} ${oneLine(message)}\n`);
      // A single fault is the message itself.
      for (const field of fields) {
        const line = `${oneLine(field.field)} ${oneLine(field.reason)}`;
        if (line !== oneLine(message)) stderr.write(`  ${line}\n`);
      }
      if (requestId !== null) stderr.write(paints.dim(`  request ${oneLine(requestId)}\n`));
      if (hint !== null) stderr.write(`  ${hint}\n`);
    },
    ...paints,
  };
};
