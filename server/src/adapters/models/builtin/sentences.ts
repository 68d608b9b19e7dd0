import type { GroundingPassage } from '../../../kernel/model.ts';
import { sentenceSpans } from '../../../kernel/text.ts';
import { contentTerms } from './words.ts';

/** Pure: passages → the sentences that an answer can be made of. */

export interface Candidate {
  passage: GroundingPassage;
  /** What is quoted. */
  text: string;
  terms: string[];
  /** Terms of what frames it: title, heading, head of the table, the lead-in of a list. */
  frameTerms: string[];
  kind: 'prose' | 'row' | 'item';
  /** Terms of the question that it stands under, as in a list of questions and answers. */
  asked: string[];
  /** The sentence or lead-in before it in the same passage. */
  before: Candidate | null;
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
      frameTerms: [...title, ...heading, ...frame],
      kind,
      asked,
      before,
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
  // A passage may start in the middle of a table: names of columns hold no numbers.
  const hasHead = rows.length < lines.length || !head.some((cell) => /\p{N}/u.test(cell));
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
    for (const span of sentenceSpans(text)) add(text.slice(span.start, span.end), 'prose', []);
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
