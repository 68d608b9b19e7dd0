import { tmpdir } from 'node:os';
import { runCommand } from '../../src/commands/index.ts';
import type { CommandResult } from './command.ts';

/** As `runCommand` of command.ts, in this process: a suite that calls commands a hundred times starts no hundred processes. */
export const runCommandHere = async (
  args: readonly string[],
  env: Record<string, string>,
): Promise<CommandResult> => {
  const out: string[] = [];
  const err: string[] = [];
  const io = {
    env: { MODEL: 'builtin', SHUTDOWN_LEAD_S: '0', ...env },
    folder: tmpdir(),
    out: (line: string): void => void out.push(line),
    now: Date.now,
    ask: null,
  };
  const code = await runCommand(args, io, (line) => void err.push(line));
  const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  return { code, out: text(out), err: text(err) };
};
