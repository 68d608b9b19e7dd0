import type { DocumentBlock } from '../../kernel/parser.ts';
import { block, tidy } from './blocks.ts';
import { fail } from './fault.ts';
import { parseHtml } from './html.ts';
import { countLeftOut, type LeftOutCount } from './left-out.ts';
import { folderOf, realTitle } from './office-parts.ts';
import { readXml } from './xml.ts';
import type { Zip } from './zip.ts';

/** Who wrote it and what it is about, which often stands nowhere else; the description is a piece of HTML. */
function aboutBook(said: Record<'dc:creator' | 'dc:description', string>): DocumentBlock[] {
  const authors = tidy(said['dc:creator']).replace(/,$/, '');
  const description = said['dc:description'].trim();
  const about = description === '' ? [] : parseHtml(`<body>${description}</body>`, countLeftOut()).blocks;
  return [...(authors === '' ? [] : [block('text', authors)]), ...about];
}

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
  const said = { 'dc:title': '', 'dc:creator': '', 'dc:description': '' };
  const isSaid = (name: string | undefined): name is keyof typeof said => Object.hasOwn(said, name ?? '');
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
      const name = path.at(-1);
      if (isSaid(name)) said[name] += text;
    },
    close(name) {
      if (name === 'dc:creator' && said[name] !== '') said[name] += ', ';
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
  return {
    title: realTitle(said['dc:title']),
    blocks: blocks.length === 0 ? [] : [...aboutBook(said), ...blocks],
  };
}
