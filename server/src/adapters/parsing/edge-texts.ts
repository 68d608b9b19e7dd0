import type { DocumentBlock } from '../../kernel/parser.ts';
import { block } from './blocks.ts';

const PAGE_NUMBER =
  /^\W*((page|seite|página|pagina|стр\.?|第)\s*)?\d*(\s*(of|von|de|di|из|\/)\s*\d*)?\W*页?$/i;

/** No title of any document. */
export const EDGES = 'Headers and footers';

/** Headers and footers at the end of a document, each text once: they stand on every page. */
export function edgeBlocks(edges: readonly { kind: 'header' | 'footer'; text: string }[]): DocumentBlock[] {
  const seen = new Set<string>();
  const blocks: DocumentBlock[] = [];
  for (const { kind, text } of edges) {
    if (PAGE_NUMBER.test(text) || seen.has(text)) continue;
    seen.add(text);
    blocks.push(block('text', `${kind === 'header' ? 'Header' : 'Footer'}: ${text}`));
  }
  return blocks.length > 0 ? [block('heading', EDGES, null, 1), ...blocks] : [];
}
