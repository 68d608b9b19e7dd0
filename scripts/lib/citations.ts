/**
 * What the repository's files cite of its own documents: sections of docs/contract.md, decisions, and pages of docs/. Pure;
 * `check-citations.ts` reads the files.
 */
export interface Citation {
  line: number;
  /** `section 7` of the contract, or a path from the root with or without a heading: `docs/costs.md#limits`. */
  target: string;
}

const CODE = /\.(ts|tsx|js|mjs|py|go|sh|yaml|yml|sql)$/;
const SECTION =
  /\bcontract(?:’s|'s)?(?: answers)?,?\s+(?:\*\s+)?\(?sections?\s+((?:\d+)(?:(?:,| and|, and)\s+\d+)*)/gi;
const PAGE =
  /(?<![\w/.-])(?:docs\/[\w./-]+\.md|(?:ARCHITECTURE|README|CONTRIBUTING|SECURITY|CHANGELOG)\.md)(?:#[\w-]+)?/g;
const HEADING = /((?:docs\/[\w./-]+|ARCHITECTURE|README|CONTRIBUTING|SECURITY)\.md), ["“]([^"”\n]+)["”]/g;
const LINK = /\]\((?!https?:|mailto:|#)([^)\s]+\.md(?:#[\w-]+)?)\)/g;

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** As GitHub makes an anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

/** Citations in a file of code. A page is named from the root of the repository. */
export const citationsIn = (text: string): Citation[] => {
  const found: Citation[] = [];
  for (const match of text.matchAll(SECTION)) {
    const line = lineAt(text, match.index);
    for (const [number] of (match[1] ?? '').matchAll(/\d+/g))
      found.push({ line, target: `section ${number}` });
  }
  for (const match of text.matchAll(HEADING)) {
    found.push({ line: lineAt(text, match.index), target: `${match[1]}#${anchorOf(match[2] ?? '')}` });
  }
  for (const match of text.matchAll(PAGE)) found.push({ line: lineAt(text, match.index), target: match[0] });
  return found;
};

/** Links of a page to other pages, as paths from the root. */
export const linksIn = (file: string, text: string): Citation[] => {
  const folder = file.split('/').slice(0, -1);
  return [...text.matchAll(LINK)].map((match) => {
    const path = [...folder];
    for (const part of (match[1] ?? '').split('/')) {
      if (part === '..') path.pop();
      else if (part !== '.') path.push(part);
    }
    return { line: lineAt(text, match.index), target: path.join('/') };
  });
};

/** The anchors of a page's headings. */
export const anchorsOf = (page: string): Set<string> =>
  new Set([...page.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => anchorOf(heading ?? '')));

/** Numbers of the contract's sections. */
export const sectionsOf = (contract: string): Set<string> =>
  new Set([...contract.matchAll(/^## (\d+)\. /gm)].map(([, number]) => number ?? ''));

export const isCode = (file: string): boolean => CODE.test(file);
