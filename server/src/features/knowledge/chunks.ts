import { estimateTokens, type Span, safeCut, sentenceSpans, trimSpan } from 'pentarch-prose';
import type { DocumentBlock, ParsedDocument } from '../../kernel/parser.ts';

/**
 * Document → passages, the units of search and citation. A chunk is one stretch of the document's text: it starts
 * and ends between sentences, list items, table rows or code blocks, stays within one section and one page, and
 * shares about a sentence with the chunk before it where prose was cut for its length.
 */
export interface Chunk {
  /** From 0, in reading order. */
  ordinal: number;
  /** `documentText(document).slice(start, end)`, behind `tableHead` and a line break where that is not null. */
  text: string;
  page: number | null;
  /** Title of the document, then the headings above, outermost first. */
  headingPath: string[];
  start: number;
  end: number;
  /** The first row of the table that the chunk starts in the middle of, so that its rows can be read by themselves. */
  tableHead: string | null;
}

/** Raise it with every change of what comes out: documents of an older one are indexed again. */
export const CHUNKING_VERSION = 3;

export interface ChunkOptions {
  /** Where a chunk is closed. */
  targetTokens?: number;
  /** A sentence before the cut is repeated when it is not longer than this. */
  overlapTokens?: number;
  /** A code block, table row or list item up to this length stays whole. */
  wholeTokens?: number;
}

/** 180 tokens leave room for the title path within the 256 that the built-in embedder reads. */
const DEFAULTS: Required<ChunkOptions> = { targetTokens: 180, overlapTokens: 60, wholeTokens: 600 };

const SEPARATOR = '\n\n';

/** The text that all offsets count in. */
export const documentText = (document: Pick<ParsedDocument, 'blocks'>): string =>
  document.blocks.map((b) => b.text).join(SEPARATOR);

/** What is embedded: the title path, as far as the chunk does not show it itself, and the text. */
export function embedText(chunk: Pick<Chunk, 'headingPath' | 'text'>): string {
  const head = chunk.text.slice(0, 400);
  const path = chunk.headingPath.filter((heading) => !head.includes(heading)).map((h) => h.slice(0, 100));
  return [path.join(' > '), chunk.text].filter((part) => part !== '').join('\n');
}

interface Unit extends Span {
  kind: DocumentBlock['kind'];
  page: number | null;
  level: number;
  tokens: number;
  tableHead: string | null;
}

export function chunkDocument(document: ParsedDocument, options: ChunkOptions = {}): Chunk[] {
  const settings = { ...DEFAULTS, ...options };
  const text = documentText(document);
  const path = createPath(document.title);
  const chunks: Chunk[] = [];
  let units: Unit[] = [];

  const close = () => {
    const first = units[0];
    const last = units.at(-1);
    if (!first || !last) return;
    const shown = units.find((unit) => unit.kind !== 'heading') ?? first;
    chunks.push({
      ordinal: chunks.length,
      text: `${first.tableHead === null ? '' : `${first.tableHead}\n`}${text.slice(first.start, last.end)}`,
      page: shown.page,
      headingPath: path.current(),
      start: first.start,
      end: last.end,
      tableHead: first.tableHead,
    });
    units = [];
  };

  for (const unit of unitsOf(document.blocks, settings)) {
    const last = units.at(-1);
    const onlyHeadings = units.every((u) => u.kind === 'heading');
    if (unit.kind === 'heading') {
      // Headings in a row stay together with the text that follows; a heading of the same rank begins anew.
      if (!onlyHeadings || (last && unit.level <= last.level)) close();
      path.enter(text.slice(unit.start, unit.end), unit.level);
    } else if (last && !onlyHeadings) {
      const repeated = estimateTokens(units[0]?.tableHead ?? '');
      const tokens = units.reduce((sum, u) => sum + u.tokens, repeated);
      if (unit.page !== last.page) close();
      else if (tokens + unit.tokens > settings.targetTokens) {
        close();
        // A sentence twice, so that what refers to it is understood; never more than half of the new chunk.
        const repeat = last.kind === 'text' && unit.kind === 'text' && last.tokens <= settings.overlapTokens;
        if (repeat && chunks.at(-1)?.start !== last.start) units.push(last);
      }
    }
    units.push(unit);
  }
  close();
  return chunks;
}

/** The headings above the current place. */
function createPath(title: string | null) {
  let stack: { text: string; level: number }[] = [];
  return {
    enter(text: string, level: number) {
      stack = [...stack.filter((entry) => entry.level < level), { text, level }];
    },
    current(): string[] {
      const headings = stack.map((entry) => entry.text);
      return title && headings[0] !== title ? [title, ...headings] : headings;
    },
  };
}

/** The smallest parts that are never cut, with their places in the document's text. */
function* unitsOf(blocks: readonly DocumentBlock[], settings: Required<ChunkOptions>): Generator<Unit> {
  let offset = 0;
  for (const { kind, text, page, level = 1 } of blocks) {
    let tableHead: string | null = null;
    for (const span of spansOf(kind, text, settings)) {
      const tokens = estimateTokens(text.slice(span.start, span.end));
      yield { kind, page, level, tokens, tableHead, start: offset + span.start, end: offset + span.end };
      // From the second row on.
      if (kind === 'table') tableHead ??= headOf(text.slice(span.start, span.end));
    }
    offset += text.length + SEPARATOR.length;
  }
}

const MAX_HEAD_CHARACTERS = 600;

/** Whole names of columns. */
function headOf(row: string): string {
  if (row.length <= MAX_HEAD_CHARACTERS) return row;
  const end = row.lastIndexOf(' | ', MAX_HEAD_CHARACTERS);
  return row.slice(0, end > 0 ? end : safeCut(row, MAX_HEAD_CHARACTERS)).trimEnd();
}

function spansOf(kind: DocumentBlock['kind'], text: string, settings: Required<ChunkOptions>): Span[] {
  const whole = trimSpan(text, 0, text.length);
  if (whole.start === whole.end) return [];
  const fits = (span: Span, tokens: number) => estimateTokens(text.slice(span.start, span.end)) <= tokens;
  switch (kind) {
    case 'heading':
      return [whole];
    case 'code':
      return fits(whole, settings.wholeTokens) ? [whole] : packLines(text, settings.targetTokens);
    case 'table':
    case 'list': {
      const spans = lineSpans(text);
      return spans.flatMap((span) => (fits(span, settings.wholeTokens) ? [span] : cut(text, span, settings)));
    }
    case 'text':
      return sentenceSpans(text).flatMap((span) =>
        fits(span, settings.targetTokens) ? [span] : cut(text, span, settings),
      );
  }
}

function lineSpans(text: string): Span[] {
  const spans: Span[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    const span = trimSpan(text, start, start + line.length);
    if (span.start < span.end) spans.push(span);
    start += line.length + 1;
  }
  return spans;
}

/** Code that is too long for one chunk: as many whole lines as fit, with their indentation. */
function packLines(text: string, targetTokens: number): Span[] {
  const spans: Span[] = [];
  let start = 0;
  let end = 0;
  let tokens = 0;
  for (const line of text.split('\n')) {
    const lineTokens = estimateTokens(line) + 1;
    if (end > start && tokens + lineTokens > targetTokens) {
      spans.push({ start, end: end - 1 });
      start = end;
      tokens = 0;
    }
    tokens += lineTokens;
    end += line.length + 1;
  }
  spans.push({ start, end: text.length });
  return spans
    .filter((span) => text.slice(span.start, span.end).trim() !== '')
    .flatMap((span) =>
      estimateTokens(text.slice(span.start, span.end)) <= targetTokens * 2
        ? [span]
        : cut(text, span, { targetTokens }),
    );
}

/** A stretch without a natural end: after a comma or space where there is one, else anywhere between characters. */
function cut(
  text: string,
  span: Span,
  { targetTokens }: Pick<Required<ChunkOptions>, 'targetTokens'>,
): Span[] {
  const spans: Span[] = [];
  let start = span.start;
  while (start < span.end) {
    let length = Math.min(span.end - start, targetTokens * 4);
    while (length > targetTokens && estimateTokens(text.slice(start, start + length)) > targetTokens) {
      length = Math.max(targetTokens, Math.floor(length * 0.8));
    }
    let end = start + length;
    if (end < span.end) end = softEnd(text, start, end);
    const piece = trimSpan(text, start, end);
    if (piece.start < piece.end) spans.push(piece);
    start = end;
  }
  return spans;
}

function softEnd(text: string, start: number, hardEnd: number): number {
  const lowest = start + Math.floor((hardEnd - start) / 2);
  const slice = text.slice(lowest, hardEnd);
  const breaks = [...slice.matchAll(/[,;:]\s|[、，；：]|\s/g)];
  const best = breaks.findLast((m) => m[0].trim() !== '') ?? breaks.at(-1);
  return best ? lowest + best.index + best[0].length : Math.max(start + 1, safeCut(text, hardEnd));
}
