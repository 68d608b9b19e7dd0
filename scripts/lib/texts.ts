/**
 * What must not stand in the repository's text: addresses of downloads in the lock file, paths of somebody's machine,
 * secrets, registries' host names, unfinished work, tests that are switched off. Pure; `check-texts.ts` reads the files.
 */
export interface Fault {
  line: number;
  reason: string;
}

interface TextRule {
  reason: string;
  pattern: RegExp;
  /** Files it looks at; all by default. */
  files?: RegExp;
  not?: RegExp;
}

const CODE = /\.(ts|tsx|js|mjs|cjs|py|go|sh)$|^\.ci\//;
const TEST = /\.test\.ts$|^server\/test\/(suites|all)\//;
/** Third-party data and lists of bad inputs, kept as they came. */
const DATA = /^server\/test\/cases\/|^server\/models\//;
/** The rules' own words. */
const SELF = /^scripts\/lib\/texts(\.test)?\.ts$/;

// Written in parts so that no file of this repository holds the names themselves.
const REGISTRIES = [
  ['registry', 'npmjs', 'org'],
  ['registry', 'yarnpkg', 'com'],
  ['pypi', 'org'],
  ['files', 'pythonhosted', 'org'],
  ['static', 'crates', 'io'],
  ['proxy', 'golang', 'org'],
  ['deb', 'debian', 'org'],
].map((parts) => parts.join('\\.'));

const RULES: readonly TextRule[] = [
  {
    reason: 'a path of this machine',
    pattern: /(?<![\w.-])\/(work|root|home\/\w+|Users\/\w+)\/|(?<![\w.:-])[A-Z]:\\Users\\/,
    not: DATA,
  },
  { reason: 'a registry’s host name', pattern: new RegExp(REGISTRIES.join('|')), not: DATA },
  {
    reason: 'a secret',
    pattern:
      /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]{0,4}[A-Za-z0-9+/=]{20}|\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{24,}|\bAKIA[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{36}\b|\bAIza[0-9A-Za-z_-]{35}\b|\bxox[bap]-[0-9A-Za-z-]{20,}/,
    not: DATA,
  },
  {
    reason: 'unfinished work; finish it or file an issue',
    pattern: /\b(TODO|FIXME|XXX|HACK)\b/,
    files: CODE,
    not: /^server\/test\/cases\//,
  },
  {
    reason: 'a test that is switched off or runs alone',
    pattern: /\b(it|test|describe|suite)\.(skip|only|todo|fails)\b|\b(xit|xdescribe|fit|fdescribe)\(/,
    files: TEST,
  },
  {
    reason: 'the environment is read in config.ts alone',
    // What is set for the libraries of the process is not read from it.
    pattern: /\bprocess\.env\b(?!\.\w+ = )/,
    files: /^server\/src\/.*\.ts$/,
    not: /^server\/src\/(config|main)\.ts$|\.test\.ts$|\/testing\//,
  },
  { reason: 'a conflict marker of a merge', pattern: /^(<{7}|>{7}) .|^={7}$/m },
  {
    reason: 'a switched-off type check',
    pattern: /@ts-(ignore|nocheck)|biome-ignore-all/,
    files: /\.tsx?$/,
  },
];

export const textFaults = (file: string, text: string): Fault[] => {
  if (SELF.test(file)) return [];
  const faults: Fault[] = [];
  const rules = RULES.filter((rule) => (rule.files?.test(file) ?? true) && !rule.not?.test(file));
  for (const { pattern, reason } of rules) {
    for (const match of text.matchAll(new RegExp(pattern, `${pattern.flags}g`))) {
      faults.push({ line: text.slice(0, match.index).split('\n').length, reason });
    }
  }
  return faults.sort((a, b) => a.line - b.line);
};

/** The lock file names packages and digests, never where a copy was fetched. */
export const lockFaults = (text: string): Fault[] =>
  text
    .split('\n')
    .flatMap((content, i) =>
      /"resolved": "(https?|git)/.test(content) || /^\s*"(dependencies|version)": "(https?|git)/.test(content)
        ? [{ line: i + 1, reason: 'a download address in the lock file' }]
        : [],
    );
