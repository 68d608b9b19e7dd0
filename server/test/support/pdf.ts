/** Writers of PDFs with fonts, fields and pages of the test's own. */

export interface DrawnPage {
  /** Operators of the page's content. */
  content: string;
  width?: number;
  height?: number;
  /** Widgets and notes, each a dictionary; `@` stands for the page's own reference. */
  annotations?: string[];
}

export interface DrawnPdf {
  pages: (string | DrawnPage)[];
  /** Name in the content (F1 is Helvetica) → dictionary; further objects of it in `objects`, referred to as `#0 0 R`. */
  fonts?: Record<string, string>;
  objects?: string[];
  /** Each widget of the pages becomes a field of the form. */
  form?: boolean;
  info?: string;
}

const stream = (text: string, dictionary = ''): string =>
  `<<${dictionary}/Length ${Buffer.byteLength(text, 'latin1')}>>stream\n${text}\nendstream`;

export function drawPdf({ pages, fonts = {}, objects = [], form = false, info }: DrawnPdf): Uint8Array {
  const out: string[] = ['', '', '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>'];
  const own = (text: string) =>
    text.replace(/#(\d+) 0 R/g, (_, n: string) => `${out.length + 1 + Number(n)} 0 R`);
  const extra = objects.map(own);
  const named = Object.entries(fonts).map(([name, font]) => `/${name} ${own(font)}`);
  out.push(...extra);
  const kids: string[] = [];
  const fields: string[] = [];
  for (const page of pages) {
    const {
      content,
      width = 595,
      height = 842,
      annotations = [],
    } = typeof page === 'string' ? { content: page } : page;
    const at = out.length + 1;
    const refs = annotations.map((_, i) => `${at + 2 + i} 0 R`);
    kids.push(`${at} 0 R`);
    fields.push(...refs);
    out.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${width} ${height}]/Resources<</Font<</F1 3 0 R${named.join('')}>>>>/Contents ${at + 1} 0 R/Annots[${refs.join(' ')}]>>`,
      stream(content),
      ...annotations.map((one) => one.replaceAll('@', `${at} 0 R`)),
    );
  }
  const acroForm = form
    ? `/AcroForm<</Fields[${fields.join(' ')}]/DR<</Font<</F1 3 0 R>>>>/DA(/F1 10 Tf 0 g)/NeedAppearances true>>`
    : '';
  out[0] = `<</Type/Catalog/Pages 2 0 R${acroForm}>>`;
  out[1] = `<</Type/Pages/Kids[${kids.join(' ')}]/Count ${kids.length}>>`;
  return writePdf(out, info);
}

/** Objects from 1 on → a file with its table. */
export function writePdf(objects: readonly string[], info?: string): Uint8Array {
  const all = info === undefined ? objects : [...objects, info];
  let body = '%PDF-1.7\n';
  const offsets = all.map((object, i) => {
    const at = Buffer.byteLength(body, 'latin1');
    body += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const start = Buffer.byteLength(body, 'latin1');
  body += `xref\n0 ${all.length + 1}\n0000000000 65535 f \n${table}`;
  const meta = info === undefined ? '' : `/Info ${all.length} 0 R`;
  body += `trailer<</Size ${all.length + 1}/Root 1 0 R${meta}>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(body, 'latin1');
}

/** One line of text at a place, in the font F1. */
export const at = (x: number, y: number, text: string, size = 10, font = 'F1'): string =>
  `BT /${font} ${size} Tf ${x} ${y} Td (${text.replace(/[\\()]/g, '\\$&')}) Tj ET\n`;

/** A font that is not in the file, of a character collection and by one of the predefined tables. */
export const asianFont = (table: string, ordering: string): string =>
  `<</Type/Font/Subtype/Type0/BaseFont/Gothic/Encoding/${table}/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/Gothic/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>/FontDescriptor<</Type/FontDescriptor/FontName/Gothic/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80>>/DW 1000>>]>>`;

/**
 * A font whose code n (from 33) shows `letters[n - 33]`, each 600 wide; marks of no width. The objects that it needs come
 * as the second part.
 */
export function letterFont(letters: readonly string[]): {
  font: string;
  objects: string[];
  code(letter: string): string;
} {
  const hex = (n: number) => n.toString(16).padStart(2, '0');
  const utf16 = (text: string) =>
    Array.from({ length: text.length }, (_, i) => text.charCodeAt(i).toString(16).padStart(4, '0')).join('');
  const lines = letters.map((letter, i) => `<${hex(33 + i)}> <${utf16(letter)}>`);
  const map = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange <00> <FF> endcodespacerange ${lines.length} beginbfchar\n${lines.join('\n')}\nendbfchar endcmap end end`;
  const widths = letters.map((letter) => (/^\p{M}+$/u.test(letter) ? 0 : 600)).join(' ');
  return {
    font: `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 33/LastChar ${32 + letters.length}/Widths[${widths}]/ToUnicode #0 0 R>>`,
    objects: [stream(map)],
    code: (letter) => hex(33 + letters.indexOf(letter)),
  };
}

/** Letters from left to right as they stand on the paper, in a font of just these. */
export function visualPdf(lines: readonly (readonly string[])[]): Uint8Array {
  const { font, objects, code } = letterFont([...new Set(lines.flat())]);
  const content = lines
    .map((line, i) => `BT /R 12 Tf 100 ${700 - i * 40} Td <${line.map(code).join('')}> Tj ET`)
    .join('\n');
  return drawPdf({ pages: [content], fonts: { R: font }, objects });
}
