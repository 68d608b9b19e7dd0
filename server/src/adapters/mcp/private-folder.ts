import { realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** With symbolic links followed as far as the path exists. */
const realPathOf = (file: string): string => {
  try {
    return realpathSync(file);
  } catch {
    const parent = path.dirname(file);
    return parent === file ? file : path.join(realPathOf(parent), path.basename(file));
  }
};

const isWithin = (folder: string, file: string): boolean =>
  file === folder || file.startsWith(folder.endsWith(path.sep) ? folder : folder + path.sep);

/** Paths that a text may name: as a whole, behind an option's name, in a list, as the address of a file. */
const pathsIn = (text: string): string[] =>
  [text, ...text.split(/[=,;]/), ...text.split(/[=,;:]/)].flatMap((part) => {
    if (!/^file:/i.test(part)) return [part];
    try {
      return [fileURLToPath(part)];
    } catch {
      return [part];
    }
  });

/**
 * Why a program may not be given this text as an argument or a variable: it leads into the platform's data folder, or to a
 * folder that holds it, by whatever way it is written. Null where it does not. `cwd`: where the program runs.
 */
export const createPrivateFolderCheck = (folder: string, cwd: string): ((text: string) => string | null) => {
  const absolute = path.resolve(folder);
  return (text) => {
    if (text.includes('\u0000')) return 'must not hold a NUL';
    // Looked up each time: links come and go.
    const own = [absolute, realPathOf(absolute)];
    const leads = pathsIn(text)
      .filter((part) => part !== '')
      .flatMap((part) => [path.resolve(cwd, part), realPathOf(path.resolve(cwd, part))])
      .some((file) => own.some((one) => isWithin(one, file) || isWithin(file, one)));
    return leads ? 'must not lead to the data of the platform' : null;
  };
};
