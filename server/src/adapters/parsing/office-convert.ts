import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ParseError } from '../../kernel/parser.ts';
import { fail } from './fault.ts';

/** Old office files by way of LibreOffice, which writes them as the formats that are read here. */
export interface OfficeConverter {
  /** Throws `ParseError`: broken, timeout, too_large. */
  convert(bytes: Uint8Array, type: OldOfficeType): Promise<Uint8Array>;
  close(): void;
}

export type OldOfficeType = 'doc' | 'xls' | 'ppt';

export interface OfficeConverterOptions {
  /** LibreOffice's program. */
  program: string;
  /** For one document, its start included (default 60,000). */
  timeoutMs?: number;
  /** Of its data, where `prlimit` is there (default 1,024). */
  memoryMib?: number;
}

const TARGETS = { doc: 'docx', xls: 'xlsx', ppt: 'pptx' } as const;
const MAX_OUTPUT_BYTES = 128 * 1024 * 1024;
const PRLIMIT = '/usr/bin/prlimit';

/** No macros, and nothing fetched that a document points to. */
const PROFILE = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
${[
  ['Common/Security/Scripting', 'DisableMacrosExecution', 'true'],
  ['Common/Security/Scripting', 'MacroSecurityLevel', '3'],
  ['Common/Security/Scripting', 'BlockUntrustedRefererLinks', 'true'],
  ['Common/Security/Scripting', 'DisableActiveContent', 'true'],
  ['Writer/Content/Update', 'Link', '0'],
  ['Calc/Content/Update', 'Link', '2'],
]
  .map(
    ([where, name, value]) =>
      `<item oor:path="/org.openoffice.Office.${where}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  )
  .join('\n')}
</oor:items>
`;

/** Each document in a process, a folder and a profile of its own; nothing of them stays. */
export function createOfficeConverter(options: OfficeConverterOptions): OfficeConverter {
  const { program, timeoutMs = 60_000, memoryMib = 1_024 } = options;
  const running = new Set<ChildProcess>();
  const limits = [
    `--data=${memoryMib * 1024 * 1024}`,
    `--fsize=${MAX_OUTPUT_BYTES}`,
    `--cpu=${Math.ceil(timeoutMs / 1000)}`,
    '--core=0',
  ];

  function run(folder: string, args: readonly string[]): Promise<void> {
    const command = existsSync(PRLIMIT) ? [PRLIMIT, ...limits, program] : [program];
    const child = spawn(command[0] ?? program, [...command.slice(1), ...args], {
      cwd: folder,
      stdio: 'ignore',
      // Its own group: the program starts others, which must end with it.
      detached: true,
      // Nothing of the platform's settings: they hold its secrets.
      env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8' },
    });
    running.add(child);
    return new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        reject(new ParseError('timeout', `the file takes longer than ${timeoutMs / 1000} s to convert`));
        killGroup(child);
      }, timeoutMs);
      child.once('error', reject);
      child.once('exit', () => resolve());
      child.once('close', () => clearTimeout(late));
    }).finally(() => {
      running.delete(child);
      killGroup(child);
    });
  }

  return {
    async convert(bytes, type) {
      const folder = await mkdtemp(path.join(tmpdir(), 'pentarch-office-'));
      try {
        const user = path.join(folder, 'profile', 'user');
        await mkdir(user, { recursive: true });
        await writeFile(path.join(user, 'registrymodifications.xcu'), PROFILE);
        const input = path.join(folder, `in.${type}`);
        await writeFile(input, bytes);
        const profile = pathToFileURL(path.join(folder, 'profile')).href;
        await run(folder, [
          `-env:UserInstallation=${profile}`,
          ...['--headless', '--norestore', '--nolockcheck', '--nodefault', '--nologo'],
          ...['--convert-to', TARGETS[type], '--outdir', folder, input],
        ]);
        return await readOutput(path.join(folder, `in.${TARGETS[type]}`));
      } finally {
        await rm(folder, { recursive: true, force: true, maxRetries: 3 });
      }
    },
    close() {
      for (const child of running) killGroup(child);
    },
  };
}

async function readOutput(file: string): Promise<Uint8Array> {
  const size = (await stat(file).catch(() => null))?.size ?? 0;
  if (size === 0)
    return fail('broken', 'LibreOffice cannot read the file: it is damaged, or protected by a password');
  return size >= MAX_OUTPUT_BYTES
    ? fail('too_large', 'the converted file is larger than is allowed')
    : readFile(file);
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}
