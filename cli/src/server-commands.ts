import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { CliError, type ExitCode } from './errors.ts';

/**
 * Commands that work on the data of a server on this machine. They belong to the server's package, which is started for
 * them with the same arguments; this is the only list of them.
 */
export interface ServerCommand {
  /** Words in front of the arguments. */
  readonly words: readonly string[];
  readonly about: string;
  readonly examples: readonly string[];
}

export const SERVER_COMMANDS: readonly ServerCommand[] = [
  {
    words: ['serve'],
    about:
      'Run the server in this folder; its settings are environment variables (docs/reference/settings.md)',
    examples: ['serve', 'PORT=9000 DATA_DIR=/srv/pentarch pentarch serve'],
  },
  {
    words: ['backup'],
    about: 'Write everything that the server stores into one file',
    examples: ['backup --help'],
  },
  {
    words: ['restore'],
    about: 'Put a backup back',
    examples: ['restore --help'],
  },
  {
    words: ['export'],
    about: 'Write one tenant with all its records into a file',
    examples: ['export --help'],
  },
  {
    words: ['import'],
    about: 'Take a tenant in from a file; --foreign for one that another platform made',
    examples: ['import --help'],
  },
  {
    words: ['migrate'],
    about: 'Bring the store to the present schema',
    examples: ['migrate --help'],
  },
  {
    words: ['purge'],
    about: 'Remove what the retention settings no longer keep',
    examples: ['purge --help'],
  },
  {
    words: ['audit', 'verify'],
    about: 'Prove the audit chains in the store, without a running server',
    examples: ['audit verify --help'],
  },
  {
    words: ['keys', 'recover'],
    about: 'After the keys of the server were lost for good: make new ones, keep all records',
    examples: ['keys recover --help'],
  },
  {
    words: ['model', 'pull'],
    about: 'Get a language or an embedding model from the network, to run on this machine',
    examples: ['model pull --help'],
  },
  {
    words: ['model', 'list'],
    about: 'Models that were pulled, and a short list of those that can be',
    examples: ['model list'],
  },
  {
    words: ['model', 'remove'],
    about: 'Delete a pulled model',
    examples: ['model remove --help'],
  },
];

export const serverCommandOf = (args: readonly string[]): ServerCommand | null =>
  SERVER_COMMANDS.find(({ words }) => words.every((word, n) => args[n] === word)) ?? null;

const serverFolder = (): string => {
  try {
    return path.dirname(createRequire(import.meta.url).resolve('pentarch/package.json'));
  } catch {
    throw new CliError('the server is not installed on this machine', 1, 'install the package "pentarch"');
  }
};

/** As in `npm start` of the repository: without it V8 keeps much room for what the start leaves behind. */
const SERVER_FLAGS = ['--max-semi-space-size=64'];

/** Runs the server's package with the arguments as they are; signals reach it, its exit code is ours. */
export const handOn = (
  args: readonly string[],
  interrupted: (listener: () => void) => () => void,
): Promise<ExitCode | number> => {
  const folder = serverFolder();
  // The repository runs from its sources, the package from what was compiled of them.
  const inSources = existsSync(path.join(folder, 'src', 'start.js'));
  const entry = inSources ? path.join(folder, 'src', 'start.js') : path.join(folder, 'dist', 'main.js');
  const [first = ''] = args;
  if (first !== 'serve' && !existsSync(path.join(path.dirname(entry), 'commands'))) {
    throw new CliError(`this server has no command ${args.join(' ')}`, 2);
  }
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...SERVER_FLAGS, entry, ...args], { stdio: 'inherit' });
    // A terminal's Ctrl-C reaches the child by itself; it decides when to end.
    const forget = interrupted(() => {});
    const stop = (): void => void child.kill('SIGTERM');
    process.once('SIGTERM', stop);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      forget();
      process.removeListener('SIGTERM', stop);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 143));
    });
  });
};
