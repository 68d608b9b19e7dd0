import type { DocumentBlock } from '../../kernel/parser.ts';
import { parseHtml } from './html.ts';
import type { LeftOutCount } from './left-out.ts';

/**
 * A document as Apache Tika Server hands it out: XHTML, in which each page or slide is a division of its own. What it writes of a
 * picture that only shows the first page is left.
 */

const PAGE = /<div class="(?:page|slide-content)">/;
const THUMBNAIL = /<div class="embedded" id="[^"<>]*thumbnail[^"<>]*"\/>\s*<div class="ocr">[^<]*<\/div>/gi;
/** Closed in XHTML; in HTML all that follows would stand in it. */
const EMPTY = /<([a-z][a-z0-9]*)(\s[^<>]*)?\/>/gi;
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

export function readTika(
  xhtml: string,
  leftOut: LeftOutCount,
): { title: string | null; pageCount: number | null; blocks: DocumentBlock[] } {
  const html = xhtml
    .replace(THUMBNAIL, '')
    .replace(EMPTY, (whole, name: string, attributes: string | undefined) =>
      VOID.has(name.toLowerCase()) ? whole : `<${name}${attributes ?? ''}></${name}>`,
    );
  const [head = '', ...pages] = html.split(PAGE);
  const title = writtenTitle(parseHtml(`${head}</body></html>`, leftOut).title);
  if (pages.length === 0) return { title, pageCount: null, blocks: parseHtml(html, leftOut).blocks };
  const blocks = pages.flatMap((page, i) =>
    parseHtml(`<html><body><div>${page}</body></html>`, leftOut).blocks.map((b) => ({ ...b, page: i + 1 })),
  );
  return { title, pageCount: pages.length, blocks };
}

/** Where there is none, it writes a character that is none. */
const writtenTitle = (title: string | null): string | null =>
  title !== null && /[\p{L}\p{N}]/u.test(title) ? title : null;
