import { parseHTML } from 'linkedom';
import type { DocumentBlock } from '../../kernel/parser.ts';
import { altText } from './alt-texts.ts';
import { block, tableBlock, tidy } from './blocks.ts';
import type { DomDocument, DomElement, DomNode } from './dom-types.ts';
import { fail, LIMITS } from './fault.ts';
import { createGrid } from './grid.ts';
import { formatNumber } from './list-numbers.ts';
import { mathText } from './mathml.ts';

export function parseDom(html: string): DomDocument {
  const whole = /<(html|body|head)\b/i.test(html.slice(0, 20_000))
    ? html
    : `<html><body>${html}</body></html>`;
  return parseHTML(whole).document as unknown as DomDocument;
}

const isElement = (node: DomNode): node is DomElement => node.nodeType === 1;
const children = (node: DomNode): DomNode[] => Array.from(node.childNodes);

const BLOCK_ELEMENTS = new Set(
  'address article aside blockquote body center dd details div dl dt fieldset figcaption figure footer form header hgroup hr html legend li main nav ol p pre section summary table ul'.split(
    ' ',
  ),
);
const SKIPPED = new Set(
  'script style noscript template head iframe object embed svg canvas button select textarea input'.split(
    ' ',
  ),
);

/** Of elements whose text is not what stands in them; null for all others. */
function wordsInstead(element: DomElement): string | null {
  if (element.localName === 'img') return ` ${altText(element.getAttribute('alt'))} `;
  return element.localName === 'math' ? ` ${mathText(element)} ` : null;
}

/** An element's content in reading order. */
export function domBlocks(root: DomElement): DocumentBlock[] {
  const blocks: DocumentBlock[] = [];
  let inline = '';
  const flush = () => {
    const text = tidy(inline);
    inline = '';
    if (text !== '') blocks.push(block('text', text));
  };
  const push = (...more: DocumentBlock[]) => {
    flush();
    blocks.push(...more);
  };

  function walk(node: DomNode, depth: number): void {
    if (depth > LIMITS.depth) fail('broken', 'the document is nested too deeply');
    if (node.nodeType === 3) inline += (node.nodeValue ?? '').replace(/\s+/g, ' ');
    if (!isElement(node) || SKIPPED.has(node.localName)) return;
    const name = node.localName;
    const instead = wordsInstead(node);
    if (instead !== null) inline += instead;
    else if (name === 'br') inline += '\n';
    else if (/^h[1-6]$/.test(name)) push(block('heading', apartText(node), null, Number(name[1])));
    else if (name === 'pre') push(block('code', node.textContent ?? ''));
    else if (name === 'ul' || name === 'ol') push(block('list', listLines(node, 0).join('\n')));
    else if (name === 'table' && isDataTable(node)) push(...dataTable(node));
    else if (BLOCK_ELEMENTS.has(name) || name === 'table' || name === 'tr' || name === 'td') {
      flush();
      for (const child of children(node)) walk(child, depth + 1);
      flush();
    } else for (const child of children(node)) walk(child, depth + 1);
  }
  walk(root, 0);
  flush();
  return blocks;
}

/** An element's text in one line; blocks and lines within it stay apart. */
function apartText(element: DomNode): string {
  let text = '';
  function walk(node: DomNode, depth: number): void {
    if (depth > LIMITS.depth) fail('broken', 'the document is nested too deeply');
    if (node.nodeType === 3) text += node.nodeValue ?? '';
    if (!isElement(node) || SKIPPED.has(node.localName)) return;
    const name = node.localName;
    const instead = wordsInstead(node);
    if (instead !== null) {
      text += instead;
      return;
    }
    const apart = name === 'br' || BLOCK_ELEMENTS.has(name) || /^(h[1-6]|td|th|tr)$/.test(name);
    if (apart) text += ' ';
    for (const child of children(node)) walk(child, depth + 1);
    if (apart) text += ' ';
  }
  for (const child of children(element)) walk(child, 0);
  return tidy(text.replace(/\s+/g, ' '));
}

function listLines(list: DomElement, depth: number): string[] {
  if (depth > 20) return [];
  const lines: string[] = [];
  const start = Number(list.getAttribute('start') ?? 1);
  let number = Number.isInteger(start) ? start - 1 : 0;
  for (const item of children(list)) {
    if (!isElement(item)) continue;
    if (item.localName === 'ul' || item.localName === 'ol') {
      lines.push(...listLines(item, depth + 1));
      continue;
    }
    const own = children(item).filter((c) => !(isElement(c) && /^[uo]l$/.test(c.localName)));
    const text = tidy(
      own
        .map((c) => (isElement(c) ? itemText(c) : c.nodeType === 3 ? (c.nodeValue ?? '') : ''))
        .join('')
        .replace(/\s+/g, ' '),
    );
    const given = Number(item.getAttribute('value') ?? Number.NaN);
    number = Number.isInteger(given) ? given : number + 1;
    const mark = list.localName === 'ol' ? `${listNumber(number, list.getAttribute('type'))}.` : '-';
    if (text !== '') lines.push(`${'  '.repeat(depth)}${mark} ${text}`);
    for (const c of children(item))
      if (isElement(c) && /^[uo]l$/.test(c.localName)) lines.push(...listLines(c, depth + 1));
  }
  return lines;
}

/** One that stands in a line goes on in it. */
function itemText(element: DomElement): string {
  const instead = wordsInstead(element);
  if (instead !== null) return instead;
  const text = SKIPPED.has(element.localName) ? '' : apartText(element);
  const inline = !BLOCK_ELEMENTS.has(element.localName) && element.localName !== 'br';
  const content = element.textContent ?? '';
  const [before, after] = inline ? [/^\s/.test(content), /\s$/.test(content)] : [true, true];
  return `${before ? ' ' : ''}${text}${after ? ' ' : ''}`;
}

const LIST_FORMATS: Record<string, string> = {
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
};
const listNumber = (number: number, type: string | null): string =>
  formatNumber(number, LIST_FORMATS[type ?? ''] ?? 'decimal');

/** Tables that only lay a page out hold blocks or other tables: their content is read as usual. */
function isDataTable(table: DomElement): boolean {
  return (
    table.querySelector('table, h1, h2, h3, pre') === null &&
    rowElements(table).some((row) => cellElements(row).length > 1)
  );
}

/** Rows of this table, whatever sections they stand in. */
const rowElements = (table: DomElement): DomElement[] => Array.from(table.querySelectorAll('tr'));
const cellElements = (row: DomElement): DomElement[] =>
  children(row)
    .filter(isElement)
    .filter((cell) => cell.localName === 'td' || cell.localName === 'th');

const spanOf = (cell: DomElement, name: string): number => {
  const span = Number.parseInt(cell.getAttribute(name) ?? '1', 10);
  return Number.isInteger(span) && span > 0 ? span : 1;
};

function dataTable(table: DomElement): DocumentBlock[] {
  const grid = createGrid();
  const caption = table.querySelector('caption');
  const rows = rowElements(table);
  let headRows = table.querySelectorAll('thead tr').length;
  if (headRows === 0) {
    const firstBody = rows.findIndex((row) => cellElements(row).some((cell) => cell.localName === 'td'));
    headRows = Math.max(0, firstBody);
  }
  rows.forEach((row, i) => {
    grid.addRow(
      cellElements(row).map((cell) => ({
        text: apartText(cell),
        columns: spanOf(cell, 'colspan'),
        // 0 means: to the end of the section.
        rows: cell.getAttribute('rowspan') === '0' ? rows.length - i : spanOf(cell, 'rowspan'),
      })),
    );
  });
  const said = caption ? apartText(caption) : '';
  return [...(said ? [block('text', said)] : []), ...tableBlock(grid.rows, null, headRows)];
}
