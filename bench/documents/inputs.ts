import {
  makeDocx,
  makePdf,
  makePptx,
  makeXlsx,
  makeZip,
  wordPart,
} from '../../server/test/support/documents.ts';
import { makeOdf, odfPart } from '../../server/test/support/office-files.ts';
import { at, drawPdf } from '../../server/test/support/pdf.ts';
import { linesFrom, makePicture, makeScan } from '../../server/test/support/scan.ts';

/** Files whose whole content is known, since it is written here. */

export interface Input {
  name: string;
  bytes: Uint8Array;
  /** Of each page the text in reading order; one page where the kind has none. */
  pages: string[];
  /** Rows of its tables, cell by cell. */
  rows?: string[][];
  /** Numbered items, as the program that wrote it shows them. */
  items?: [number: string, text: string][];
}

const SENTENCES = [
  'The keeper of the northern light counts the boats at dusk and writes each name into the book.',
  'When the fog comes in, he sounds the horn three times and waits for an answer from the mole.',
  'No vessel above ninety tonnes may lie at the eastern quay between October and March.',
  'The tide gauge is read at six in the morning, at noon, and again when the lamp is lit.',
  'Repairs of the lens are reported to the harbour office, which keeps the list of spare parts.',
  'A pilot boards every tanker two miles before the bar and leaves it at the inner buoy.',
];
const sentences = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${from + n}) ${SENTENCES[(from + n) % SENTENCES.length]}`);

const HEAD = ['Item', 'Ordered', 'Delivered', 'Remark'];
const TABLE = [
  HEAD,
  ['Bolts', '450', '', 'late'],
  ['Nuts', '', '156', 'urgent'],
  ['Washers', '780', '778', ''],
  ['Rivets', '', '', 'cancelled'],
  ['Hooks', '24', '24', 'fine'],
];
const flat = (rows: readonly (readonly string[])[]): string => rows.flat().filter(Boolean).join(' ');

const cell = (text: string, more = ''): string =>
  `<w:tc><w:tcPr>${more}</w:tcPr><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:tc>`;
const paragraph = (text: string, properties = ''): string =>
  `<w:p><w:pPr>${properties}</w:pPr><w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
const inList = (level: number): string => `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="1"/></w:numPr>`;
const level = (n: number, text: string): string =>
  `<w:lvl w:ilvl="${n}"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="${text}"/></w:lvl>`;

const columnsPdf = (): Uint8Array => {
  const lines = (from: number) => sentences(from, 8).flatMap((one) => one.match(/.{1,44}(\s|$)/g) ?? []);
  const column = (x: number, from: number) =>
    lines(from)
      .map((line, n) => at(x, 760 - n * 14, line.trim(), 10))
      .join('');
  return drawPdf({ pages: [column(60, 0) + column(320, 8)] });
};

const tablePdf = (): Uint8Array =>
  drawPdf({
    pages: [
      at(60, 780, 'Deliveries of the week', 16) +
        TABLE.flatMap((row, r) =>
          row.flatMap((text, c) => (text === '' ? [] : [at(60 + c * 120, 740 - r * 18, text)])),
        ).join(''),
    ],
  });

const clauses: [string, number, string][] = [
  ['1.', 0, 'Scope of the contract'],
  ['1.1', 1, 'The supplier delivers parts by rail'],
  ['1.2', 1, 'The buyer pays within thirty days'],
  ['2.', 0, 'Liability'],
  ['2.1', 1, 'Damage in transit is the supplier’s'],
  ['2.2', 1, 'Delay is paid by the day'],
  ['3.', 0, 'Final provisions'],
];

const clausesDocx = (): Uint8Array =>
  makeDocx(
    clauses
      .map(
        ([, depth, text], n) =>
          paragraph(text, inList(depth)) + (n === 2 ? paragraph('A remark between.') : ''),
      )
      .join(''),
    [
      {
        id: 'rIdN',
        type: 'numbering',
        path: 'numbering.xml',
        content: wordPart(
          'numbering',
          `<w:abstractNum w:abstractNumId="1">${level(0, '%1.')}${level(1, '%1.%2')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>`,
        ),
      },
    ],
  );

const MERGED = [
  ['Harbour', 'Boats', 'Boats'],
  ['Harbour', 'March', 'April'],
  ['North', '12', '15'],
  ['South', '7', '9'],
];

const mergedDocx = (): Uint8Array =>
  makeDocx(
    `<w:tbl><w:tr>${cell('Harbour', '<w:vMerge w:val="restart"/>')}${cell('Boats', '<w:gridSpan w:val="2"/>')}</w:tr>
     <w:tr>${cell('', '<w:vMerge/>')}${cell('March')}${cell('April')}</w:tr>
     ${MERGED.slice(2)
       .map((row) => `<w:tr>${row.map((text) => cell(text)).join('')}</w:tr>`)
       .join('')}</w:tbl>`,
  );

const mergedHtml = `<html><body><table><tr><th rowspan="2">Harbour</th><th colspan="2">Boats</th></tr><tr><th>March</th><th>April</th></tr>${MERGED.slice(
  2,
)
  .map((row) => `<tr>${row.map((text) => `<td>${text}</td>`).join('')}</tr>`)
  .join('')}</table></body></html>`;

const sheet = (): Uint8Array =>
  makeXlsx([
    {
      name: 'Deliveries',
      rows: TABLE.map(
        (row, r) =>
          `<row r="${r + 1}">${row
            .map((text, c) => {
              const place = `r="${'ABCD'[c]}${r + 1}"`;
              if (text === '') return '';
              return /^\d+$/.test(text)
                ? `<c ${place}><v>${text}</v></c>`
                : `<c ${place} t="inlineStr"><is><t>${text}</t></is></c>`;
            })
            .join('')}</row>`,
      ).join(''),
    },
  ]);

const odt = (): Uint8Array =>
  makeOdf(
    'text',
    odfPart(
      `<office:text>${sentences(0, 6)
        .map((text) => `<text:p>${text}</text:p>`)
        .join('')}<table:table>${TABLE.map(
        (row) =>
          `<table:table-row>${row.map((text) => `<table:table-cell>${text === '' ? '' : `<text:p>${text}</text:p>`}</table:table-cell>`).join('')}</table:table-row>`,
      ).join('')}</table:table></office:text>`,
    ),
  );

const epub = (): Uint8Array => {
  const chapter = (n: number) =>
    `<html><body><h1>Chapter ${n}</h1>${sentences(n * 6, 6)
      .map((text) => `<p>${text}</p>`)
      .join('')}</body></html>`;
  return makeZip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml':
      '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    'book.opf':
      '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>The Light</dc:title></metadata><manifest><item id="b" href="b.xhtml" media-type="application/xhtml+xml"/><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="a"/><itemref idref="b"/></spine></package>',
    'a.xhtml': chapter(1),
    'b.xhtml': chapter(2),
  });
};

const scanned = [
  'The keeper of the northern light counts the boats at dusk.',
  'When the fog comes in, he sounds the horn three times and',
  'waits for an answer from the mole.',
];
const lines = linesFrom(140, scanned);

const rtf = `{\\rtf1\\ansi\\ansicpg1252 ${sentences(0, 6)
  .map((text) => `${text}\\par `)
  .join('')}${TABLE.map(
  (row) =>
    `\\trowd${row.map((_, c) => `\\cellx${(c + 1) * 2000}`).join('')}\\intbl ${row.map((text) => `${text}\\cell `).join('')}\\row `,
).join('')}\\pard }`;

const bookPages = [sentences(0, 30), sentences(30, 30), sentences(60, 30)];
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

export const INPUTS: readonly Input[] = [
  { name: 'pages.pdf', bytes: makePdf(bookPages, 9), pages: bookPages.map((page) => page.join(' ')) },
  { name: 'columns.pdf', bytes: columnsPdf(), pages: [sentences(0, 16).join(' ')] },
  {
    name: 'empty-cells.pdf',
    bytes: tablePdf(),
    pages: [`Deliveries of the week ${flat(TABLE)}`],
    rows: TABLE,
  },
  {
    name: 'scan.pdf',
    bytes: makeScan([{ lines }, { lines: linesFrom(140, sentences(2, 1)) }]),
    pages: [scanned.join(' '), sentences(2, 1).join(' ')],
  },
  { name: 'photo.png', bytes: makePicture('png', { lines }), pages: [scanned.join(' ')] },
  {
    name: 'clauses.docx',
    bytes: clausesDocx(),
    pages: [
      clauses
        .map(([number, , text], n) => `${number} ${text}${n === 2 ? ' A remark between.' : ''}`)
        .join(' '),
    ],
    items: clauses.map(([number, , text]) => [number, text]),
  },
  {
    name: 'merged.docx',
    bytes: mergedDocx(),
    pages: ['Harbour Boats March April North 12 15 South 7 9'],
    rows: MERGED.slice(2),
  },
  {
    name: 'merged.html',
    bytes: bytesOf(mergedHtml),
    pages: ['Harbour Boats March April North 12 15 South 7 9'],
    rows: MERGED.slice(2),
  },
  { name: 'sheet.xlsx', bytes: sheet(), pages: [`Deliveries ${flat(TABLE)}`], rows: TABLE },
  {
    name: 'slides.pptx',
    bytes: makePptx([
      {
        shapes: [
          ['title', 'The light'],
          ['body', sentences(0, 3).join('\n')],
        ],
        notes: 'Say why the horn is loud.',
      },
      {
        shapes: [
          ['title', 'The quay'],
          ['body', sentences(3, 3).join('\n')],
        ],
      },
    ]),
    pages: [
      `The light ${sentences(0, 3).join(' ')} Say why the horn is loud.`,
      `The quay ${sentences(3, 3).join(' ')}`,
    ],
  },
  { name: 'letter.odt', bytes: odt(), pages: [`${sentences(0, 6).join(' ')} ${flat(TABLE)}`], rows: TABLE },
  {
    name: 'letter.rtf',
    bytes: bytesOf(rtf),
    pages: [`${sentences(0, 6).join(' ')} ${flat(TABLE)}`],
    rows: TABLE,
  },
  {
    name: 'book.epub',
    bytes: epub(),
    pages: [`Chapter 1 ${sentences(6, 6).join(' ')} Chapter 2 ${sentences(12, 6).join(' ')}`],
  },
];
