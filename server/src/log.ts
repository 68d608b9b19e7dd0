import process from 'node:process';
import { type Logger, pino } from 'pino';
import { logCarrier } from './db/scope.ts';
import { logFields, useLogCarrier } from './kernel/log-fields.ts';

/**
 * Lines of one turn of the event loop leave in one system call: a write for each line costs as much as the routing of
 * its request. What a crash can lose is the turn it happens in; on an ordinary end everything is written.
 */
const batched = (fd: number) => {
  const out = pino.destination({ fd, sync: true });
  let waiting = '';
  const flush = (): void => {
    const lines = waiting;
    waiting = '';
    if (lines !== '') out.write(lines);
  };
  process.on('exit', flush);
  return {
    write(line: string): void {
      if (waiting === '') setImmediate(flush);
      waiting += line;
    },
  };
};

/** The upload plugin traces its options with the headers of the request, the token among them. */
const REDACTED = { paths: ['busboyOptions.headers'], remove: true };

const NOTHING = Object.freeze({});
/** What a line is of: its request, run, tenant, person and client. What the line or its logger says itself is not said twice. */
const ofWork = (_line: object, _level: number, logger: Logger): object => {
  const fields = logFields();
  if (fields === null) return NOTHING;
  const said = logger.bindings();
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(said, name)));
};

export interface LogOptions {
  level: string;
  /** `pino`: its numbers of levels and epoch ms; `standard`: names of levels and ISO 8601. */
  format: 'pino' | 'standard';
  /** Standard output is a terminal. */
  interactive: boolean;
}

/** The process's log: readable on a terminal, else a line of JSON for each entry on standard output. */
export const createLogger = async ({ level, format, interactive }: LogOptions): Promise<Logger> => {
  useLogCarrier(logCarrier);
  return pino(
    {
      level,
      base: null,
      mixin: ofWork,
      mixinMergeStrategy: (line, fields) => (fields === NOTHING ? line : Object.assign(fields, line)),
      ...(level === 'trace' ? { redact: REDACTED } : {}),
      ...(format === 'standard' && !interactive
        ? {
            formatters: { level: (label: string) => ({ level: label }) },
            timestamp: pino.stdTimeFunctions.isoTime,
          }
        : {}),
    },
    interactive
      ? (await import('pino-pretty')).default({
          colorize: true,
          ignore: 'pid,hostname',
          translateTime: 'HH:MM:ss.l',
        })
      : batched(1),
  );
};
