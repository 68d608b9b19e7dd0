import mammoth from 'mammoth';
import type { DocumentBlock } from '../../kernel/parser.ts';
import { domBlocks, parseDom } from './dom.ts';
import { fail } from './fault.ts';
import { writeZip, type Zip } from './zip.ts';

/** Parts that mammoth reads; pictures and fonts stay packed. */
const NEEDED =
  /^(\[Content_Types\]\.xml|_rels\/\.rels|word\/(_rels\/[^/]+\.rels|(document|styles|numbering|footnotes|endnotes)\.xml))$/;
const RUN = /<w:r(?: [^>]*)?>(?:(?!<\/w:r>)[\s\S])*?<\/w:r>/g;
const VANISH = /<w:(?:vanish|webHidden|specVanish)(?:\s+w:val="(?:1|true|on)")?\s*\/>/;

/**
 * Word files: mammoth knows the format; it gets a fresh archive of bounded parts, without hidden runs (it would
 * print them), external entities or pictures.
 */
export async function parseDocx(zip: Zip): Promise<{ title: string | null; blocks: DocumentBlock[] }> {
  const parts = new Map<string, Uint8Array>();
  for (const name of zip.names.filter((n) => NEEDED.test(n))) {
    const text = zip.readText(name) ?? '';
    const safe = text.replace(/<!DOCTYPE[^>[]*(\[[\s\S]*?\])?\s*>/i, '');
    parts.set(name, new TextEncoder().encode(name.startsWith('word/') ? dropHiddenRuns(safe) : safe));
  }
  const { value } = await mammoth
    .convertToHtml(
      { buffer: Buffer.from(writeZip(parts)) },
      {
        convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
        styleMap: ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"],
      },
    )
    .catch((cause: unknown) => {
      if (cause instanceof RangeError) throw cause;
      return fail('broken', 'the Word file is damaged');
    });
  const body = parseDom(value).body;
  const blocks = body ? domBlocks(body) : [];
  return { title: coreTitle(zip) ?? blocks.find((b) => b.kind === 'heading')?.text ?? null, blocks };
}

const dropHiddenRuns = (xml: string): string =>
  xml.includes('anish') || xml.includes('webHidden')
    ? xml.replace(RUN, (run) => (VANISH.test(run) ? '' : run))
    : xml;

/** `dc:title` of an office file's core properties. */
export function coreTitle(zip: Zip): string | null {
  const title = /<dc:title>([^<]*)<\/dc:title>/.exec(zip.readText('docProps/core.xml') ?? '')?.[1];
  const text = title
    ?.replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'")
    .replace(/&amp;/g, '&')
    .trim();
  return text || null;
}
