import type { DocumentBlock } from '../../kernel/parser.ts';
import { fail } from './fault.ts';
import { parseHtml } from './html.ts';
import type { LeftOutCount } from './left-out.ts';
import { folderOf, realTitle } from './office-parts.ts';
import { readXml } from './xml.ts';
import type { Zip } from './zip.ts';

/** Books (EPUB 3.3): the chapters in the order of the spine, each a page of its own. */
export function parseEpub(
  zip: Zip,
  leftOut: LeftOutCount,
): { title: string | null; blocks: DocumentBlock[] } {
  if (zip.has('META-INF/encryption.xml') && zip.has('META-INF/rights.xml'))
    return fail('encrypted', 'the book is protected');
  let packagePath = '';
  readXml(zip.readText('META-INF/container.xml') ?? '', {
    open(name, a) {
      if (name === 'rootfile') packagePath ||= a['full-path'] ?? '';
    },
  });
  const files = new Map<string, string>();
  const spine: string[] = [];
  let title = '';
  readXml(zip.readText(packagePath) ?? '', {
    open(name, a) {
      const local = name.split(':').at(-1);
      if (local === 'item' && /\bnav\b/.test(a.properties ?? '')) leftOut.add('navigation');
      else if (local === 'item') files.set(a.id ?? '', a.href ?? '');
      if (local === 'item' && /^image\//.test(a['media-type'] ?? '')) leftOut.add('pictures');
      if (local === 'itemref' && a.linear === 'no') leftOut.add('chapters');
      else if (local === 'itemref') spine.push(a.idref ?? '');
    },
    text(text, path) {
      if (path.at(-1) === 'dc:title') title += text;
    },
  });
  const base = `zip:///${folderOf(packagePath)}/`;
  const blocks = spine.flatMap((id) => {
    const href = files.get(id);
    if (href === undefined) return [];
    const path = decodeURIComponent(new URL(href, base).pathname).replace(/^\/+/, '');
    const page = zip.readText(path);
    return page === null ? [] : parseHtml(page, leftOut).blocks;
  });
  return { title: realTitle(title), blocks };
}
