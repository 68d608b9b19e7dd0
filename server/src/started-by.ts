import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

/**
 * `npm start` runs this program below a shell, which hands no signal on: a kill of npm ends npm and the shell and would leave
 * the server. So a server that npm has started looks whether npm is still there.
 */

const LOOK_EVERY_MS = 500;
const SHELLS = /^(?:sh|dash|bash|ash|busybox|zsh)$/;

interface Relative {
  name: string;
  parent: number;
}

/** From Linux's own record; elsewhere `ps` is asked. Null where the process is gone, or nothing tells. */
const lookAt = (pid: number): Relative | null => {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const end = stat.lastIndexOf(')');
      return {
        name: stat.slice(stat.indexOf('(') + 1, end),
        parent: Number(stat.slice(end + 2).split(' ')[1]),
      };
    }
    if (process.platform === 'win32') return null;
    const line = execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [parent = '', ...name] = line.split(' ').filter((part) => part !== '');
    return { name: name.join(' ').split('/').at(-1) ?? '', parent: Number(parent) };
  } catch {
    return null;
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};

/** Whether the shell's own parent is the one of before; a process that has died and was not fetched counts as gone on Linux. */
const stillBelow = (shell: number, npm: number): boolean =>
  process.platform === 'linux' ? lookAt(shell)?.parent === npm : isAlive(npm);

/**
 * Calls `onGone` once when the npm that has started this program is there no more; does nothing for a program that was started
 * otherwise. To be called at the very start: it is then that npm is surely there.
 */
export const watchStarter = (env: NodeJS.ProcessEnv): { onGone(stop: () => void): void } => {
  if (env.npm_lifecycle_event !== 'start' || !env.npm_lifecycle_script?.includes('server/src/start.js'))
    return { onGone: () => {} };
  const parent = process.ppid;
  const above = lookAt(parent);
  // A shell that has made room for this program stands not between the two.
  const npm = above !== null && SHELLS.test(above.name) ? above.parent : null;
  return {
    onGone(stop) {
      const timer = setInterval(() => {
        const stands =
          process.ppid === parent && isAlive(parent) && (npm === null || stillBelow(parent, npm));
        if (stands) return;
        clearInterval(timer);
        stop();
      }, LOOK_EVERY_MS);
      timer.unref();
    },
  };
};
