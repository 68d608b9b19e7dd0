/** Where files of an archive may go below the data folder. */

const MAX_PARTS = 24;
const MAX_PART_CHARACTERS = 255;

const isName = (part: string): boolean =>
  part !== '' &&
  part !== '.' &&
  part !== '..' &&
  part.length <= MAX_PART_CHARACTERS &&
  // Separators and streams of other systems; and what a terminal would not show.
  !/[\\:\u0000-\u001f\u007f]/.test(part);

/** Whether `path` is a plain relative path of a file below `folder`, written in the only way that there is. */
export const isBelow = (path: string, folder: string): boolean => {
  if (!path.startsWith(`${folder}/`)) return false;
  const parts = path.slice(folder.length + 1).split('/');
  return parts.length <= MAX_PARTS && parts.every(isName);
};

/** What is wrong with the files of an archive; null when nothing is. `folders`: those that it may write to. */
export const filesFault = (
  files: readonly { n: number; path: string }[],
  folders: readonly string[],
): string | null => {
  const numbers = new Set<number>();
  // As file systems that fold case would see them.
  const paths = new Set<string>();
  for (const { n, path } of files) {
    if (!folders.some((folder) => isBelow(path, folder)))
      return `the archive names a file outside of ${folders.join(' and ')}: ${JSON.stringify(path)}`;
    const folded = path.normalize('NFC').toLowerCase();
    if (numbers.has(n) || paths.has(folded)) return `the archive names a file twice: ${JSON.stringify(path)}`;
    numbers.add(n);
    paths.add(folded);
  }
  return null;
};
