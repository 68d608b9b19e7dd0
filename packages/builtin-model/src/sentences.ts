import { isHeadRow, sentenceSpans } from 'pentarch-prose';
import type { GroundingPassage } from './port.ts';
import { contentTerms } from './words.ts';

/** Pure: passages → the sentences that an answer can be made of. */

export interface Candidate {
  passage: GroundingPassage;
  /** What is quoted. */
  text: string;
  terms: string[];
  /** Of `key: value`, the terms of the value. */
  valueTerms: string[] | null;
  /** Terms of what frames it: title, heading, head of the table, the lead-in of a list. */
  frameTerms: string[];
  kind: 'prose' | 'row' | 'item';
  /** Terms of the question that it stands under, as in a list of questions and answers. */
  asked: string[];
  /** The sentence or lead-in before it in the same passage. */
  before: Candidate | null;
  /** Terms of the whole passage. */
  aroundTerms: readonly string[];
}

const ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+/;
/** A subject, its verb and something behind it; no question. */
const STATES =
  /^(?!(?:#+\s+)?(?:how|what|when|where|which|who|why|wie|was|wann|wo|wer|warum)\b).*\p{L}\s+(?:is|are|was|were|has|have|says?|costs?|lasts?|must|will|can|ist|sind|hat|kostet|est|es)\s+\S/iu;
const stems = (text: string): string[] => contentTerms(text).map((term) => term.stem);

export function candidatesOf(passages: readonly GroundingPassage[]): Candidate[] {
  return passages.flatMap(readPassage);
}

function readPassage(passage: GroundingPassage): Candidate[] {
  const candidates: Candidate[] = [];
  const title = stems(passage.title);
  const aroundTerms = stems(passage.text);
  let heading: string[] = [];
  let asked: string[] = [];
  let before: Candidate | null = null;
  const add = (text: string, kind: Candidate['kind'], frame: string[]) => {
    const clean = text.replace(/\s+/g, ' ').trim();
    if (clean === '') return;
    const candidate: Candidate = {
      passage,
      text: clean,
      terms: stems(clean),
      valueTerms: kind === 'prose' && KEYED.test(clean) ? stems(clean.slice(clean.indexOf(':'))) : null,
      frameTerms: [...title, ...heading, ...frame],
      kind,
      asked,
      before,
      aroundTerms,
    };
    candidates.push(candidate);
    before = candidate;
  };
  for (const part of passage.text.split(/\n\s*\n/)) {
    const lines = part.split('\n').filter((line) => line.trim() !== '');
    if (isQuestion(lines)) {
      asked = stems(lines[0] ?? '');
      before = null;
    } else if (isHeading(lines)) {
      // Slides and notes leave the full stop out: a line that says something is a statement as well.
      if (STATES.test(lines[0] ?? '')) add((lines[0] ?? '').replace(/^#{1,6}\s+/, ''), 'prose', []);
      heading = stems(lines[0] ?? '');
      asked = [];
      before = null;
    } else if (lines.length > 0 && lines.every((line) => line.includes('|'))) addRows(lines, add);
    else addLines(lines, add);
  }
  return candidates;
}

type Add = (text: string, kind: Candidate['kind'], frame: string[]) => void;

const isQuestion = (lines: string[]): boolean =>
  lines.length === 1 && /[?？]\**\s*$/.test(lines[0] ?? '') && (lines[0] ?? '').length <= 200;

/** One short line that is no sentence. */
function isHeading(lines: string[]): boolean {
  const [line] = lines;
  if (!line || lines.length > 1 || line.length > 120 || (ITEM.test(line) && !/^\d/.test(line))) return false;
  return (
    /^#{1,6}\s/.test(line) ||
    (!/[.!?:;。！？…"”)]$/.test(line.trim()) && !line.includes('|') && line.split(/\s+/).length <= 12)
  );
}

function addRows(lines: string[], add: Add): void {
  const rows = lines
    .filter((line) => !/^[\s|:-]+$/.test(line))
    .map((line) =>
      line
        .replace(/^\s*\|/, '')
        .replace(/\|\s*$/, '')
        .split('|')
        .map((cell) => cell.trim()),
    );
  const [head, ...body] = rows;
  if (!head) return;
  const hasHead = rows.length < lines.length || isHeadRow(head, body[0]);
  if (!hasHead || body.length === 0) {
    for (const row of rows) add(row.join(' | '), 'row', []);
    return;
  }
  for (const row of body) {
    const named = row.length <= head.length;
    const cells = row
      .map((cell, i) => (named && head[i] ? `${head[i]}: ${cell}` : cell))
      .filter((cell) => !/:\s*$/.test(cell));
    add(cells.join(', '), 'row', stems(head.join(' ')));
  }
}

function addLines(lines: string[], add: Add): void {
  let prose: string[] = [];
  let leadIn: string[] = [];
  const flush = () => {
    const text = prose.join('\n');
    prose = [];
    const keyed = text.split('\n').filter((line) => KEYED.test(line.trim()));
    // What a record says elsewhere tells what it is about.
    const record = keyed.length > 1 ? stems(keyed.join('\n')) : [];
    for (const block of blocksOf(text))
      for (const span of sentenceSpans(block))
        add(block.slice(span.start, span.end), 'prose', KEYED.test(block.trim()) ? record : []);
    if (text.trim().endsWith(':')) leadIn = stems(text.slice(-200));
  };
  for (const line of lines) {
    if (ITEM.test(line)) {
      flush();
      add(line.replace(ITEM, ''), 'item', leadIn);
    } else prose.push(line.replace(/^>\s?/, ''));
  }
  flush();
}

/** A line of a slide or a record ends where it is short; one of running text goes on. */
const SHORT_LINE = 66;
const KEYED = /^[\p{L}][\p{L}\p{N}_.[\] -]{0,60}:\s+\S/u;

/** Lines that are statements of their own apart, lines of running text together. */
function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let last = '';
  for (const line of text.split('\n')) {
    const breaks =
      blocks.length > 0 &&
      ((last.length < SHORT_LINE && !/[,;–-]\s*$/.test(last) && /^\s*[\p{Lu}\p{N}"“]/u.test(line)) ||
        (KEYED.test(line.trim()) && KEYED.test(last.trim())));
    if (blocks.length === 0 || breaks) blocks.push(line);
    else blocks[blocks.length - 1] += `\n${line}`;
    last = line;
  }
  return blocks;
}
