import process from 'node:process';
import { type Logger, pino } from 'pino';

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

/** The process's log: readable on a terminal, else a line of JSON for each entry on standard output. */
export const createLogger = async (level: string, interactive: boolean): Promise<Logger> =>
  pino(
    { level, base: null, ...(level === 'trace' ? { redact: REDACTED } : {}) },
    interactive
      ? (await import('pino-pretty')).default({
          colorize: true,
          ignore: 'pid,hostname',
          translateTime: 'HH:MM:ss.l',
        })
      : batched(1),
  );
