import type { DocumentBlock } from '../../kernel/parser.ts';
import { block, tableBlock, tidy } from './blocks.ts';
import { coreTitle } from './office-parts.ts';
import { readRelations, readXml } from './xml.ts';
import type { Zip } from './zip.ts';

/** Presentations (ECMA-376 part 1, 19): a slide is a page; hidden slides are left out, notes are marked as such. */
export function parsePptx(zip: Zip): { title: string | null; pageCount: number; blocks: DocumentBlock[] } {
  const relations = readRelations(zip.readText('ppt/_rels/presentation.xml.rels'), 'ppt');
  const slides: string[] = [];
  readXml(zip.readText('ppt/presentation.xml') ?? '', {
    open(name, a) {
      const target = name === 'p:sldId' ? relations.get(a['r:id'] ?? '')?.target : undefined;
      if (target) slides.push(target);
    },
  });
  const blocks: DocumentBlock[] = [];
  slides.forEach((path, index) => {
    const slide = readSlide(zip.readText(path) ?? '', index + 1);
    if (!slide) return;
    const own = readRelations(
      zip.readText(path.replace(/([^/]+)$/, '_rels/$1.rels')),
      path.replace(/\/[^/]+$/, ''),
    );
    const notes = [...own.values()].find((r) => r.type === 'notesSlide')?.target;
    const spoken = notes ? (readSlide(zip.readText(notes) ?? '', index + 1, 'body') ?? []) : [];
    const text = spoken.map((b) => b.text).join('\n');
    blocks.push(...slide, ...(text ? [block('text', `Notes: ${text}`, index + 1)] : []));
  });
  const title = coreTitle(zip) ?? blocks.find((b) => b.kind === 'heading')?.text ?? null;
  return { title, pageCount: slides.length, blocks };
}

/** Null for a hidden slide. `only` keeps the shapes of one placeholder type. */
function readSlide(xml: string, page: number, only?: string): DocumentBlock[] | null {
  const titles: DocumentBlock[] = [];
  const rest: DocumentBlock[] = [];
  let hidden = false;
  let shape = { placeholder: '', hidden: false };
  let paragraphs: string[] = [];
  let rows: string[][] = [];
  let inTable = false;
  const endShape = () => {
    const text = paragraphs
      .map(tidy)
      .filter((p) => p !== '')
      .join('\n');
    paragraphs = [];
    // Slide numbers, dates and footers repeat on each slide.
    if (shape.hidden || text === '' || /^(sldNum|dt|ftr|hdr)$/.test(shape.placeholder)) return;
    if (only && shape.placeholder !== only) return;
    if (/^(title|ctrTitle)$/.test(shape.placeholder))
      titles.push(block('heading', text.replaceAll('\n', ' '), page, 1));
    else rest.push(block('text', text, page));
  };
  readXml(xml, {
    open(name, a) {
      if (name === 'p:sld' && a.show === '0') hidden = true;
      if (name === 'p:sp') shape = { placeholder: '', hidden: false };
      if (name === 'p:cNvPr' && a.hidden === '1') shape.hidden = true;
      if (name === 'p:ph') shape.placeholder = a.type ?? 'body';
      if (name === 'a:tbl') {
        inTable = true;
        rows = [];
      }
      if (name === 'a:tr') rows.push([]);
      if (name === 'a:p') paragraphs.push('');
      if (name === 'a:br') paragraphs.push(`${paragraphs.pop() ?? ''}\n`);
    },
    text(text, path) {
      if (path.at(-1) === 'a:t') paragraphs.push(`${paragraphs.pop() ?? ''}${text}`);
    },
    close(name) {
      if (name === 'a:tc') {
        rows.at(-1)?.push(paragraphs.join(' '));
        paragraphs = [];
      }
      if (name === 'a:tbl') {
        inTable = false;
        if (!only) rest.push(...tableBlock(rows, page));
      }
      if (name === 'p:sp' && !inTable) endShape();
    },
  });
  return hidden ? null : [...titles, ...rest];
}
