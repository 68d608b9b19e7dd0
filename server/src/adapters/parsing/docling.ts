import type { DocumentBlock } from '../../kernel/parser.ts';
import { block, tableBlock } from './blocks.ts';
import { fail, LIMITS } from './fault.ts';
import type { LeftOutCount } from './left-out.ts';

/** A document as Docling Serve hands it out (`DoclingDocument`, JSON): a tree of references to texts, tables, groups and pictures. */

interface Reference {
  $ref?: unknown;
}
interface Item {
  children?: Reference[];
  content_layer?: string;
  label?: string;
  prov?: { page_no?: number }[];
  name?: string;
  text?: string;
  level?: number;
  marker?: string;
  enumerated?: boolean;
  captions?: Reference[];
  data?: { grid?: Cell[][] };
}
interface Cell {
  text?: string;
  column_header?: boolean;
}

const ITEMS = /^#\/(texts|tables|groups|pictures|key_value_items|form_items)\/(\d{1,7})$/;

/** What a reference points to; each once, since references may run in circles. */
function finderIn(
  root: Record<string, unknown>,
): (reference: Reference) => { kind: string; item: Item } | null {
  const seen = new Set<string>();
  return (reference) => {
    const path = typeof reference.$ref === 'string' ? reference.$ref : '';
    const [, kind = '', at = ''] = ITEMS.exec(path) ?? [];
    const items: unknown = root[kind];
    if (seen.has(path) || !Array.isArray(items)) return null;
    seen.add(path);
    const item: unknown = items[Number(at)];
    return typeof item === 'object' && item !== null ? { kind, item } : null;
  };
}

export function readDocling(
  json: string,
  leftOut: LeftOutCount,
): { title: string | null; pageCount: number | null; blocks: DocumentBlock[] } {
  const root = objectOf(JSON.parse(json));
  const blocks: DocumentBlock[] = [];
  let list: string[] = [];
  let listPage: number | null = null;
  let title: string | null = null;

  const flush = () => {
    if (list.length > 0) blocks.push(block('list', list.join('\n'), listPage));
    list = [];
  };
  const push = (...more: DocumentBlock[]) => {
    flush();
    blocks.push(...more);
  };
  const itemOf = finderIn(root);

  /** What cells of the table that is open say, where it stands once more as texts of their own. */
  let inCells = '';

  function readText(item: Item, depth: number): void {
    const text = typeof item.text === 'string' ? item.text.trim() : '';
    const page = pageOf(item);
    if (text === '' || inCells.includes(text)) return;
    if (item.label === 'title') title ??= text;
    if (item.label === 'title' || item.label === 'section_header') {
      const level = item.label === 'title' ? 1 : Math.min(6, (item.level ?? 1) + 1);
      push(block('heading', text.replaceAll('\n', ' '), page, level));
    } else if (item.label === 'list_item') {
      const mark = item.marker && /[\p{L}\p{N}]/u.test(item.marker) ? item.marker : '-';
      if (list.length === 0) listPage = page;
      list.push(`${'  '.repeat(Math.min(8, Math.max(0, depth - 1)))}${mark} ${text.replaceAll('\n', ' ')}`);
    } else push(block(item.label === 'code' ? 'code' : 'text', text, page));
  }

  function readTable(item: Item): void {
    const grid = Array.isArray(item.data?.grid) ? item.data.grid : [];
    const firstBody = grid.findIndex((row) => !row.every((cell) => cell.column_header === true));
    const rows = grid.map((row) => row.map((cell) => String(cell.text ?? '')));
    push(...tableBlock(rows, pageOf(item), Math.max(1, firstBody)));
    inCells = rows.flat().join('\n');
  }

  function walk(references: readonly Reference[] | undefined, depth: number, lists: number): void {
    if (depth > LIMITS.depth) fail('broken', 'the document is nested too deeply');
    for (const reference of Array.isArray(references) ? references : []) {
      const found = itemOf(reference);
      if (!found) continue;
      const { kind, item } = found;
      if (item.content_layer === 'furniture') leftOut.add('page_furniture');
      else if (kind === 'tables') {
        walk(item.captions, depth + 1, lists);
        const outer = inCells;
        readTable(item);
        walk(item.children, depth + 1, lists);
        inCells = outer;
        continue;
      } else if (kind === 'groups' && item.label === 'sheet' && item.name) {
        push(block('heading', item.name, null, 1));
      } else if (kind === 'pictures') {
        leftOut.add('pictures');
        walk(item.captions, depth + 1, lists);
      } else readText(item, lists);
      walk(item.children, depth + 1, lists + (kind === 'groups' && /list/.test(item.label ?? '') ? 1 : 0));
    }
  }

  walk(objectOf(root.body).children as Reference[] | undefined, 0, 0);
  flush();
  const pages = Object.keys(objectOf(root.pages)).length;
  return { title, pageCount: pages > 0 ? pages : null, blocks };
}

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

const pageOf = (item: Item): number | null => {
  const page = item.prov?.[0]?.page_no;
  return Number.isInteger(page) && Number(page) > 0 ? Number(page) : null;
};
