import type { Clock } from '../../kernel/clock.ts';
import type { LogLine } from './types.ts';

const MAX_LOG_LINES = 500;

/** The last lines of a server and about it, without secrets. */
export const createServerLog = ({ clock, redact }: { clock: Clock; redact(text: string): string }) => {
  const lines: LogLine[] = [];
  return {
    lines: (): readonly LogLine[] => lines,
    note(source: LogLine['source'], text: string): void {
      lines.push({ at: clock.now(), source, text: redact(text) });
      if (lines.length > MAX_LOG_LINES) lines.splice(0, lines.length - MAX_LOG_LINES);
    },
  };
};
