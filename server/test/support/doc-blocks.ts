import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The fenced blocks of README, CONTRIBUTING and docs/*.md: every command and example that they show is run by
 * server/test/all/docs.test.ts and docs-cli.test.ts. A block that cannot be run says so behind its language
 * (```sh no-test=bench), with one of the reasons below. docs/reference holds signatures, which are generated.
 */

const ROOT = path.join(import.meta.dirname, '..', '..', '..');

export interface DocBlock {
  readonly file: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  /** The reason behind `no-test=`; null where the block is run. */
  readonly notRun: string | null;
  readonly code: string;
}

/** Why a block is not run. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  ci: 'installs over the modules that the test itself runs on; .ci/run and contributors run it as it stands',
  bench: 'measures for minutes and says nothing on a busy machine; the founder’s table comes from it',
  downloads:
    'installs from a server into the project one is in; client-downloads.test.ts runs the same lines',
  recorded: 'not a command: output of a script that records it',
  registry: 'fetches a package from a registry; .ci/run does it and gguf.test.ts uses what came',
};

/** An opening fence, what is behind it, and the lines up to the closing one; indented in lists too. */
const FENCE = /^( *)```([^\n`]*)\n([\s\S]*?)^\1```$/gm;

export const blocksOf = (file: string, text: string): DocBlock[] =>
  [...text.matchAll(FENCE)].map((match) => {
    const [, indent = '', info = '', body = ''] = match;
    const [language = '', ...rest] = info.trim().split(/\s+/);
    const marker = rest.find((word) => word.startsWith('no-test'));
    return {
      file,
      line: text.slice(0, match.index).split('\n').length,
      language,
      notRun: marker === undefined ? null : marker.slice('no-test='.length),
      code: indent === '' ? body : body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    };
  });

export const DOC_FILES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync(['docs/*.md', 'docs/decisions/*.md'], { cwd: ROOT }).sort(),
];

export const docText = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

export const docBlocks = (): DocBlock[] => DOC_FILES.flatMap((file) => blocksOf(file, docText(file)));

/** Every `npm run` script and every file of the repository that a text tells to run. */
export const namedPrograms = (text: string): { scripts: string[]; files: string[] } => ({
  scripts: [...text.matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name),
  files: [
    ...text.matchAll(/\bnode ((?:bench|scripts|sdk|server|cli|console)\/[\w./-]+\.(?:ts|js))/g),
    ...text.matchAll(/(?<![\w/])((?:examples|deploy|server\/test)\/[\w./-]+\.(?:sh|ts|yaml|env|json|pdf))/g),
  ].map(([, file = '']) => file),
});
