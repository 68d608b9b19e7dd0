import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { anchorsOf, type Citation, citationsIn, isCode, linksIn, sectionsOf } from './lib/citations.ts';

/** Follows what code and pages cite of the repository's own documents. Exit 1 with one line for each that leads nowhere. */

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && existsSync(file));
/** Tests of these checks, and inputs of others. */
const MADE_UP = /^scripts\/lib\/(citations|texts)|\/test\/cases\//;
const sections = sectionsOf(readFileSync('docs/contract.md', 'utf8'));

const leadsNowhere = ({ target }: Citation): string | null => {
  if (target.startsWith('section ')) {
    return sections.has(target.slice('section '.length)) ? null : `docs/contract.md has no ${target}`;
  }
  const [page = '', anchor] = target.split('#');
  if (!existsSync(page)) return `there is no ${page}`;
  if (anchor === undefined) return null;
  return anchorsOf(readFileSync(page, 'utf8')).has(anchor) ? null : `${page} has no heading #${anchor}`;
};

let count = 0;
let faults = 0;
for (const file of files) {
  const isPage = file.endsWith('.md');
  if (!isPage && !isCode(file)) continue;
  if (MADE_UP.test(file)) continue;
  const text = readFileSync(file, 'utf8');
  for (const citation of isPage ? linksIn(file, text) : citationsIn(text)) {
    count++;
    const reason = leadsNowhere(citation);
    if (reason === null) continue;
    faults++;
    process.stdout.write(`${file}:${citation.line} ${reason}\n`);
  }
}
if (count < 100) {
  process.stdout.write(`only ${count} citations were read: the patterns do not work\n`);
  process.exit(1);
}
process.stdout.write(`${count} citations\n`);
process.exit(faults === 0 ? 0 : 1);
