import type { DocumentBlock } from '../../kernel/parser.ts';
import { block } from './blocks.ts';
import { fail, LIMITS } from './fault.ts';

/** JSON, or JSON Lines: each record becomes a block of `path: value` lines, which reads and embeds like prose. */
export function parseJson(text: string): { title: string | null; blocks: DocumentBlock[] } {
  const value = readJson(text);
  const title = isRecord(value) && typeof value.title === 'string' ? value.title : null;
  const records = Array.isArray(value) ? value : [value];
  const blocks = records.flatMap((record: unknown) =>
    isRecord(record) ? recordBlocks(record) : [block('text', lines(record, '', 0).join('\n'))],
  );
  return { title, blocks };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fields of scalars together, each list of records on its own, one block for each of its records. */
function recordBlocks(record: Record<string, unknown>): DocumentBlock[] {
  const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.some(isRecord);
  const plain = Object.entries(record).filter(([, value]) => !isList(value));
  const own = plain.flatMap(([key, value]) => lines(value, key, 1)).join('\n');
  const lists = Object.entries(record).flatMap(([key, value]) =>
    isList(value)
      ? [block('heading', key, null, 2), ...value.map((item) => block('text', lines(item, '', 1).join('\n')))]
      : [],
  );
  return [...(own ? [block('text', own)] : []), ...lists];
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const rows = text.split('\n').filter((line) => line.trim() !== '');
    try {
      if (rows.length > 1) return rows.map((row): unknown => JSON.parse(row));
    } catch {
      // Neither form.
    }
    return fail('broken', 'the file is no valid JSON');
  }
}

function lines(value: unknown, path: string, depth: number): string[] {
  if (depth > LIMITS.depth) return fail('broken', 'the document is nested too deeply');
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== 'object' || item === null))
      return [label(path, value.join(', '))];
    return value.flatMap((item: unknown, i) => lines(item, `${path}[${i}]`, depth + 1));
  }
  if (isRecord(value)) {
    return Object.entries(value).flatMap(([key, item]) =>
      lines(item, path ? `${path}.${key}` : key, depth + 1),
    );
  }
  return [label(path, String(value))];
}

const label = (path: string, value: string): string => (path ? `${path}: ${value}` : value);
