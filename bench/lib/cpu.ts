/** CPU time and memory of another process, all its threads. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const onLinux = process.platform === 'linux';

let ticksPerSecond: number | undefined;
const clockTicks = (): number => {
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
  return ticksPerSecond;
};

/** `ps` prints [[dd-]hh:]mm:ss[.cc]. */
const psSeconds = (text: string): number => {
  const [clock = '', days = '0'] = text.trim().split('-').reverse();
  return clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) + Number(days) * 86_400;
};

/**
 * User and system CPU seconds that the process has used since its start, dead threads included; on Linux in steps of
 * 10 ms, elsewhere as fine as `ps` tells. Throws when the process is gone.
 */
export const cpuSeconds = (pid: number): number => {
  if (!onLinux)
    return psSeconds(execFileSync('ps', ['-o', 'time=', '-p', String(pid)], { encoding: 'utf8' }));
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold spaces; utime and stime are fields 14 and 15 of proc_pid_stat(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / clockTicks();
};

/** Resident memory in bytes. */
export const residentBytes = (pid: number): number => {
  const kilobytes = onLinux
    ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' });
  return Number(kilobytes) * 1024;
};
