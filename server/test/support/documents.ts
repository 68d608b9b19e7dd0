import { crc32, deflateRawSync } from 'node:zlib';

/** Writers of small real files, so that tests need no binaries in the repository. */

/** A PDF with one text line per string and one page per list; an empty list is a page without text. */
export function makePdf(pages: readonly (readonly string[])[], fontSize = 12): Uint8Array {
  const escaped = (text: string) => text.replace(/[\\()]/g, '\\$&');
  const objects = ['<</Type/Catalog/Pages 2 0 R>>'];
  const kids = pages.map((_, i) => `${4 + i * 2} 0 R`).join(' ');
  objects.push(`<</Type/Pages/Kids[${kids}]/Count ${pages.length}>>`);
  objects.push('<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>');
  pages.forEach((lines, i) => {
    const text = lines
      .map((line, n) => `BT /F1 ${fontSize} Tf 72 ${740 - n * fontSize * 1.3} Td (${escaped(line)}) Tj ET`)
      .join('\n');
    const stream = lines.length > 0 ? text : '100 100 200 200 re f';
    objects.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 3 0 R>>>>/Contents ${5 + i * 2} 0 R>>`,
      `<</Length ${Buffer.byteLength(stream, 'latin1')}>>stream\n${stream}\nendstream`,
    );
  });
  let body = '%PDF-1.7\n';
  const offsets = objects.map((object, i) => {
    const at = Buffer.byteLength(body, 'latin1');
    body += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const start = Buffer.byteLength(body, 'latin1');
  body += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}`;
  body += `trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(body, 'latin1');
}

/** A zip archive with deflated parts, as office programs write it. */
export function makeZip(parts: Record<string, string>): Uint8Array {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(parts)) {
    const data = Buffer.from(text);
    const packed = deflateRawSync(data);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(data), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(data.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    files.push(Buffer.from('PK\u0003\u0004'), fields, Buffer.from(name), packed);
    directory.push(Buffer.from('PK\u0001\u0002'), fields.subarray(0, 2), fields, tail, Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + packed.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Object.keys(parts).length, 4);
  end.writeUInt16LE(Object.keys(parts).length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, list, Buffer.from('PK\u0005\u0006'), end]);
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const relations = (list: [id: string, type: string, target: string][]) =>
  `${XML}<Relationships xmlns="${PACKAGE}/relationships">${list
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;
const contentTypes = (main: string, type: string) =>
  `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}" ContentType="application/vnd.openxmlformats-officedocument.${type}.main+xml"/></Types>`;

const WORD_NAMES = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:r="${OFFICE}"`;

/** A part beside the text of a Word file: its relationship's id and type, its path below `word/`, its whole content. */
export interface DocxPart {
  id: string;
  type: string;
  path: string;
  content: string;
}

/** A Word file with the given WordprocessingML within `<w:body>`; `parts` replace the plain styles where they name them. */
export const makeDocx = (body: string, parts: readonly DocxPart[] = []): Uint8Array =>
  makeZip({
    '[Content_Types].xml': contentTypes('word/document.xml', 'wordprocessingml.document'),
    '_rels/.rels': relations([['rId1', 'officeDocument', 'word/document.xml']]),
    'word/_rels/document.xml.rels': relations(parts.map(({ id, type, path }) => [id, type, path])),
    'word/document.xml': `${XML}<w:document ${WORD_NAMES}><w:body>${body}</w:body></w:document>`,
    'word/styles.xml': `${XML}<w:styles ${WORD_NAMES}><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    ...Object.fromEntries(parts.map(({ path, content }) => [`word/${path}`, content])),
  });

/** The content of a part of a Word file within its root element. */
export const wordPart = (root: string, content: string): string =>
  `${XML}<w:${root} ${WORD_NAMES}>${content}</w:${root}>`;

/** A workbook: sheet name → SpreadsheetML rows; styles 0 general, 1 date, 2 percent, 3 own date and time. */
export const makeXlsx = (
  sheets: {
    name: string;
    rows: string;
    state?: string;
    /** Elements before and after the rows. */
    before?: string;
    after?: string;
    relations?: [id: string, type: string, target: string][];
  }[],
  strings: string[] = [],
  parts: Record<string, string> = {},
): Uint8Array => {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
  const entries = sheets.map(
    (s, i) =>
      `<sheet name="${s.name}" sheetId="${i + 1}"${s.state ? ` state="${s.state}"` : ''} r:id="rId${i + 1}"/>`,
  );
  return makeZip({
    '[Content_Types].xml': contentTypes('xl/workbook.xml', 'spreadsheetml.sheet'),
    '_rels/.rels': relations([['rId1', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `${XML}<workbook xmlns="${main}" xmlns:r="${OFFICE}"><sheets>${entries.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...sheets.map((_, i): [string, string, string] => [
        `rId${i + 1}`,
        'worksheet',
        `worksheets/sheet${i + 1}.xml`,
      ]),
      ['rIdStrings', 'sharedStrings', 'sharedStrings.xml'],
      ['rIdStyles', 'styles', 'styles.xml'],
    ]),
    'xl/sharedStrings.xml': `${XML}<sst xmlns="${main}">${strings.map((s) => `<si><t>${s}</t></si>`).join('')}</sst>`,
    'xl/styles.xml': `${XML}<styleSheet xmlns="${main}"><numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy hh:mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="10"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
    ...Object.fromEntries(
      sheets.map((s, i) => [
        `xl/worksheets/sheet${i + 1}.xml`,
        `${XML}<worksheet xmlns="${main}">${s.before ?? ''}<sheetData>${s.rows}</sheetData>${s.after ?? ''}</worksheet>`,
      ]),
    ),
    ...Object.fromEntries(
      sheets.map((s, i) => [`xl/worksheets/_rels/sheet${i + 1}.xml.rels`, relations(s.relations ?? [])]),
    ),
    ...parts,
  });
};

/** A presentation: one list of shapes (placeholder type, paragraphs) per slide. */
export const makePptx = (
  slides: {
    shapes: [placeholder: string, text: string][];
    notes?: string;
    hidden?: boolean;
    /** Further elements of the slide, and what they point to. */
    more?: string;
    relations?: [id: string, type: string, target: string][];
  }[],
  more: Record<string, string> = {},
): Uint8Array => {
  const names =
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"';
  const shape = ([type, text]: [string, string]) =>
    `<p:sp><p:nvSpPr><p:cNvPr id="1" name="s"/><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${text
      .split('\n')
      .map((t) => `<a:p><a:r><a:t>${t}</a:t></a:r></a:p>`)
      .join('')}</p:txBody></p:sp>`;
  const parts: Record<string, string> = {
    '[Content_Types].xml': contentTypes('ppt/presentation.xml', 'presentationml.presentation'),
    '_rels/.rels': relations([['rId1', 'officeDocument', 'ppt/presentation.xml']]),
    'ppt/presentation.xml': `${XML}<p:presentation ${names} xmlns:r="${OFFICE}"><p:sldIdLst>${slides.map((_, i) => `<p:sldId id="${256 + i}" r:id="rId${i + 1}"/>`).join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': relations(
      slides.map((_, i) => [`rId${i + 1}`, 'slide', `slides/slide${i + 1}.xml`]),
    ),
  };
  slides.forEach(({ shapes, notes, hidden, more: elements = '', relations: own = [] }, i) => {
    const slide = `slides/slide${i + 1}.xml`;
    parts[`ppt/${slide}`] =
      `${XML}<p:sld ${names}${hidden ? ' show="0"' : ''}><p:cSld><p:spTree>${shapes.map(shape).join('')}${elements}</p:spTree></p:cSld></p:sld>`;
    parts[`ppt/slides/_rels/slide${i + 1}.xml.rels`] = relations([
      ...(notes === undefined
        ? []
        : [['rId1', 'notesSlide', `../notesSlides/n${i + 1}.xml`] as [string, string, string]]),
      ...own,
    ]);
    if (notes === undefined) return;
    parts[`ppt/notesSlides/n${i + 1}.xml`] =
      `${XML}<p:notes ${names}><p:cSld><p:spTree>${shape(['body', notes])}</p:spTree></p:cSld></p:notes>`;
  });
  return makeZip({ ...parts, ...more });
};
