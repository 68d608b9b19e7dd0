import { describe, expect, test } from 'vitest';
import { makePptx, makeXlsx } from '../../../test/support/documents.ts';
import { parseDocument } from './parse.ts';
import { formatCell } from './xlsx-format.ts';

const read = (bytes: Uint8Array | string, filename: string) =>
  parseDocument(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes, {
    filename,
    declaredType: null,
  });
const shown = async (bytes: Uint8Array | string, filename: string) =>
  (await read(bytes, filename)).blocks.map((b) => `${b.kind}${b.level ?? ''}: ${b.text}`);

describe('html', () => {
  const page = (content: string, filler = '') =>
    `<html><head><title>T</title></head><body>${content}${filler}</body></html>`;
  const spans = `<table><caption>Deliveries</caption>
    <thead><tr><th rowspan="2">Item</th><th colspan="2">Delivered</th></tr><tr><th>boxes</th><th>kg</th></tr></thead>
    <tbody><tr><td rowspan="2">Nuts</td><td></td><td>156</td></tr><tr><td>3</td><td>12</td></tr>
    <tr><td><p>Dried</p><p>fruit</p></td><td>4<br>open</td><td>9</td></tr><tr><td colspan="3">Without tax</td></tr></tbody></table>`;
  const rows =
    'Item | Delivered boxes | Delivered kg\nNuts |  | 156\nNuts | 3 | 12\nDried fruit | 4 open | 9\nWithout tax';

  test('cells that span rows and columns, heads of two rows, lines within cells', async () => {
    expect(await shown(page(spans), 'a.html')).toEqual(['text: Deliveries', `table: ${rows}`]);
    const large = page(spans.replace(/<caption>.*<\/caption>/, ''), `<p hidden>${'z '.repeat(600_000)}</p>`);
    expect(await shown(large, 'a.html')).toEqual([`table: ${rows}`]);
  });

  test('spans without measure cost nothing', async () => {
    const wild = `<table><tr>${'<td rowspan="65534" colspan="1000">x</td>'.repeat(50)}</tr>${'<tr><td>y</td></tr>'.repeat(500)}</table>`;
    const document = await read(page(wild), 'a.html');
    expect(document.blocks.reduce((sum, b) => sum + b.text.length, 0)).toBeLessThan(4_000_000);
  });

  test('lists that start elsewhere, count in letters, hold paragraphs', async () => {
    expect(
      await shown(
        page(
          '<ol start="4"><li>d</li><li><p>one</p><p>two</p></li><li value="9">nine</li></ol><p>x</p><ol type="a"><li>first</li><li>sec<b>ond</b></li></ol>',
        ),
        'a.html',
      ),
    ).toEqual(['list: 4. d\n5. one two\n9. nine', 'text: x', 'list: a. first\nb. second']);
  });
});

describe('xlsx', () => {
  const cell = (r: string, text: string) => `<c r="${r}" t="str"><v>${text}</v></c>`;
  const number = (r: string, value: number, style = 0) => `<c r="${r}" s="${style}"><v>${value}</v></c>`;
  const row = (r: number, cells: string, more = '') => `<row r="${r}"${more}>${cells}</row>`;

  test('titles over a table, merged cells, a second table below, hidden columns', async () => {
    const document = await read(
      makeXlsx([
        {
          name: 'Stock',
          before: '<cols><col min="3" max="3" hidden="1"/></cols>',
          rows: [
            row(1, cell('A1', 'Deliveries of May')),
            row(3, cell('A3', 'Kind') + cell('B3', 'Item') + cell('C3', 'secret') + cell('D3', 'kg')),
            row(4, cell('A4', 'Dry') + cell('B4', 'Nuts') + cell('C4', 'x') + number('D4', 156)),
            row(5, cell('B5', 'Rice') + number('D5', 20)),
            row(7, cell('A7', 'Staff')),
            row(8, cell('A8', 'Name') + cell('B8', 'Days')),
            row(9, cell('A9', 'Ada') + number('B9', 17)),
          ].join(''),
          after: '<mergeCells><mergeCell ref="A1:D1"/><mergeCell ref="A4:A5"/></mergeCells>',
        },
      ]),
      'stock.xlsx',
    );
    expect(document.blocks.map((b) => `${b.kind}: ${b.text}`)).toEqual([
      'heading: Stock',
      'text: Deliveries of May',
      'table: Kind | Item | kg\nDry | Nuts | 156\nDry | Rice | 20',
      'text: Staff',
      'table: Name | Days\nAda | 17',
    ]);
    expect(document.leftOut).toEqual([{ what: 'hidden_columns', count: 1 }]);
    expect(document.title).toBeNull();
  });

  test('named tables, text boxes, charts, comments', async () => {
    const rels: [string, string, string][] = [
      ['rId1', 'table', '../tables/table1.xml'],
      ['rId2', 'drawing', '../drawings/drawing1.xml'],
      ['rId3', 'comments', '../comments1.xml'],
    ];
    const box = '<xdr:sp><xdr:txBody><a:p><a:r><a:t>Note of the box</a:t></a:r></a:p></xdr:txBody></xdr:sp>';
    const file = makeXlsx(
      [
        {
          name: 'Data',
          rows:
            row(1, cell('A1', 'k') + cell('B1', 'v') + cell('D1', 'x') + cell('E1', 'y')) +
            row(2, cell('A2', 'a') + number('B2', 1) + cell('D2', 'c') + number('E2', 3)),
          relations: rels,
        },
      ],
      [],
      {
        'xl/tables/table1.xml': '<table displayName="Prices" ref="D1:E2"/>',
        'xl/drawings/drawing1.xml': `<xdr:wsDr>${box}<xdr:graphicFrame><c:chart r:id="rId1"/></xdr:graphicFrame></xdr:wsDr>`,
        'xl/drawings/_rels/drawing1.xml.rels':
          '<Relationships><Relationship Id="rId1" Type="x/chart" Target="../charts/chart1.xml"/></Relationships>',
        'xl/charts/chart1.xml':
          '<c:chartSpace><c:title><a:t>Growth</a:t></c:title><c:ser><c:cat><c:pt idx="0"><c:v>May</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>7.4000000000000004</c:v></c:pt></c:val></c:ser></c:chartSpace>',
        'xl/comments1.xml':
          '<comments><commentList><comment ref="B2"><text><r><t>Check this</t></r></text></comment></commentList></comments>',
      },
    );
    expect(await shown(file, 'a.xlsx')).toEqual([
      'heading1: Data',
      'table: k | v\na | 1',
      'heading2: Prices',
      'table: x | y\nc | 3',
      'text: Note of the box',
      'text: Chart: Growth',
      'table:  | Series 1\nMay | 7.4',
      'text: Comment on B2: Check this',
    ]);
  });

  test.each([
    ['0.0" kg"', '12.5', '12.5 kg'],
    ['#,##0.00 [$€-407]', '1234.5', '1234.5 €'],
    ['"$"#,##0', '1234', '$1234'],
    ['$#,##0_);($#,##0)', '1234', '$1234'],
    ['#,##0,"k"', '12000', '12k'],
    ['0.00E+00', '1200', '1200'],
    ['#,##0_);(#,##0)', '7', '7'],
    ['General" km"', '7', '7 km'],
    ['0%', '0.2', '20%'],
  ])('%s of %s is %s', (format, raw, text) => {
    expect(formatCell(raw, format, false)).toBe(text);
  });
});

describe('pptx', () => {
  test('diagrams, charts, merged cells, comments', async () => {
    const cell = (text: string, props = '') =>
      `<a:tc${props}><a:txBody>${text ? `<a:p><a:r><a:t>${text}</a:t></a:r></a:p>` : '<a:p/>'}</a:txBody></a:tc>`;
    const table = `<p:graphicFrame><a:graphic><a:tbl>
      <a:tr>${cell('Item')}${cell('Delivered', ' gridSpan="2"')}${cell('', ' hMerge="1"')}</a:tr>
      <a:tr>${cell('Nuts', ' rowSpan="2"')}${cell('')}${cell('156')}</a:tr>
      <a:tr>${cell('', ' vMerge="1"')}${cell('3')}${cell('12')}</a:tr></a:tbl></a:graphic></p:graphicFrame>`;
    const file = makePptx(
      [
        {
          shapes: [['title', 'Plan']],
          more: `<dgm:relIds r:dm="rId5"/><c:chart r:id="rId6"/>${table}<p:pic/>`,
          relations: [
            ['rId5', 'diagramData', '../diagrams/data1.xml'],
            ['rId6', 'chart', '../charts/chart1.xml'],
            ['rId7', 'comments', '../comments/comment1.xml'],
          ],
        },
        { shapes: [['title', 'Hidden']], hidden: true },
      ],
      {
        'ppt/diagrams/data1.xml':
          '<dgm:dataModel><dgm:pt><dgm:t><a:p><a:r><a:t>President</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt type="parTrans"><dgm:t><a:p/></dgm:t></dgm:pt><dgm:pt><dgm:t><a:p><a:r><a:t>VP – HR</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:dataModel>',
        'ppt/charts/chart1.xml':
          '<c:chartSpace><c:title><a:t>Growth</a:t></c:title><c:ser><c:tx><c:v>kg</c:v></c:tx><c:cat><c:pt idx="0"><c:v>May</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>7</c:v></c:pt></c:val></c:ser></c:chartSpace>',
        'ppt/comments/comment1.xml': '<p:cmLst><p:cm authorId="0"><p:text>Too long</p:text></p:cm></p:cmLst>',
      },
    );
    const document = await read(file, 'a.pptx');
    expect(document.blocks.map((b) => `${b.kind}: ${b.text}`)).toEqual([
      'heading: Plan',
      'list: - President\n- VP – HR',
      'text: Chart: Growth',
      'table:  | kg\nMay | 7',
      'table: Item | Delivered | Delivered\nNuts |  | 156\nNuts | 3 | 12',
      'text: Comment: Too long',
    ]);
    expect(document.leftOut).toEqual([
      { what: 'pictures', count: 1 },
      { what: 'hidden_slides', count: 1 },
    ]);
  });
});
