import { Parser } from 'htmlparser2';
import type { DocumentBlock } from '../../kernel/parser.ts';
import { altText } from './alt-texts.ts';
import { block, tableBlock, tidy } from './blocks.ts';
import { createGrid, type GridCell } from './grid.ts';
import { isHiddenStyle } from './html-hidden.ts';
import type { LeftOutCount } from './left-out.ts';

/**
 * HTML → blocks in one pass without a tree, for pages whose tree would not fit into the memory of the process. It reads
 * like `dom.ts`; what is hidden by a style sheet is known by class and id alone.
 */

const BLOCKS = new Set(
  'address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hr html main nav p section summary td th tr'.split(
    ' ',
  ),
);
const SKIPPED = new Set(
  'script style noscript template head nav iframe object svg annotation annotation-xml canvas button select textarea'.split(
    ' ',
  ),
);
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

const spanOf = (value: string | undefined): number => Math.max(1, Number.parseInt(value ?? '1', 10) || 1);

export function streamHtml(
  source: string,
  hiddenSelectors: readonly string[],
  count: LeftOutCount,
): DocumentBlock[] {
  const { parser, end } = createStream(hiddenSelectors, count);
  parser.end(source);
  return end();
}

function createStream(hiddenSelectors: readonly string[], count: LeftOutCount) {
  const hidden = new Set(hiddenSelectors.filter((selector) => /^[.#][\w-]+$/.test(selector)));
  const blocks: DocumentBlock[] = [];
  const lists: { ordered: boolean; number: number }[] = [];
  let listLines: string[] = [];
  let table: {
    grid: ReturnType<typeof createGrid>;
    row: GridCell[];
    headRows: number;
    inHead: boolean;
  } | null = null;
  let tables = 0;
  let heading = 0;
  let pre = 0;
  /** Open elements since the first one that is left out, itself included. */
  let skipped = 0;
  let text = '';
  let span = { columns: 1, rows: 1 };

  const take = (): string => {
    const taken = pre > 0 ? text : tidy(text);
    text = '';
    return taken;
  };
  const flush = () => {
    const taken = take();
    if (taken.trim() === '') return;
    if (table) table.row.push({ text: taken });
    else if (lists.length > 0) pushItem(taken);
    else blocks.push(block(pre > 0 ? 'code' : 'text', taken));
  };
  const pushItem = (taken: string) => {
    const list = lists.at(-1);
    if (!list) return;
    const mark = list.ordered ? `${++list.number}.` : '-';
    listLines.push(`${'  '.repeat(Math.min(20, lists.length - 1))}${mark} ${taken.replaceAll('\n', ' ')}`);
  };
  const leftOut = (name: string, a: Record<string, string>): boolean =>
    SKIPPED.has(name) ||
    a.hidden !== undefined ||
    a['aria-hidden'] === 'true' ||
    (a.style !== undefined && isHiddenStyle(a.style)) ||
    (a.id !== undefined && hidden.has(`#${a.id}`)) ||
    (a.class ?? '').split(/\s+/).some((c) => hidden.has(`.${c}`));

  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (skipped > 0 || (name !== 'html' && name !== 'body' && leftOut(name, attributes))) {
          if (skipped === 0 && (name === 'nav' || !SKIPPED.has(name)))
            count.add(name === 'nav' ? 'navigation' : 'hidden_text');
          if (!VOID.has(name)) skipped++;
          return;
        }
        if (name === 'br') text += '\n';
        if (name === 'img') text += ` ${altText(attributes.alt)} `;
        if (/^h[1-6]$/.test(name)) {
          flush();
          heading = Number(name[1]);
        }
        if (name === 'pre') {
          flush();
          pre++;
        }
        if (name === 'ul' || name === 'ol') {
          flush();
          lists.push({ ordered: name === 'ol', number: 0 });
        }
        if (name === 'table') {
          flush();
          if (tables++ === 0) table = { grid: createGrid(), row: [], headRows: 0, inHead: false };
        }
        if (table && name === 'thead') table.inHead = true;
        if (table && (name === 'td' || name === 'th')) {
          span = { columns: spanOf(attributes.colspan), rows: spanOf(attributes.rowspan) };
          text = '';
        } else if (table && (BLOCKS.has(name) || name === 'li')) text += ' ';
        else if (!table && (BLOCKS.has(name) || name === 'li')) flush();
      },
      ontext(data) {
        if (skipped === 0) text += pre > 0 ? data : data.replace(/\s+/g, ' ');
      },
      onclosetag(name) {
        if (skipped > 0) {
          if (!VOID.has(name)) skipped--;
          return;
        }
        if (/^h[1-6]$/.test(name) && heading > 0) {
          const taken = take();
          if (taken !== '') blocks.push(block('heading', taken, null, heading));
          heading = 0;
        } else if (name === 'pre') {
          flush();
          pre = Math.max(0, pre - 1);
        } else if (name === 'ul' || name === 'ol') {
          flush();
          lists.pop();
          if (lists.length === 0 && listLines.length > 0) {
            blocks.push(block('list', listLines.join('\n')));
            listLines = [];
          }
        } else if (table && (name === 'td' || name === 'th')) table.row.push({ text: take(), ...span });
        else if (table && name === 'tr') {
          table.grid.addRow(table.row);
          table.row = [];
          if (table.inHead) table.headRows++;
        } else if (table && name === 'thead') table.inHead = false;
        else if (name === 'table') {
          tables = Math.max(0, tables - 1);
          if (tables > 0 || !table) return;
          if (table.row.length > 0) table.grid.addRow(table.row);
          blocks.push(...tableBlock(table.grid.rows, null, table.headRows));
          table = null;
        } else if (!table && (BLOCKS.has(name) || name === 'li')) flush();
      },
    },
    { decodeEntities: true },
  );
  return {
    parser,
    end(): DocumentBlock[] {
      flush();
      return blocks;
    },
  };
}
