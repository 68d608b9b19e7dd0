import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { textForms } from './text-forms.ts';

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

const asFile = (part: string): string => {
  if (!/^file:/i.test(part)) return part;
  try {
    return fileURLToPath(part);
  } catch {
    return part;
  }
};

/** What stands behind the letter or name of an option that is written together with it. */
const behindOption = (part: string): string[] => {
  if (!part.startsWith('-')) return [];
  const starts = ['/', '..', '~'].map((sign) => part.indexOf(sign)).filter((at) => at > 0);
  return [part.slice(2), ...starts.map((at) => part.slice(at))];
};

/** The folder that a pattern begins to look in. */
const beforePattern = (part: string): string[] => {
  const at = part.search(/[*?[{]/);
  const slash = at < 0 ? -1 : part.lastIndexOf('/', at);
  return slash < 0 ? [] : [part.slice(0, slash + 1)];
};

/** Paths that a text may name: as a whole, behind an option, in a list, between any signs that are none of a path. */
const pathsIn = (text: string): string[] => {
  const wide = [text, ...text.split(/[=,;]/), ...text.split(/[=,;:]/), ...text.split(/[\s"'`|,;=<>()]/)];
  const narrow = text
    .split(/[^\p{L}\p{N}._~/-]/u)
    .filter((part) => /[/~]|\.\./.test(part) && !/^\/+$/.test(part));
  const all = [...wide, ...wide.flatMap(beforePattern), ...narrow];
  return [...new Set([...all, ...all.flatMap(behindOption)].map(asFile))];
};

/** Links of the system to the folders and files of any process. */
const isProcessLink = (file: string): boolean =>
  /^\/(proc(\/(\d+|self|thread-self)(\/|$)|$)|dev\/fd(\/|$))/.test(file);

/** Where a part leads: as it is written, with links followed, and as the system walks `..` behind a link. */
const targetsOf = (part: string, cwd: string): string[] => {
  const written = part === '~' || part.startsWith('~/') ? homedir() + part.slice(1) : part;
  const file = path.resolve(cwd, written);
  const targets = [file, realPathOf(file)];
  try {
    targets.push(realpathSync.native(path.isAbsolute(written) ? written : `${cwd}/${written}`));
  } catch {
    // It is not there: the two above say where it would be.
  }
  return targets;
};

/** From somebody's home upwards: whose it is, the program says. */
const leavesHome = (part: string): boolean => part.startsWith('~') && part.split('/').includes('..');

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
    // A folder whose name has signs at which texts are taken apart.
    const odd = own.filter((one) => /[^\p{L}\p{N}._~/-]/u.test(one));
    const isOwn = (file: string): boolean =>
      isProcessLink(file) || own.some((one) => isWithin(one, file) || isWithin(file, one));
    const forms = textForms(text);
    const leads =
      forms === null ||
      forms.some(
        (form) =>
          odd.some((one) => form.includes(one)) ||
          pathsIn(form).some((part) => part !== '' && (leavesHome(part) || targetsOf(part, cwd).some(isOwn))),
      );
    return leads ? 'must not lead to the data of the platform' : null;
  };
};
