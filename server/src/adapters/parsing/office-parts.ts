import type { DocumentBlock } from '../../kernel/parser.ts';
import { block, tableBlock, tidy } from './blocks.ts';
import { trimmed } from './xlsx-format.ts';
import { readRelations, readXml } from './xml.ts';
import type { Zip } from './zip.ts';

/** Parts that all office files share: charts, diagrams, properties, relationships. */

export interface Relation {
  type: string;
  target: string;
}

export const folderOf = (path: string): string => path.replace(/\/?[^/]*$/, '');

/** What a part points to, by id. */
export const relationsOf = (zip: Zip, path: string): Map<string, Relation> =>
  readRelations(zip.readText(path.replace(/([^/]+)$/, '_rels/$1.rels')), folderOf(path));

/** The part that the file is about, wherever it lies; `usual` where the file does not say. */
export const mainPart = (zip: Zip, usual: string): string =>
  zip.has(usual)
    ? usual
    : ([...readRelations(zip.readText('_rels/.rels'), '').values()].find(
        ({ type, target }) => type === 'officeDocument' && zip.has(target),
      )?.target ?? usual);

interface Series {
  name: string;
  categories: Map<number, string>;
  values: Map<number, string>;
}

/** A chart as its titles and the table of what it draws (ECMA-376 part 1, 21.2). */
export function chartBlocks(xml: Uint8Array | null, page: number | null = null): DocumentBlock[] {
  const titles: string[] = [];
  const series: Series[] = [];
  let title: string[] | null = null;
  let at = 0;
  let value = '';
  readXml(xml ?? '', {
    open(name, a) {
      if (name === 'c:title') title = [];
      if (name === 'c:ser') series.push({ name: '', categories: new Map(), values: new Map() });
      if (name === 'c:pt') at = Number(a.idx ?? 0);
      if (name === 'c:v') value = '';
    },
    text(text, path) {
      if (path.at(-1) === 'a:t') title?.push(text);
      if (path.at(-1) === 'c:v') value += text;
    },
    close(name, path) {
      if (name === 'c:title' && title) {
        const text = title.join('').trim();
        if (text) titles.push(text);
        title = null;
      }
      const last = series.at(-1);
      if (name !== 'c:v' || !last || path.includes('c:title')) return;
      if (path.includes('c:tx')) last.name = value;
      else if (path.includes('c:cat') || path.includes('c:xVal')) {
        const known = last.categories.get(at);
        last.categories.set(at, known ? `${value} ${known}` : value);
      } else if (path.includes('c:val') || path.includes('c:yVal')) last.values.set(at, drawnNumber(value));
    },
  });
  const [main, ...axes] = titles;
  const heading = main
    ? [block('text', `Chart: ${main}${axes.length > 0 ? ` (${axes.join(', ')})` : ''}`, page)]
    : [];
  return [...heading, ...tableBlock(chartRows(series), page)];
}

/** Without what is left of a binary fraction. */
const drawnNumber = (text: string): string =>
  text.trim() !== '' && Number.isFinite(Number(text)) ? trimmed(Number(text)) : text;

function chartRows(series: readonly Series[]): string[][] {
  const drawn = series.filter((one) => one.values.size > 0).slice(0, 200);
  const [first] = drawn;
  if (!first) return [];
  const indexes = [...new Set(drawn.flatMap((one) => [...one.values.keys()]))].sort((a, b) => a - b);
  return [
    ['', ...drawn.map((one, i) => one.name || `Series ${i + 1}`)],
    ...indexes
      .slice(0, 2_000)
      .map((i) => [first.categories.get(i) ?? String(i + 1), ...drawn.map((one) => one.values.get(i) ?? '')]),
  ];
}

/** The words of a diagram (SmartArt), one point a line. */
export function diagramBlocks(xml: Uint8Array | null, page: number | null = null): DocumentBlock[] {
  const points: string[] = [];
  let current = '';
  readXml(xml ?? '', {
    open(name) {
      if (name === 'dgm:pt') current = '';
      if (name === 'a:p' && current !== '') current += ' ';
    },
    text(text, path) {
      if (path.at(-1) === 'a:t') current += text;
    },
    close(name) {
      if (name === 'dgm:pt' && tidy(current) !== '') points.push(`- ${tidy(current)}`);
    },
  });
  return points.length > 0 ? [block('list', points.join('\n'), page)] : [];
}

/** What programs write where nobody gave a title. */
const NO_TITLE =
  /^(\(?anonymous\)?|untitled|unknown|powerpoint[ -]pr(e|ä|é)sentation|pr(e|é)sentation powerpoint|presentaci(o|ó)n de powerpoint|presentazione (di )?powerpoint|microsoft (word|excel|powerpoint)( -.*)?|(word|excel) document|document\d*|dokument\d*|(slide|folie|sheet|tabelle|book|mappe|presentation|pr(e|ä)sentation)\s?\d+|(sheet|tabelle|feuil|hoja|foglio|лист|工作表)\d*|title|titel|no title|normal|temp|template)$/i;

/** Null for what says nothing of the document. */
export const realTitle = (title: string | null | undefined): string | null => {
  const text = title?.replace(/\s+/g, ' ').trim() ?? '';
  return /[\p{L}\p{N}]/u.test(text) && !NO_TITLE.test(text) ? text : null;
};

/** `dc:title` of an office file's core properties. */
export function coreTitle(zip: Zip): string | null {
  let title = '';
  readXml(zip.readText('docProps/core.xml') ?? '', {
    open() {},
    text(text, path) {
      if (path.at(-1) === 'dc:title') title += text;
    },
  });
  return realTitle(title);
}
