import type { DocumentBlock, ParsedDocument } from '../../kernel/parser.ts';
import { block } from './blocks.ts';
import { createNumbering } from './docx-numbering.ts';
import { readStory, type StoryContext } from './docx-story.ts';
import { readStyles } from './docx-styles.ts';
import { edgeBlocks } from './edge-texts.ts';
import type { LeftOutCount } from './left-out.ts';
import {
  chartBlocks,
  coreTitle,
  diagramBlocks,
  mainPart,
  type Relation,
  relationsOf,
} from './office-parts.ts';
import type { ParseHints } from './types.ts';
import { readXml } from './xml.ts';
import type { Zip } from './zip.ts';

export type ParsePart = (bytes: Uint8Array, hints: ParseHints) => Promise<ParsedDocument>;

const MAIN = 'word/document.xml';

/**
 * Word files (ECMA-376 part 1, 17), read in one pass without a tree: numbers of lists and headings are counted as Word
 * counts them, hidden runs are left out, and what hangs on a paragraph (boxes, notes, comments, charts) follows it.
 */
export async function parseDocx(
  zip: Zip,
  leftOut: LeftOutCount,
  parsePart: ParsePart,
): Promise<{ title: string | null; blocks: DocumentBlock[] }> {
  const main = mainPart(zip, MAIN);
  const relations = relationsOf(zip, main);
  const pathOf = (type: string): string =>
    [...relations.values()].find((relation) => relation.type === type)?.target ?? `word/${type}.xml`;
  const styleOf = readStyles(zip.read(pathOf('styles')));
  const numbering = createNumbering(zip.read(pathOf('numbering')));
  const chunks = await readChunks(zip, relations, parsePart);
  const context = (own: ReadonlyMap<string, Relation>, notes: StoryContext['note']): StoryContext => ({
    styleOf,
    numbering,
    leftOut,
    note: notes,
    embedded: (id) => chunks.get(id) ?? embeddedBlocks(zip, own.get(id)),
  });
  const plain = (own: ReadonlyMap<string, Relation>) => context(own, () => null);
  const notes = {
    footnote: readNotes(zip, pathOf('footnotes'), 'w:footnote'),
    endnote: readNotes(zip, pathOf('endnotes'), 'w:endnote'),
    comment: readNotes(zip, pathOf('comments'), 'w:comment'),
  };
  const blocks = readStory(
    zip.read(main),
    context(relations, (kind, id) => notes[kind].get(id) ?? null),
  );
  const frames = edgeTexts(zip, relations, (path) =>
    readStory(zip.read(path), plain(relationsOf(zip, path))),
  );
  const title = coreTitle(zip) ?? blocks.find((b) => b.kind === 'heading')?.text ?? null;
  return { title, blocks: [...blocks, ...frames] };
}

function embeddedBlocks(zip: Zip, relation: Relation | undefined): DocumentBlock[] {
  if (relation?.type === 'chart') return chartBlocks(zip.read(relation.target));
  return relation?.type === 'diagramData' ? diagramBlocks(zip.read(relation.target)) : [];
}

/** Documents within the document (`w:altChunk`), which Word shows in its place. */
async function readChunks(
  zip: Zip,
  relations: ReadonlyMap<string, Relation>,
  parsePart: ParsePart,
): Promise<Map<string, DocumentBlock[]>> {
  const chunks = new Map<string, DocumentBlock[]>();
  for (const [id, { type, target }] of relations) {
    const bytes = type === 'aFChunk' ? zip.read(target) : null;
    if (!bytes) continue;
    try {
      const name = target.split('/').at(-1) ?? null;
      const { blocks } = await parsePart(bytes, { filename: name, declaredType: null });
      chunks.set(
        id,
        blocks.map((b) => ({ ...b, page: null })),
      );
    } catch (error) {
      if (error instanceof RangeError) throw error;
      chunks.set(id, [block('text', '(a part of this document has no text that can be read)')]);
    }
  }
  return chunks;
}

/** Footnotes, endnotes and comments by their id, each as one line. */
function readNotes(zip: Zip, path: string, element: string): Map<string, string> {
  const notes = new Map<string, string>();
  let id = '';
  let text = '';
  readXml(zip.read(path) ?? '', {
    open(name, a) {
      if (name === element) {
        // Lines that part notes from the text are notes of their own type.
        id = a['w:type'] ? '' : (a['w:id'] ?? '');
        text = a['w:author'] ? `${a['w:author']}: ` : '';
      }
      if (name === 'w:p' || name === 'w:br' || name === 'w:tab') text += ' ';
    },
    text(part, path_) {
      if (path_.at(-1) === 'w:t') text += part;
    },
    close(name) {
      const clean = text.replace(/\s+/g, ' ').trim();
      if (name === element && id !== '' && clean !== '') notes.set(id, clean);
    },
  });
  return notes;
}

/** Text of headers and footers. */
function edgeTexts(
  zip: Zip,
  relations: ReadonlyMap<string, Relation>,
  read: (path: string) => DocumentBlock[],
): DocumentBlock[] {
  return edgeBlocks(
    [...relations.values()].flatMap(({ type, target }) => {
      if ((type !== 'header' && type !== 'footer') || !zip.has(target)) return [];
      const text = read(target)
        .map((b) => b.text)
        .join('\n');
      return [{ kind: type, text }];
    }),
  );
}
