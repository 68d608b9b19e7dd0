import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The shell in which commands of the documents run: a folder of its own, `pentarch` and `npx` from this repository (nothing
 * is fetched), and a curl that takes a refusal for the failure that it is.
 */

export const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const { PATH: OUTER_PATH = '', TMPDIR = '/tmp', NODE_COMPILE_CACHE = '' } = process.env;

export interface ShellEnd {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface ShellRun {
  readonly child: ChildProcess;
  readonly ended: Promise<ShellEnd>;
  /** Resolves when the text has come on either stream; rejects where the command ended before. */
  said(text: RegExp): Promise<RegExpExecArray>;
  /** To the command and everything that it started. */
  signal(signal: NodeJS.Signals): void;
}

export interface DocShell {
  readonly folder: string;
  readonly path: string;
  start(code: string, options?: { env?: Record<string, string>; input?: string; cwd?: string }): ShellRun;
  run(
    code: string,
    options?: { env?: Record<string, string>; input?: string; cwd?: string },
  ): Promise<ShellEnd>;
}

const program = (file: string, text: string): void => {
  writeFileSync(file, `#!/bin/sh\n${text}\n`);
  chmodSync(file, 0o755);
};

export const createDocShell = (home: string): DocShell => {
  const folder = path.join(home, 'work');
  const bin = path.join(home, 'bin');
  mkdirSync(folder);
  mkdirSync(bin);
  mkdirSync(path.join(home, '.config', 'fish', 'completions'), { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"private":true,"type":"module"}\n');
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const node = process.execPath;
  program(path.join(bin, 'node'), `exec '${node}' "$@"`);
  program(path.join(bin, 'pentarch'), `exec '${node}' '${ROOT}/cli/bin/pentarch.js' "$@"`);
  program(path.join(bin, 'xdg-open'), 'exit 0');
  program(path.join(bin, 'curl'), `PATH='${OUTER_PATH}' exec curl --fail-with-body "$@"`);
  program(
    path.join(bin, 'npx'),
    `if [ "$1" = -y ]; then
  package=$2; shift 2
  exec '${node}' "${ROOT}/node_modules/$package/dist/index.js" "$@"
fi
PATH='${OUTER_PATH}' exec npx --no-install "$@"`,
  );
  const searchPath = `${bin}:${OUTER_PATH}`;

  const start: DocShell['start'] = (code, options = {}) => {
    const child = spawn('bash', ['-o', 'pipefail', '-e', '-c', code], {
      cwd: options.cwd ?? folder,
      env: {
        PATH: searchPath,
        HOME: home,
        TMPDIR,
        NODE_COMPILE_CACHE,
        NO_COLOR: '1',
        SHUTDOWN_LEAD_S: '0',
        ...options.env,
      },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    let out = '';
    let err = '';
    const listeners = new Set<() => void>();
    const tell = (): void => {
      for (const listener of [...listeners]) listener();
    };
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      tell();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
      tell();
    });
    // A command that does not read ends before all is written.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
    let over = false;
    const ended = new Promise<ShellEnd>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exit) => {
        over = true;
        resolve({ code: exit, out, err });
        tell();
      });
    });
    return {
      child,
      ended,
      said: (text) =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            const found = text.exec(out + err);
            if (found === null && !over) return;
            listeners.delete(look);
            if (found === null) reject(new Error(`ended without ${text}: ${out}${err}`));
            else resolve(found);
          };
          listeners.add(look);
          look();
        }),
      signal: (name) => {
        if (over || child.pid === undefined) return;
        process.kill(-child.pid, name);
      },
    };
  };

  return { folder, path: searchPath, start, run: (code, options) => start(code, options).ended };
};
