import { parse as parseYaml } from 'yaml';
import type { DocumentBlock } from '../../kernel/parser.ts';
import { block } from './blocks.ts';

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;
const ATX = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const LIST = /^ {0,3}(?:[-*+]|\d{1,9}[.)])[ \t]+\S/;
const DELIMITER_ROW = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const BREAK = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/;

/** CommonMark's block structure as far as reading needs it: text stays as written, so that quotes are exact. */
export function parseMarkdown(source: string): { title: string | null; blocks: DocumentBlock[] } {
  const { title, body } = takeFrontMatter(source);
  // Comments are not shown to readers, and a favourite place for instructions to machines.
  const lines = withoutComments(body).split('\n');
  const blocks: DocumentBlock[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at] ?? '';
    const heading = ATX.exec(line);
    if (line.trim() === '' || BREAK.test(line)) at++;
    else if (FENCE.test(line)) at = readFence(lines, at, blocks);
    else if (heading) {
      blocks.push(block('heading', heading[2] ?? '', null, heading[1]?.length ?? 1));
      at++;
    } else if (isTableStart(lines, at)) at = readWhile(lines, at, blocks, 'table', (l) => l.trim() !== '');
    else if (LIST.test(line)) at = readList(lines, at, blocks);
    else at = readParagraph(lines, at, blocks);
  }
  const first = blocks.find((b) => b.kind === 'heading' && b.level === 1);
  return { title: title ?? first?.text ?? null, blocks };
}

function takeFrontMatter(source: string): { title: string | null; body: string } {
  const match = /^---[ \t]*\n([\s\S]*?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(source);
  if (!match) return { title: null, body: source };
  let title: string | null = null;
  try {
    const data: unknown = parseYaml(match[1] ?? '', { maxAliasCount: 0 });
    if (typeof data !== 'object' || data === null) return { title: null, body: source };
    if ('title' in data && typeof data.title === 'string') title = data.title;
  } catch {
    // No YAML, so two rules with text between them.
    return { title: null, body: source };
  }
  return { title, body: source.slice(match[0].length) };
}

function readWhile(
  lines: string[],
  start: number,
  blocks: DocumentBlock[],
  kind: DocumentBlock['kind'],
  goesOn: (line: string) => boolean,
): number {
  let end = start + 1;
  while (end < lines.length && goesOn(lines[end] ?? '')) end++;
  blocks.push(block(kind, lines.slice(start, end).join('\n')));
  return end;
}

/** An unclosed fence runs to the end of the document (CommonMark 4.5). */
function readFence(lines: string[], start: number, blocks: DocumentBlock[]): number {
  const mark = FENCE.exec(lines[start] ?? '')?.[1] ?? '```';
  let end = start + 1;
  while (end < lines.length) {
    const close = FENCE.exec(lines[end] ?? '');
    end++;
    if (close?.[1]?.startsWith(mark) && (close[2] ?? '').trim() === '') break;
  }
  blocks.push(block('code', lines.slice(start, end).join('\n')));
  return end;
}

function isTableStart(lines: string[], at: number): boolean {
  const next = lines[at + 1] ?? '';
  return (
    (lines[at] ?? '').includes('|') && next.includes('-') && next.includes('|') && DELIMITER_ROW.test(next)
  );
}

/** A list goes on over blank lines while what follows is indented or another item. */
function readList(lines: string[], start: number, blocks: DocumentBlock[]): number {
  let end = start + 1;
  while (end < lines.length) {
    const line = lines[end] ?? '';
    if (line.trim() === '') {
      const next = lines[end + 1] ?? '';
      if (!LIST.test(next) && !/^(?: {2,}|\t)\S/.test(next)) break;
    } else if (!/^\s/.test(line) && !LIST.test(line)) {
      if (ATX.test(line) || FENCE.test(line) || (lines[end - 1] ?? '').trim() === '') break;
    }
    end++;
  }
  blocks.push(block('list', lines.slice(start, end).join('\n')));
  return end;
}

function readParagraph(lines: string[], start: number, blocks: DocumentBlock[]): number {
  let end = start;
  while (end < lines.length) {
    const line = lines[end] ?? '';
    if (line.trim() === '' || (end > start && (ATX.test(line) || FENCE.test(line) || LIST.test(line)))) break;
    const underline = /^ {0,3}(=+|-+)[ \t]*$/.exec(line);
    if (underline && end > start) {
      const text = lines.slice(start, end).join(' ').trim();
      blocks.push(block('heading', text, null, underline[1]?.startsWith('=') ? 1 : 2));
      return end + 1;
    }
    end++;
  }
  blocks.push(block('text', lines.slice(start, end).join('\n')));
  return end;
}

/** By plain search: a pattern is quadratic on comments that never end. */
function withoutComments(text: string): string {
  let out = '';
  let from = 0;
  for (let at = text.indexOf('<!--'); at >= 0; at = text.indexOf('<!--', from)) {
    const end = text.indexOf('-->', at);
    if (end < 0) break;
    out += text.slice(from, at);
    from = end + 3;
  }
  return out + text.slice(from);
}
