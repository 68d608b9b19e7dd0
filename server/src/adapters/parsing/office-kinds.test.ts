import { expect, test } from 'vitest';
import { makeZip } from '../../../test/support/documents.ts';
import { makeCompound, makeMsg, makeOdf, odfPart, oldOffice } from '../../../test/support/office-files.ts';
import { parseDocument } from './parse.ts';

const read = (bytes: Uint8Array | string, filename: string | null = null) =>
  parseDocument(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes, {
    filename,
    declaredType: null,
  });
const shown = async (bytes: Uint8Array | string) =>
  (await read(bytes)).blocks.map((b) => `${b.kind}${b.level ?? ''}${b.page ? `@${b.page}` : ''}: ${b.text}`);
const fault = (name: string) => expect.objectContaining({ name: 'ParseError', fault: name });

const p = (text: string, style = '') => `<text:p text:style-name="${style}">${text}</text:p>`;
const cell = (text: string, more = '') => `<table:table-cell ${more}>${p(text)}</table:table-cell>`;
const numbers = (name: string, more = '') =>
  `<text:list-style style:name="${name}"><text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="." ${more}/><text:list-level-style-number text:level="2" style:num-format="a" style:num-prefix="(" style:num-suffix=")"/></text:list-style>`;

test('a text document: numbers of lists and headings as its program shows them', async () => {
  const item = (text: string, more = '') => `<text:list-item ${more}>${p(text)}</text:list-item>`;
  const list = (content: string, more = '') =>
    `<text:list text:style-name="L" ${more}>${content}</text:list>`;
  const inner = `<text:list-item>${p('Second')}<text:list>${item('inner')}${item('more')}</text:list>${p('goes on')}</text:list-item>`;
  const body = [
    '<text:h text:outline-level="1">Rules</text:h>',
    '<text:h text:outline-level="2">Lamps</text:h>',
    '<text:h text:outline-level="2">Nets</text:h>',
    list(`${item('First')}${inner}`, 'xml:id="a"'),
    p('A paragraph between.'),
    list(item('Third'), 'text:continue-numbering="true"'),
    list(item('Anew')),
    list(item('Fourth'), 'text:continue-list="a"'),
    list(item('Seventh', 'text:start-value="7"')),
  ].join('');
  const outline =
    '<text:outline-style><text:outline-level-style text:level="1" style:num-format="I" style:num-suffix="."/><text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>';
  const bytes = makeOdf('text', body, {
    styles: numbers('L'),
    parts: { 'styles.xml': odfPart(`<office:styles>${outline}</office:styles>`) },
  });
  expect(await shown(bytes)).toEqual([
    'heading1: I. Rules',
    'heading2: I.1 Lamps',
    'heading2: I.2 Nets',
    'list: 1. First\n2. Second\n  (a) inner\n  (b) more\n  goes on',
    'text: A paragraph between.',
    'list: 3. Third\n1. Anew\n3. Fourth\n7. Seventh',
  ]);
});

test('a text document: tables, notes, boxes, comments, headers; deleted and hidden text stays out', async () => {
  const table = [
    '<table:table><table:table-header-rows><table:table-row>',
    cell('Item'),
    cell('Ordered'),
    cell('Delivered'),
    '</table:table-row></table:table-header-rows>',
    `<table:table-row>${cell('Nuts')}<table:table-cell/>${cell('156')}</table:table-row>`,
    `<table:table-row>${cell('Both', 'table:number-columns-spanned="2"')}<table:covered-table-cell/>${cell('7')}</table:table-row></table:table>`,
  ].join('');
  const body = [
    '<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes>',
    p(
      'Light<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>At dusk.</text:p></text:note-body></text:note> the lamp.<text:s text:c="2"/><text:span text:style-name="H">secret</text:span>',
    ),
    p(
      '<text:ruby><text:ruby-base>東京</text:ruby-base><text:ruby-text>とうきょう</text:ruby-text></text:ruby><office:annotation><dc:creator>Ada</dc:creator><dc:date>2026-01-01</dc:date><text:p>Check it</text:p></office:annotation>',
    ),
    p('<draw:frame><draw:text-box><text:p>In a box</text:p></draw:text-box></draw:frame>'),
    p('<draw:frame><draw:image xlink:href="Pictures/a.png"/></draw:frame>'),
    p('Energy: <draw:frame><draw:object xlink:href="./Object 1"/><draw:image xlink:href="x"/></draw:frame>'),
    table,
    p('Hidden whole', 'HP'),
  ].join('');
  const hidden = (name: string, family: string) =>
    `<style:style style:name="${name}" style:family="${family}"><style:text-properties text:display="none"/></style:style>`;
  const document = await read(
    makeOdf('text', body, {
      styles: hidden('H', 'text') + hidden('HP', 'paragraph'),
      parts: {
        'meta.xml': odfPart('<office:meta><dc:title>Lamp rules</dc:title></office:meta>'),
        'styles.xml': odfPart(
          '<style:master-page><style:header><text:p>Harbour office</text:p></style:header><style:footer><text:p>Page <text:page-number>1</text:page-number></text:p></style:footer></style:master-page>',
        ),
        'Object 1/content.xml':
          '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mi>E</mi><annotation encoding="StarMath 5.0">E = m c^2</annotation></semantics></math>',
      },
    }),
  );
  expect(document).toMatchObject({
    contentType: 'application/vnd.oasis.opendocument.text',
    title: 'Lamp rules',
    leftOut: [
      { what: 'deleted_text', count: 1 },
      { what: 'hidden_text', count: 2 },
      { what: 'readings', count: 1 },
      { what: 'pictures', count: 1 },
    ],
  });
  expect(document.blocks.map((b) => b.text)).toEqual([
    'Light[1] the lamp.',
    '[1] At dusk.',
    '東京',
    'Comment: Ada: Check it',
    'In a box',
    'Energy: E = m c^2',
    'Item | Ordered | Delivered\nNuts |  | 156\nBoth | Both | 7',
    'Headers and footers',
    'Header: Harbour office',
  ]);
});

test('a sheet: values with units, named ranges, what is hidden, comments and charts', async () => {
  const value = (type: string, raw: string, text: string, more = '') =>
    `<table:table-cell office:value-type="${type}" office:${type === 'date' ? 'date-value' : 'value'}="${raw}" ${more}>${p(text)}</table:table-cell>`;
  const row = (content: string, more = '') => `<table:table-row ${more}>${content}</table:table-row>`;
  const sheet = [
    '<table:table table:name="Stock"><table:table-column table:number-columns-repeated="3"/><table:table-column table:visibility="collapse"/>',
    row(cell('Item') + cell('Weight') + cell('Since') + cell('inner')),
    row(
      cell('Nuts') +
        value('float', '12.4567', '12.5 kg') +
        value('date', '2026-05-04', '4 May 26') +
        cell('no'),
    ),
    row(
      cell('Bolts') +
        value('currency', '-1234.5', '-1.234,50 €', 'office:currency="EUR"') +
        value('percentage', '0.25', '25%'),
    ),
    row(cell('Hidden'), 'table:visibility="filter"'),
    row('<table:table-cell table:number-columns-repeated="1024"/>', 'table:number-rows-repeated="1000000"'),
    row(
      `<table:table-cell><office:annotation><dc:creator>Ada</dc:creator><text:p>Count again</text:p></office:annotation>${p('Total')}</table:table-cell>`,
    ),
    '<table:shapes><draw:frame><draw:object xlink:href="Object 1"/></draw:frame></table:shapes></table:table>',
    `<table:table table:name="Secret" table:style-name="ta2">${row(cell('none'))}</table:table>`,
    `<table:table table:name="Prices">${row(cell('Lamp') + cell('x'))}${row(cell('Oil') + cell('y'))}</table:table>`,
    '<table:database-ranges><table:database-range table:name="oil prices" table:target-range-address="Prices.A1:Prices.B2"/></table:database-ranges>',
  ].join('');
  const chart =
    '<office:chart><chart:chart><chart:title><text:p>Catch by month</text:p></chart:title><table:table><table:table-row><table:table-cell/><table:table-cell><text:p>Herring</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>May</text:p></table:table-cell><table:table-cell><text:p>40</text:p></table:table-cell></table:table-row></table:table></chart:chart></office:chart>';
  const document = await read(
    makeOdf('spreadsheet', sheet, {
      styles:
        '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>',
      parts: { 'Object 1/content.xml': odfPart(chart) },
    }),
    'stock.ods',
  );
  expect(document.title).toBeNull();
  expect(document.blocks.map((b) => b.text)).toEqual([
    'Stock',
    'Item | Weight | Since\nNuts | 12.4567 kg | 2026-05-04\nBolts | -1234.5 € | 25%\nTotal',
    'Comment on A1000005: Ada: Count again',
    'Catch by month',
    ' | Herring\nMay | 40',
    'Prices',
    'oil prices',
    'Lamp | x\nOil | y',
  ]);
});

test('slides: titles first, lists, notes; hidden ones and furniture stay out', async () => {
  const frame = (kind: string, content: string) =>
    `<draw:frame presentation:class="${kind}"><draw:text-box>${content}</draw:text-box></draw:frame>`;
  const bullet = (text: string) => `<text:list><text:list-item>${p(text)}</text:list-item></text:list>`;
  const slides = [
    `<draw:page>${frame('outline', bullet('Oil') + bullet('Wick'))}${frame('title', p('The lamp'))}${frame('page-number', p('1'))}<draw:custom-shape>${p('A shape')}</draw:custom-shape><presentation:notes><draw:frame presentation:class="notes"><draw:text-box>${p('Say hello')}</draw:text-box></draw:frame></presentation:notes></draw:page>`,
    `<draw:page draw:style-name="dp2">${frame('title', p('Hidden'))}</draw:page>`,
    `<draw:page>${frame('title', p('The net'))}</draw:page>`,
  ].join('');
  const bytes = makeOdf('presentation', slides, {
    styles:
      '<style:style style:name="dp2" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>',
  });
  expect(await shown(bytes)).toEqual([
    'heading1@1: The lamp',
    'list@1: - Oil\n- Wick',
    'text@1: A shape',
    'text@1: Notes: Say hello',
    'heading1@3: The net',
  ]);
  expect(await read(bytes)).toMatchObject({
    pageCount: 3,
    title: 'The lamp',
    leftOut: [
      { what: 'page_furniture', count: 1 },
      { what: 'hidden_slides', count: 1 },
    ],
  });
});

test('an encrypted package is refused', async () => {
  const bytes = makeOdf('text', '<text:p>x</text:p>', {
    parts: { 'META-INF/manifest.xml': '<manifest:manifest><manifest:encryption-data/></manifest:manifest>' },
  });
  await expect(read(bytes)).rejects.toEqual(fault('encrypted'));
  await expect(read(makeZip({ mimetype: 'application/vnd.oasis.opendocument.graphics' }))).rejects.toEqual(
    fault('unsupported_type'),
  );
});

test('rich text: code pages, Unicode, lists, headings, notes, what is hidden', async () => {
  const rtf = String.raw`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 Arial;}{\f1\fcharset128 MS Mincho;}{\f2\fcharset204 Cyr;}{\f3\fcharset2 Symbol;}}
{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s9 heading 2;}}{\info{\title Lamp rules}{\author Nobody}}
{\header Harbour office\par}
\pard\s1 Rules\par\pard\s9 More rules\par
\pard Caf\'e9 \u26481?\u20140? {\f1\'82\'a0} {\f2\'cf\'f0} a\~b {\v hidden}{\*\unknown skipped}\par
{\b {\tc {For the contents}}}\par {\v{\tc never shown}}
{\listtext\f3\'b7\tab}Dot\par{\listtext 2.\tab}Two\par{\listtext (a)\tab}\ilvl1 Inner\par
\pard Light{\footnote\pard\plain At dusk.} it.{\*\atnauthor Ada}{\*\annotation\pard Check it.}\par
{\field{\*\fldinst HYPERLINK "http://x"}{\fldrslt linked}}{\field{\*\fldinst{EQ \\* jc2 \\o\\ad(\\s\\up 10(\u12392?),\u26481?)}}{\fldrslt}}\par
{\shp{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt In a box\par}}}{\*\shppict{\pict\bin4 {}{}}}\par}`;
  expect(await shown(rtf)).toEqual([
    'heading1: Rules',
    'heading2: More rules',
    'text: Café 東京 あ Пр a b',
    'text: For the contents',
    'list: - Dot\n2. Two\n  (a) Inner',
    'text: Light[1] it.',
    'text: [1] At dusk.',
    'text: Comment: Ada: Check it.',
    'text: linked東',
    'text: In a box',
    'heading1: Headers and footers',
    'text: Header: Harbour office',
  ]);
  expect(await read(rtf)).toMatchObject({
    contentType: 'application/rtf',
    title: 'Lamp rules',
    leftOut: [
      { what: 'hidden_text', count: 2 },
      { what: 'readings', count: 1 },
      { what: 'pictures', count: 1 },
    ],
  });
});

test('rich text: tables keep their columns', async () => {
  const row = (edges: string, cells: readonly string[], more = '') =>
    `\\trowd${more}${edges}\\pard\\intbl ${cells.map((text) => `${text}\\cell`).join(' ')}\\row\n`;
  const three = '\\cellx2000\\cellx4000\\cellx6000';
  const rtf = [
    '{\\rtf1\\ansi Before\\par',
    row(three, ['Item', 'Ordered', 'Delivered'], '\\trhdr'),
    row(three, ['Nuts', '', '156']),
    row('\\cellx4000\\cellx6010', ['Both', '7']),
    row('\\clvmgf\\cellx2000\\cellx4000\\cellx6000', ['Oil', '1', '2']),
    row('\\clvmrg\\cellx2000\\cellx4000\\cellx6000', ['', '3', '4']),
    '\\pard After\\par}',
  ].join('');
  expect(await shown(rtf)).toEqual([
    'text: Before',
    'table: Item | Ordered | Delivered\nNuts |  | 156\nBoth | Both | 7\nOil | 1 | 2\nOil | 3 | 4',
    'text: After',
  ]);
});

test('a message of Outlook: header, text, attachment; sealed ones are refused', async () => {
  const fields = { subject: 'Storm at dusk', from: 'ada@example.org', to: 'ben@example.org' };
  const bytes = makeMsg(
    { ...fields, body: 'Close the nets.\r\n\r\nLight the lamp.' },
    { name: 'note.txt', bytes: Buffer.from('Oil for three nights.') },
  );
  expect((await read(bytes)).blocks.map((b) => b.text)).toEqual([
    'From: Ada Keeper <ada@example.org>\nTo: Ben Pilot <ben@example.org>\nSubject: Storm at dusk',
    'Close the nets.',
    'Light the lamp.',
    'Attachment: note.txt',
    'Oil for three nights.',
  ]);
  expect(await read(bytes)).toMatchObject({
    contentType: 'application/vnd.ms-outlook',
    title: 'Storm at dusk',
  });
  const page = makeMsg({ ...fields, html: '<html><body><p>Only as a page.</p></body></html>' });
  expect((await read(page)).blocks.map((b) => b.text)).toContain('Only as a page.');
  const sealed = makeMsg({ ...fields, body: 'x', kind: 'IPM.Note.SMIME' });
  await expect(read(sealed)).rejects.toEqual(fault('encrypted'));
});

test('old office files are refused where nothing converts them, with what helps', async () => {
  await expect(read(oldOffice('WordDocument'))).rejects.toThrow('SOFFICE_PATH');
  await expect(read(makeCompound({ Other: new Uint8Array(10) }))).rejects.toEqual(fault('unsupported_type'));
  await expect(read(makeCompound({ EncryptedPackage: new Uint8Array(10) }))).rejects.toEqual(
    fault('encrypted'),
  );
});
