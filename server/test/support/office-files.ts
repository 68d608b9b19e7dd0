import { burn, type Entry } from '@kenjiuno/msgreader/lib/Burner.js';
import { TypeEnum } from '@kenjiuno/msgreader/lib/Reader.js';
import { makeZip } from './documents.ts';

/** Writers of small OpenDocument, Outlook and other compound files. */

type OdfKind = 'text' | 'spreadsheet' | 'presentation';

const NAMESPACES = ['office', 'text', 'table', 'draw', 'style', 'presentation', 'meta']
  .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
  .concat([
    'xmlns:xlink="http://www.w3.org/1999/xlink"',
    'xmlns:dc="http://purl.org/dc/elements/1.1/"',
    'xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"',
  ])
  .join(' ');

/** `styles` stand in the content itself, as those do that a person sets by hand. */
export const makeOdf = (
  kind: OdfKind,
  body: string,
  more: { styles?: string; parts?: Record<string, string> } = {},
): Uint8Array =>
  makeZip({
    mimetype: `application/vnd.oasis.opendocument.${kind}`,
    'content.xml': `<office:document-content ${NAMESPACES}><office:automatic-styles>${more.styles ?? ''}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`,
    ...more.parts,
  });

/** Another part of the package, with the same names. */
export const odfPart = (content: string): string =>
  `<office:document ${NAMESPACES}>${content}</office:document>`;

/** Streams of a compound file, in folders by `/`. */
export function makeCompound(streams: Record<string, Uint8Array>): Uint8Array {
  const entries: Entry[] = [{ name: 'Root Entry', type: TypeEnum.ROOT, length: 0, children: [] }];
  const folders = new Map<string, number>([['', 0]]);
  const place = (path: string): number => {
    const known = folders.get(path);
    if (known !== undefined) return known;
    const at = path.lastIndexOf('/');
    const parent = place(path.slice(0, Math.max(0, at)));
    entries.push({ name: path.slice(at + 1), type: TypeEnum.DIRECTORY, length: 0, children: [] });
    entries[parent]?.children?.push(entries.length - 1);
    folders.set(path, entries.length - 1);
    return entries.length - 1;
  };
  for (const [path, data] of Object.entries(streams)) {
    const at = path.lastIndexOf('/');
    const parent = place(path.slice(0, Math.max(0, at)));
    entries.push({
      name: path.slice(at + 1),
      type: TypeEnum.DOCUMENT,
      length: data.length,
      binaryProvider: () => new Uint8Array(data),
    });
    entries[parent]?.children?.push(entries.length - 1);
  }
  return burn(entries);
}

const utf16 = (text: string): Uint8Array => Buffer.from(text, 'utf16le');

/** A message of Outlook with one receiver and, where given, one attached file. */
export const makeMsg = (
  fields: { subject: string; body?: string; html?: string; from: string; to: string; kind?: string },
  attached?: { name: string; bytes: Uint8Array },
): Uint8Array =>
  makeCompound({
    '__properties_version1.0': new Uint8Array(32),
    '__substg1.0_001A001F': utf16(fields.kind ?? 'IPM.Note'),
    '__substg1.0_0037001F': utf16(fields.subject),
    ...(fields.body ? { '__substg1.0_1000001F': utf16(fields.body) } : {}),
    ...(fields.html ? { '__substg1.0_10130102': Buffer.from(fields.html) } : {}),
    '__substg1.0_0C1A001F': utf16('Ada Keeper'),
    '__substg1.0_5D01001F': utf16(fields.from),
    '__recip_version1.0_#00000000/__properties_version1.0': recipient(),
    '__recip_version1.0_#00000000/__substg1.0_3001001F': utf16('Ben Pilot'),
    '__recip_version1.0_#00000000/__substg1.0_39FE001F': utf16(fields.to),
    ...(attached
      ? {
          '__attach_version1.0_#00000000/__properties_version1.0': new Uint8Array(8),
          '__attach_version1.0_#00000000/__substg1.0_3707001F': utf16(attached.name),
          '__attach_version1.0_#00000000/__substg1.0_37010102': attached.bytes,
        }
      : {}),
  });

/** PidTagRecipientType: to. */
function recipient(): Uint8Array {
  const data = Buffer.alloc(8 + 16);
  data.writeUInt32LE(0x0c15_0003, 8);
  data.writeUInt32LE(6, 12);
  data.writeUInt32LE(1, 16);
  return data;
}

/** The outside of an old office file: enough to be told by. */
export const oldOffice = (stream: 'WordDocument' | 'Workbook' | 'PowerPoint Document'): Uint8Array =>
  makeCompound({ [stream]: Buffer.alloc(5_000, 1) });
