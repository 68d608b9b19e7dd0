/**
 * What is wrong with the direct dependencies of a package: not in docs/dependencies.md, or used by nothing. Pure;
 * `check-licences.ts` reads the files.
 */
export interface Manifest {
  /** Where its package.json lies, from the repository's root; empty for the root's own. */
  readonly folder: string;
  readonly dependencies: readonly string[];
  /** Those of tests and benches, which lie in other folders too. */
  readonly development?: readonly string[];
}

export interface Source {
  readonly file: string;
  readonly text: string;
}

/** Packages that are used as a program; the program's name where it differs. */
const PROGRAMS: Readonly<Record<string, string>> = {
  '@biomejs/biome': 'biome',
  node: 'node',
  typescript: 'tsc',
  vitepress: 'vitepress',
  vitest: 'vitest',
};

/** The package of a module specifier; null for files and for what Node brings. */
export const packageOf = (specifier: string): string | null => {
  if (/^(\.|\/|node:|[a-z]+:)/.test(specifier)) return null;
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
};

const SPECIFIERS =
  /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire(?:\.resolve)?\s*\(\s*|\bresolve\s*\(\s*|@import\s+|\btypes=|createRequire\([^)]*\)\(\s*)['"]([^'"\n]+)['"]/g;

/** Packages that a source imports, resolves, or names by their folder under node_modules. */
export const packagesIn = (text: string): Set<string> => {
  const found = new Set<string>();
  for (const [, specifier = ''] of text.matchAll(SPECIFIERS)) {
    const name = packageOf(specifier);
    if (name !== null) found.add(name);
  }
  // A specifier in a constant: only names that no ordinary word is.
  for (const [, name = ''] of text.matchAll(/'(@[a-z][\w.-]*\/[\w.-]+|[a-z]+-[a-z]+-[\w-]+)'/g))
    found.add(name);
  for (const [, name = ''] of text.matchAll(/node_modules\/((?:@[\w.-]+\/)?[\w.-]+)/g)) found.add(name);
  for (const [, one = '', two = ''] of text.matchAll(/'node_modules',\s*'([@\w.-]+)'(?:,\s*'([\w.-]+)')?/g)) {
    found.add(one.startsWith('@') ? `${one}/${two}` : one);
  }
  return found;
};

/** Types that the declarations of another dependency import. */
const TYPES_OF: Readonly<Record<string, string>> = { 'graphology-types': 'graphology' };

/** `@types/pg` is used where pg is, `@types/node` always. */
const typed = (name: string): string | null => {
  const other = TYPES_OF[name];
  if (other !== undefined) return other;
  if (!name.startsWith('@types/')) return null;
  const bare = name.slice('@types/'.length);
  return bare.includes('__') ? `@${bare.replace('__', '/')}` : bare;
};

const named = (document: string, name: string): boolean => {
  const edge = '(?![\\w/-])';
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  if (new RegExp(`(?<![\\w@/-])${escaped}${edge}`).test(document)) return true;
  const [scope = ''] = name.split('/');
  return name.startsWith('@') && document.includes(`${scope}/*`);
};

/**
 * One line for each fault. `sources` are those of the whole repository; a package's own dependencies must be used in its
 * folder, those of the root and of development anywhere.
 */
export const directFaults = (
  manifests: readonly Manifest[],
  sources: readonly Source[],
  document: string,
): string[] => {
  const faults: string[] = [];
  const used = sources.map(({ file, text }) => ({ file, text, packages: packagesIn(text) }));
  for (const { folder, dependencies, development = [] } of manifests) {
    const isUsed = (name: string, by: string): boolean =>
      used.some(
        ({ file, packages }) =>
          packages.has(name) && (folder === '' || development.includes(by) || file.startsWith(`${folder}/`)),
      );
    for (const name of [...dependencies, ...development]) {
      const where = folder === '' ? 'package.json' : `${folder}/package.json`;
      const base = typed(name);
      if (base === null && !named(document, name))
        faults.push(`${where}: ${name} is not in docs/dependencies.md`);
      const program = PROGRAMS[name];
      const runs =
        program !== undefined &&
        used.some(({ text }) => new RegExp(`(?<![\\w@/-])${program}(?![\\w-])`).test(text));
      const ok = base === null ? isUsed(name, name) || runs : base === 'node' || isUsed(base, name);
      if (!ok) faults.push(`${where}: nothing uses ${name}`);
    }
  }
  return faults;
};
