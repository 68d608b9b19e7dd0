import type { DocumentBlock } from '../../kernel/parser.ts';
import { altText } from './alt-texts.ts';
import { block, tableBlock, tidy } from './blocks.ts';
import { createGrid, type GridCell } from './grid.ts';
import type { LeftOutCount } from './left-out.ts';
import {
  chartBlocks,
  coreTitle,
  diagramBlocks,
  mainPart,
  type Relation,
  realTitle,
  relationsOf,
} from './office-parts.ts';
import { createMathReader } from './omml.ts';
import { readXml } from './xml.ts';
import type { Zip } from './zip.ts';

/** Presentations (ECMA-376 part 1, 19): a slide is a page; hidden slides are left out, notes and comments are marked as such. */
export function parsePptx(
  zip: Zip,
  leftOut: LeftOutCount,
): { title: string | null; pageCount: number; blocks: DocumentBlock[] } {
  const main = mainPart(zip, 'ppt/presentation.xml');
  const relations = relationsOf(zip, main);
  const slides: string[] = [];
  readXml(zip.readText(main) ?? '', {
    open(name, a) {
      const target = name === 'p:sldId' ? relations.get(a['r:id'] ?? '')?.target : undefined;
      if (target) slides.push(target);
    },
  });
  const authors = readAuthors(zip, relations);
  const blocks: DocumentBlock[] = [];
  slides.forEach((path, index) => {
    const page = index + 1;
    const own = relationsOf(zip, path);
    const slide = readSlide(zip.read(path), {
      page,
      leftOut,
      embedded: (id) => embedded(zip, own.get(id), page),
    });
    if (!slide) {
      leftOut.add('hidden_slides');
      return;
    }
    blocks.push(...slide, ...besides(zip, [...own.values()], authors, page));
  });
  const title = coreTitle(zip) ?? blocks.find((b) => b.kind === 'heading' && realTitle(b.text))?.text ?? null;
  return { title, pageCount: slides.length, blocks };
}

function embedded(zip: Zip, relation: Relation | undefined, page: number): DocumentBlock[] {
  if (relation?.type === 'chart') return chartBlocks(zip.read(relation.target), page);
  return relation?.type === 'diagramData' ? diagramBlocks(zip.read(relation.target), page) : [];
}

/** Notes and comments of a slide. */
function besides(
  zip: Zip,
  relations: readonly Relation[],
  authors: ReadonlyMap<string, string>,
  page: number,
): DocumentBlock[] {
  const notes = relations
    .filter(({ type }) => type === 'notesSlide')
    .flatMap(({ target }) => readSlide(zip.read(target), { page, only: 'body' }) ?? [])
    .map((b) => b.text)
    .join('\n');
  const comments = relations
    .filter(({ type }) => type === 'comments')
    .flatMap(({ target }) => readComments(zip.read(target), authors));
  return [
    ...(notes ? [block('text', `Notes: ${notes}`, page)] : []),
    ...comments.map((comment) => block('text', `Comment: ${comment}`, page)),
  ];
}

/** Names of those who comment, by id; both generations of the format. */
function readAuthors(zip: Zip, relations: ReadonlyMap<string, Relation>): Map<string, string> {
  const authors = new Map<string, string>();
  for (const { type, target } of relations.values()) {
    if (type !== 'commentAuthors' && type !== 'authors') continue;
    readXml(zip.read(target) ?? '', {
      open(name, a) {
        if (/(^|:)(cmAuthor|author)$/.test(name) && a.id) authors.set(a.id, a.name ?? '');
      },
    });
  }
  return authors;
}

function readComments(xml: Uint8Array | null, authors: ReadonlyMap<string, string>): string[] {
  const comments: string[] = [];
  let text = '';
  let author = '';
  readXml(xml ?? '', {
    open(name, a) {
      if (/:(cm|reply)$/.test(name)) {
        push();
        author = authors.get(a.authorId ?? '') ?? '';
      }
      if (name === 'a:p') text += ' ';
    },
    text(part, path) {
      if (path.at(-1) === 'p:text' || path.at(-1) === 'a:t') text += part;
    },
    close(name) {
      if (/:(cm|reply)$/.test(name)) push();
    },
  });
  return comments;

  function push(): void {
    const clean = tidy(text);
    if (clean !== '') comments.push(author ? `${author}: ${clean}` : clean);
    text = '';
  }
}

interface SlideOptions {
  page: number;
  /** Keeps the shapes of one placeholder type. */
  only?: string;
  leftOut?: LeftOutCount;
  embedded?(relationId: string): DocumentBlock[];
}

/** Null for a hidden slide. */
function readSlide(xml: Uint8Array | null, options: SlideOptions): DocumentBlock[] | null {
  const slide = createSlide(options);
  readXml(xml ?? '', slide);
  return slide.end();
}

function createSlide({ page, only, leftOut, embedded }: SlideOptions) {
  const titles: DocumentBlock[] = [];
  const rest: DocumentBlock[] = [];
  let hidden = false;
  let skipped = 0;
  let shape = { placeholder: '', hidden: false };
  let paragraphs: string[] = [];
  let grid = createGrid();
  let row: GridCell[] = [];
  let inTable = false;
  const say = (text: string) => paragraphs.push(`${paragraphs.pop() ?? ''}${text}`);
  const math = createMathReader(say);
  const endShape = () => {
    const text = paragraphs
      .map(tidy)
      .filter((p) => p !== '')
      .join('\n');
    paragraphs = [];
    if (shape.hidden && text !== '') leftOut?.add('hidden_text');
    // Slide numbers, dates and footers repeat on each slide.
    if (shape.hidden || text === '') return;
    if (/^(sldNum|dt|ftr|hdr)$/.test(shape.placeholder)) {
      leftOut?.add('page_furniture');
      return;
    }
    if (only && shape.placeholder !== only) return;
    if (/^(title|ctrTitle)$/.test(shape.placeholder))
      titles.push(block('heading', text.replaceAll('\n', ' '), page, 1));
    else rest.push(block('text', text, page));
  };
  return {
    open(name: string, a: Record<string, string>) {
      if (skipped > 0 || name === 'mc:Fallback') {
        skipped++;
        return;
      }
      if (math.open(name, a)) return;
      if (name === 'p:sld' && a.show === '0') hidden = true;
      if (name === 'p:sp') shape = { placeholder: '', hidden: false };
      if (name === 'p:cNvPr' && a.hidden === '1') shape.hidden = true;
      const described = name === 'p:cNvPr' && a.hidden !== '1' && !only ? altText(a.descr) : '';
      if (described !== '') rest.push(block('text', described, page));
      if (name === 'p:ph') shape.placeholder = a.type ?? 'body';
      if (name === 'p:pic') leftOut?.add('pictures');
      if (name === 'c:chart' || name === 'dgm:relIds')
        rest.push(...(embedded?.(a['r:id'] ?? a['r:dm'] ?? '') ?? []));
      if (name === 'a:tbl') {
        inTable = true;
        grid = createGrid();
      }
      if (name === 'a:tr') row = [];
      // What another cell covers is there as an empty cell of its own.
      if (name === 'a:tc' && a.hMerge !== '1' && a.vMerge !== '1')
        row.push({ text: '', columns: Number(a.gridSpan ?? 1), rows: Number(a.rowSpan ?? 1) });
      if (name === 'a:p') paragraphs.push('');
      if (name === 'a:br') say('\n');
    },
    text(text: string, path: readonly string[]) {
      if (skipped === 0 && !math.text(text) && path.at(-1) === 'a:t') say(text);
    },
    close(name: string) {
      if (skipped > 0) {
        skipped--;
        return;
      }
      if (math.close()) return;
      if (name === 'a:tc') {
        const cell = row.at(-1);
        const text = paragraphs.map(tidy).join(' ').trim();
        if (cell && text) cell.text = cell.text ? `${cell.text} ${text}` : text;
        paragraphs = [];
      }
      if (name === 'a:tr') grid.addRow(row);
      if (name === 'a:tbl') {
        inTable = false;
        if (!only) rest.push(...tableBlock(grid.rows, page));
      }
      if (name === 'p:sp' && !inTable) endShape();
    },
    end: (): DocumentBlock[] | null => (hidden ? null : [...titles, ...rest]),
  };
}
