import type { DocumentBlock } from '../../kernel/parser.ts';
import { parseHtml } from './html.ts';
import type { LeftOutCount } from './left-out.ts';

/** A document as Apache Tika Server hands it out: XHTML, in which each page is a division of its own. */

const PAGE = '<div class="page">';

export function readTika(
  html: string,
  leftOut: LeftOutCount,
): { title: string | null; pageCount: number | null; blocks: DocumentBlock[] } {
  const [head = '', ...pages] = html.split(PAGE);
  const title = parseHtml(`${head}</body></html>`, leftOut).title;
  if (pages.length === 0) return { title, pageCount: null, blocks: parseHtml(html, leftOut).blocks };
  const blocks = pages.flatMap((page, i) =>
    parseHtml(`<html><body><div>${page}</body></html>`, leftOut).blocks.map((b) => ({ ...b, page: i + 1 })),
  );
  return { title, pageCount: pages.length, blocks };
}
