/** A command of the server's program: `node server/src/main.ts <name> …`. */
export interface Command {
  /** `backup`, `audit verify` */
  name: string;
  /** What stands behind the name: `FILE [--force]`. */
  usage: string;
  /** One line for the list of commands. */
  about: string;
  /** Exit code. Throws `UsageError` for arguments that it cannot take; other errors end the program with their message. */
  run(args: readonly string[], io: Io): Promise<number>;
}

/** What a command may touch of the process around it. */
export interface Io {
  env: Record<string, string | undefined>;
  /** Folder that `pentarch.yaml` and relative paths are in. */
  folder: string;
  out(line: string): void;
  /** Overwrites the last line of a terminal; null where there is none. An empty text clears it. */
  progress?: ((line: string) => void) | null;
  now(): number;
  /** Asks whoever sits at the terminal; null where nobody does. */
  ask: ((question: string) => Promise<string>) | null;
}

export class UsageError extends Error {}

/** What `error` means for whoever sits at the terminal. */
export const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? ` (${error.cause.message})` : '';
  return error.message + cause;
};

const code = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;

/** Errors of a disk in words that say what to do; others as they are. */
export const explained = (error: unknown, file: string): unknown => {
  switch (code(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new Error(
        `no space is left on the disk of ${file}: nothing was kept. Free some, or write to another disk`,
        { cause: error },
      );
    case 'EFBIG':
      return new Error(
        `${file} may not grow so large (a limit of the process or the file system): nothing was kept`,
        {
          cause: error,
        },
      );
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new Error(`${file} cannot be written: check the folder's owner and mode`, { cause: error });
    case 'ENOENT':
      return new Error(`${file}: no such file or folder`, { cause: error });
    default:
      return error;
  }
};

export const sizeText = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
