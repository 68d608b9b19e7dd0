import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** Bounds of a child's memory beside V8's heap: RLIMIT_DATA where `prlimit` is there, a watch on its resident size where /proc is. */

const run = promisify(execFile);
const WATCH_MS = 100;

/** In the child, on Linux: its data segment as RLIMIT_DATA counts it; elsewhere null. */
export const ownDataKib = (): number | null => {
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    return Number(/^VmData:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN) || null;
  } catch {
    return null;
  }
};

/** `dataKib`: what the child holds at rest; where that is not known, or there is no prlimit, the other bounds hold alone. */
export const limitData = async (
  pid: number | undefined,
  dataKib: number | null,
  memoryMib: number,
): Promise<void> => {
  if (dataKib === null || pid === undefined) return;
  const dataBytes = (dataKib + memoryMib * 1024) * 1024;
  await run('prlimit', ['--pid', String(pid), `--data=${dataBytes}`, '--core=0']).catch(() => undefined);
};

/** Linux only; elsewhere null. */
export const residentBytes = (pid: number | undefined): number | null => {
  if (!pid || process.platform !== 'linux') return null;
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    return Number.isFinite(pages) ? pages * 4096 : null;
  } catch {
    return null;
  }
};

/** Calls `onOver` when the child holds so much more than `restBytes`; gives what ends the watch. */
export const watchMemory = (
  pid: number | undefined,
  restBytes: number,
  memoryMib: number,
  onOver: () => void,
): (() => void) => {
  const watch = setInterval(() => {
    if ((residentBytes(pid) ?? 0) - restBytes >= memoryMib * 1024 * 1024) onOver();
  }, WATCH_MS);
  return () => clearInterval(watch);
};
