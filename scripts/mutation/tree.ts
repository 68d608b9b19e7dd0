import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { instrument, type Mutant } from './mutants.ts';

/** A copy of the sources in which every fault stands behind a switch, read from a file when a process loads the sources. */

export interface NumberedMutant extends Mutant {
  id: number;
  file: string;
}

export interface Tree {
  folder: string;
  mutants: readonly NumberedMutant[];
}

/** Holds the number of the fault that is on: 0 for none, RECORD to write down which ones a suite gets to. */
export const ACTIVE = '.mutation-active';
export const RECORD = -1;
/** Of a batch: which faults it is about, and what became of each. */
export const QUEUE = '.mutation-queue';
export const DONE = '.mutation-done';
export const SETUP = path.join('scripts', 'mutation', 'batch-setup.ts');
const SEEN = '.mutation-seen';
const SWITCH = path.join('server', 'src', 'mutation-switch.ts');

const switchText = (folder: string): string => `import { appendFileSync, readFileSync } from 'node:fs';
const turned = (globalThis as { __mutationActive?: number }).__mutationActive;
const active = turned ?? Number(readFileSync(${JSON.stringify(path.join(folder, ACTIVE))}, 'utf8'));
const seen = new Set<number>();
export const __mutant = (id: number): boolean => {
  if (active === ${RECORD} && !seen.has(id)) {
    seen.add(id);
    appendFileSync(${JSON.stringify(path.join(folder, SEEN))}, \`\${id}\\n\`);
  }
  return active === id;
};
`;

/** Sources that are in the repository or are about to be; `folder` is made. */
const copySources = (folder: string): void => {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
    maxBuffer: 64 * 2 ** 20,
  });
  for (const file of listed.split('\0')) {
    if (file === '' || !existsSync(file)) continue;
    const target = path.join(folder, file);
    mkdirSync(path.dirname(target), { recursive: true });
    try {
      linkSync(file, target);
    } catch {
      writeFileSync(target, readFileSync(file));
    }
  }
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'), 'dir');
};

/** The numbers are the same for the same files in the same order. */
export const plantTree = (folder: string, files: readonly string[]): Tree => {
  copySources(folder);
  const mutants: NumberedMutant[] = [];
  for (const file of files) {
    const found = instrument(file, readFileSync(file, 'utf8'), '__mutant', mutants.length + 1);
    for (const mutant of found.mutants) mutants.push({ ...mutant, file, id: mutants.length + 1 });
    const toSwitch = path.relative(path.dirname(file), SWITCH).split(path.sep).join('/');
    const target = path.join(folder, file);
    // It may be the very file of the repository, by another name.
    rmSync(target);
    const from = toSwitch.startsWith('.') ? toSwitch : `./${toSwitch}`;
    writeFileSync(target, `import { __mutant } from '${from}';\n${found.text}`);
  }
  writeFileSync(path.join(folder, SWITCH), switchText(folder));
  writeFileSync(path.join(folder, ACTIVE), '0');
  return { folder, mutants };
};

/** Which faults were got to since the last call. */
export const takeSeen = (folder: string): Set<number> => {
  const file = path.join(folder, SEEN);
  if (!existsSync(file)) return new Set();
  const seen = new Set(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map(Number),
  );
  rmSync(file);
  return seen;
};
