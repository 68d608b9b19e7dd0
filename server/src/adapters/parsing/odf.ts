import type { DocumentBlock } from '../../kernel/parser.ts';
import { edgeBlocks } from './edge-texts.ts';
import { fail } from './fault.ts';
import type { LeftOutCount } from './left-out.ts';
import { type OdfContext, type OdfObject, readOdfStory } from './odf-story.ts';
import { readOdfStyles } from './odf-styles.ts';
import { readOds } from './ods.ts';
import { realTitle } from './office-parts.ts';
import { readXml } from './xml.ts';
import type { Zip } from './zip.ts';

/** OpenDocument files (ISO/IEC 26300): texts with their headers, slides as pages, sheets. */

export type OdfType = 'odt' | 'ods' | 'odp';

/** Null for a package that is none of the three. */
export function odfType(zip: Zip): OdfType | null {
  const kind = /opendocument\.(text|spreadsheet|presentation)/.exec(zip.readText('mimetype') ?? '')?.[1];
  return kind === undefined
    ? null
    : ({ text: 'odt', spreadsheet: 'ods', presentation: 'odp' } as const)[kind as 'text'];
}

export function parseOdf(
  type: OdfType,
  zip: Zip,
  leftOut: LeftOutCount,
): { title: string | null; pageCount?: number; blocks: DocumentBlock[] } {
  if (/<manifest:encryption-data\b/.test(zip.readText('META-INF/manifest.xml') ?? ''))
    return fail('encrypted', 'the file is protected by a password');
  const content = zip.read('content.xml');
  if (content === null) return fail('broken', 'the file has no content');
  const common = zip.read('styles.xml');
  const context: OdfContext = {
    styles: readOdfStyles([common, content]),
    leftOut,
    object: (href) => readObject(zip, href, leftOut),
  };
  const title = metaTitle(zip);
  if (type === 'ods') return { title, blocks: readOds(content, context) };
  const { blocks, pages } = readOdfStory(content, context);
  if (type === 'odp') return { title, pageCount: pages, blocks };
  return { title, blocks: [...blocks, ...edges(common, context)] };
}

/** Objects hold their own content; formulas also as they were typed. */
function readObject(zip: Zip, href: string, leftOut: LeftOutCount): OdfObject {
  const xml = zip.read(`${href.replace(/^\.\//, '')}/content.xml`);
  if (xml === null) return { formula: null, blocks: [] };
  const formula = readFormula(xml);
  if (formula !== null) return { formula, blocks: [] };
  const none = () => ({ formula: null, blocks: [] });
  const { blocks } = readOdfStory(xml, { styles: readOdfStyles([xml]), leftOut, object: none });
  return { formula: null, blocks };
}

/** What was typed for a formula, else its signs in their order; null for an object that is none. */
function readFormula(xml: Uint8Array): string | null {
  let typed = '';
  let signs = '';
  let isFormula = false;
  readXml(xml, {
    open(name) {
      isFormula ||= /^(math:)?math$/.test(name);
    },
    text(text, path) {
      if (!isFormula) return;
      if (/(^|:)annotation$/.test(path.at(-1) ?? '')) typed += text;
      else signs += text.trim() === '' ? '' : `${text.trim()} `;
    },
  });
  return isFormula ? (typed.trim() || signs.trim()).replace(/\s+/g, ' ') : null;
}

function metaTitle(zip: Zip): string | null {
  let title = '';
  readXml(zip.readText('meta.xml') ?? '', {
    open() {},
    text(text, path) {
      if (path.at(-1) === 'dc:title') title += text;
    },
  });
  return realTitle(title);
}

const EDGE = /^style:(header|footer)(-left|-first)?$/;

/** Headers and footers stand among the styles, each in a part of its own. */
function edges(styles: Uint8Array | null, context: OdfContext): DocumentBlock[] {
  const found: { kind: 'header' | 'footer'; text: string }[] = [];
  let depth = 0;
  let lines: string[] = [];
  readXml(styles ?? '', {
    open(name) {
      if (EDGE.test(name) && depth === 0) lines = [];
      if (EDGE.test(name) || depth > 0) depth++;
      if (depth > 0 && /^text:[ph]$/.test(name)) lines.push('');
      if (depth > 0 && /^text:(tab|s|line-break)$/.test(name)) lines.push(`${lines.pop() ?? ''} `);
      if (depth > 0 && name === 'draw:image') context.leftOut.add('pictures');
    },
    text(text) {
      if (depth > 0 && lines.length > 0) lines.push(`${lines.pop() ?? ''}${text.replace(/\s+/g, ' ')}`);
    },
    close(name) {
      if (depth > 0) depth--;
      if (depth > 0 || !EDGE.test(name)) return;
      const text = lines
        .map((line) => line.replace(/\s+/g, ' ').trim())
        .filter((line) => line !== '')
        .join('\n');
      found.push({ kind: name.startsWith('style:header') ? 'header' : 'footer', text });
    },
  });
  return edgeBlocks(found);
}
