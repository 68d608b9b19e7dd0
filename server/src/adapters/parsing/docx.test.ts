import { describe, expect, test } from 'vitest';
import { type DocxPart, makeDocx, wordPart } from '../../../test/support/documents.ts';
import { parseDocument } from './parse.ts';

const read = (body: string, parts: readonly DocxPart[] = [], filename: string | null = null) =>
  parseDocument(makeDocx(body, parts), { filename, declaredType: null });
const shown = async (body: string, parts: readonly DocxPart[] = []) =>
  (await read(body, parts)).blocks.map((b) => `${b.kind}${b.level ?? ''}: ${b.text}`);

const run = (text: string, props = '') =>
  `<w:r><w:rPr>${props}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
const p = (text: string, props = '') => `<w:p><w:pPr>${props}</w:pPr>${run(text)}</w:p>`;
const inList = (numId: number, level = 0) =>
  `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${numId}"/></w:numPr>`;
const level = (n: number, format: string, text: string, more = '') =>
  `<w:lvl w:ilvl="${n}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/>${more}</w:lvl>`;
const numberingPart = (content: string): DocxPart => ({
  id: 'rIdN',
  type: 'numbering',
  path: 'numbering.xml',
  content: wordPart('numbering', content),
});
const stylesPart = (content: string): DocxPart => ({
  id: 'rIdS',
  type: 'styles',
  path: 'styles.xml',
  content: wordPart('styles', content),
});

describe('numbers as Word shows them', () => {
  const legal = numberingPart(
    `<w:abstractNum w:abstractNumId="1">${level(0, 'decimal', '%1.')}${level(1, 'decimal', '%1.%2')}${level(2, 'lowerLetter', '(%3)')}</w:abstractNum>
     <w:abstractNum w:abstractNumId="2">${level(0, 'upperRoman', 'Part %1')}${level(1, 'decimal', '%1.%2', '<w:isLgl/>')}</w:abstractNum>
     <w:abstractNum w:abstractNumId="3">${level(0, 'bullet', '')}</w:abstractNum>
     <w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>
     <w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
     <w:num w:numId="3"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>
     <w:num w:numId="4"><w:abstractNumId w:val="2"/></w:num>
     <w:num w:numId="5"><w:abstractNumId w:val="3"/></w:num>`,
  );

  test('levels, paragraphs between, another list of the same definition, a start at a value', async () => {
    const body = [
      p('Terms', inList(1)),
      p('First', inList(1, 1)),
      p('Second', inList(1, 1)),
      p('a one', inList(1, 2)),
      p('a two', inList(1, 2)),
      p('A note between.'),
      p('Third', inList(1, 1)),
      p('a again', inList(1, 2)),
      p('Payment', inList(2)),
      p('Anew', inList(3)),
      p('And on', inList(3)),
      p('Dot', inList(5)),
    ].join('');
    expect(await shown(body, [legal])).toEqual([
      'list: 1. Terms\n  1.1 First\n  1.2 Second\n    (a) a one\n    (b) a two',
      'text: A note between.',
      'list:   1.3 Third\n    (a) a again\n2. Payment\n7. Anew\n8. And on\n- Dot',
    ]);
  });

  test('headings by their style, with its number; legal numbers; numbers that a paragraph takes away', async () => {
    const styles = stylesPart(
      `<w:style w:type="paragraph" w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="4"/></w:numPr></w:pPr></w:style>
       <w:style w:type="paragraph" w:styleId="U2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="4"/></w:numPr></w:pPr></w:style>
       <w:style w:type="paragraph" w:styleId="Own"><w:name w:val="Own"/><w:basedOn w:val="U2"/></w:style>
       <w:style w:type="paragraph" w:styleId="Out"><w:name w:val="Out"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>`,
    );
    const styled = (id: string, text: string, more = '') => p(text, `<w:pStyle w:val="${id}"/>${more}`);
    const body =
      styled('berschrift1', 'Scope') +
      styled('U2', 'Aim') +
      styled('Own', 'Reach') +
      styled('Own', 'Bare', '<w:numPr><w:numId w:val="0"/></w:numPr>') +
      styled('berschrift1', 'Law') +
      styled('U2', 'Courts') +
      styled('Out', 'Deep');
    expect(await shown(body, [legal, styles])).toEqual([
      'heading1: Part I Scope',
      'heading2: 1.1 Aim',
      'heading2: 1.2 Reach',
      'heading2: Bare',
      'heading1: Part II Law',
      'heading2: 2.1 Courts',
      'heading3: Deep',
    ]);
  });

  test.each([
    ['upperLetter', '%1)', ['A)', 'B)']],
    ['lowerRoman', '(%1)', ['(i)', '(ii)']],
    ['decimalZero', '%1', ['01', '02']],
    ['chineseCounting', '第%1条', ['第一条', '第二条']],
    ['decimalEnclosedCircle', '%1', ['①', '②']],
    ['russianLower', '%1)', ['а)', 'б)']],
  ])('%s', async (format, text, marks) => {
    const numbering = numberingPart(
      `<w:abstractNum w:abstractNumId="0">${level(0, format, text)}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`,
    );
    expect(await shown(p('x', inList(1)) + p('y', inList(1)), [numbering])).toEqual([
      `list: ${marks[0]} x\n${marks[1]} y`,
    ]);
  });
});

describe('tables', () => {
  const cell = (content: string, props = '') =>
    `<w:tc><w:tcPr>${props}</w:tcPr>${content.startsWith('<') ? content : p(content)}</w:tc>`;
  const row = (cells: string, props = '') => `<w:tr><w:trPr>${props}</w:trPr>${cells}</w:tr>`;
  const table = (...rows: string[]) => `<w:tbl>${rows.join('')}</w:tbl>`;

  test('cells merged down and across, columns before the first, empty cells', async () => {
    const across = (n: number) => `<w:gridSpan w:val="${n}"/>`;
    expect(
      await shown(
        table(
          row(cell('Item') + cell('Delivered', across(2)), '<w:tblHeader/>'),
          row(cell('') + cell('boxes') + cell('kg'), '<w:tblHeader/>'),
          row(cell('Nuts', '<w:vMerge w:val="restart"/>') + cell('') + cell('156')),
          row(cell('', '<w:vMerge/>') + cell('3') + cell('12')),
          row(cell('5'), '<w:gridBefore w:val="2"/>'),
          row(cell('All prices without tax', across(3))),
        ),
      ),
    ).toEqual([
      'table: Item | Delivered boxes | Delivered kg\nNuts |  | 156\nNuts | 3 | 12\n |  | 5\nAll prices without tax',
    ]);
  });

  test('paragraphs, lists, boxes and tables within a cell stay apart; hidden rows are left out', async () => {
    const numbering = numberingPart(
      `<w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '%1.')}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`,
    );
    const inner = table(row(cell('a') + cell('b')), row(cell('c') + cell('d')));
    const document = await read(
      table(
        row(cell('Task') + cell('Notes')),
        row(cell(p('Trim the lamp') + p('Polish brass')) + cell(p('one', inList(1)) + p('two', inList(1)))),
        row(cell('secret') + cell('secret'), '<w:hidden/>'),
        row(cell('Inner') + cell(`${inner}<w:p/>`)),
      ),
      [numbering],
    );
    expect(document.blocks.map((b) => b.text)).toEqual([
      'Task | Notes\nTrim the lamp Polish brass | 1. one 2. two\nInner | a, b c, d',
    ]);
    expect(document.leftOut).toEqual([{ what: 'hidden_rows', count: 1 }]);
  });
});

describe('what hangs on the text', () => {
  test('text boxes, once; notes and comments behind their paragraph', async () => {
    const box = `<w:txbxContent>${p('In the box')}</w:txbxContent>`;
    const parts: DocxPart[] = [
      {
        id: 'rId1',
        type: 'footnotes',
        path: 'footnotes.xml',
        content: wordPart(
          'footnotes',
          `<w:footnote w:type="separator" w:id="-1">${p('x')}</w:footnote><w:footnote w:id="1">${p('See annex B.')}</w:footnote>`,
        ),
      },
      {
        id: 'rId2',
        type: 'comments',
        path: 'comments.xml',
        content: wordPart('comments', `<w:comment w:id="0" w:author="Ada">${p('Is this so?')}</w:comment>`),
      },
    ];
    expect(
      await shown(
        `<w:p>${run('Before ')}<w:r><mc:AlternateContent><mc:Choice>${box}</mc:Choice><mc:Fallback>${box}</mc:Fallback></mc:AlternateContent></w:r>${run('after')}<w:r><w:footnoteReference w:id="1"/></w:r><w:r><w:commentReference w:id="0"/></w:r></w:p>`,
        parts,
      ),
    ).toEqual([
      'text: Before after[1]',
      'text: In the box',
      'text: [1] See annex B.',
      'text: Comment: Ada: Is this so?',
    ]);
  });

  test('headers and footers once each, without page numbers', async () => {
    const part = (id: string, type: string, text: string): DocxPart => ({
      id,
      type,
      path: `${type}${id}.xml`,
      content: wordPart(type === 'header' ? 'hdr' : 'ftr', p(text)),
    });
    expect(
      await shown(p('Body.'), [
        part('r1', 'header', 'Contract 4711'),
        part('r2', 'header', 'Contract 4711'),
        part('r3', 'footer', 'Page 3 of 12'),
        part('r4', 'footer', 'Confidential'),
      ]),
    ).toEqual([
      'text: Body.',
      'heading1: Headers and footers',
      'text: Header: Contract 4711',
      'text: Footer: Confidential',
    ]);
  });

  test('a style shows what the style hides that it is based on, and a run what both hide', async () => {
    const style = (id: string, more: string, vanish: string) =>
      `<w:style w:type="paragraph" w:styleId="${id}" ${more}<w:rPr>${vanish}</w:rPr></w:style>`;
    const styles =
      style('Base', 'w:default="1"><w:name w:val="Normal"/>', '<w:vanish/>') +
      style('Shown', '><w:basedOn w:val="Base"/>', '<w:vanish w:val="0"/>') +
      '<w:style w:type="character" w:styleId="Turned"><w:rPr><w:vanish/></w:rPr></w:style>';
    const styled = (id: string, content: string) =>
      `<w:p><w:pPr><w:pStyle w:val="${id}"/></w:pPr>${content}</w:p>`;
    const document = await read(
      `<w:p>${run('of the usual style')}</w:p>${styled('Base', run('hidden'))}${styled('Shown', run('Shown by its style.'))}
       ${styled('Base', run('Shown by its run.', '<w:vanish w:val="0"/>') + run('hidden'))}
       ${styled('Base', run('Turned over twice.', '<w:rStyle w:val="Turned"/>'))}${styled('Shown', run('once', '<w:rStyle w:val="Turned"/>'))}`,
      [stylesPart(styles)],
    );
    expect(document.blocks.map((b) => b.text)).toEqual([
      'Shown by its style.',
      'Shown by its run.',
      'Turned over twice.',
    ]);
    expect(document.leftOut).toEqual([{ what: 'hidden_text', count: 4 }]);
  });

  test('the base of ruby, equations as LaTeX, no deleted, moved or hidden text', async () => {
    const m = (name: string, content: string) => `<m:${name}>${content}</m:${name}>`;
    const t = (text: string) => m('r', m('t', text));
    const fraction = m('f', m('num', t('a+1')) + m('den', t('2')));
    const root = m('rad', m('deg', '') + m('e', m('sSup', m('e', t('x')) + m('sup', t('2')))));
    const sum = m(
      'nary',
      `<m:naryPr><m:chr m:val="∑"/></m:naryPr>${m('sub', t('i=1'))}${m('sup', t('n'))}${m('e', t('αi'))}`,
    );
    const document = await read(
      `<w:p><w:r><w:ruby><w:rt>${run('とうきょう')}</w:rt><w:rubyBase>${run('東京')}</w:rubyBase></w:ruby></w:r>${run('都')}</w:p>
       <w:p>${run('Then ')}${m('oMath', fraction + t('=') + root)}${run('.')}</w:p>
       <w:p>${m('oMathPara', m('oMath', sum))}</w:p>
       <w:p>${run('Kept ')}<w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom>${run('moved')}</w:moveFrom><w:ins>${run('new')}</w:ins>${run('no', '<w:vanish/>')}</w:p>`,
    );
    expect(document.blocks.map((b) => b.text)).toEqual([
      '東京都',
      'Then $\\frac{a+1}{2}=\\sqrt{x^{2}}$.',
      '$\\sum_{i=1}^{n} \\alpha i$',
      'Kept new',
    ]);
    expect(document.leftOut).toEqual([
      { what: 'readings', count: 1 },
      { what: 'deleted_text', count: 2 },
      { what: 'hidden_text', count: 1 },
    ]);
  });

  test('documents within the document, in their place', async () => {
    const chunk: DocxPart = {
      id: 'rId9',
      type: 'aFChunk',
      path: 'chunk.html',
      content: '<html><body><h2>Inside</h2><p>From a page.</p></body></html>',
    };
    expect(await shown(`${p('Before.')}<w:altChunk r:id="rId9"/>${p('After.')}`, [chunk])).toEqual([
      'text: Before.',
      'heading2: Inside',
      'text: From a page.',
      'text: After.',
    ]);
  });

  test('charts as their title and data', async () => {
    const points = (kind: string, values: string[]) =>
      `<c:${kind}><c:numRef>${values.map((v, i) => `<c:pt idx="${i}"><c:v>${v}</c:v></c:pt>`).join('')}</c:numRef></c:${kind}>`;
    const chart: DocxPart = {
      id: 'rId7',
      type: 'chart',
      path: 'charts/chart1.xml',
      content: `<c:chartSpace><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:ser><c:tx><c:strRef><c:pt idx="0"><c:v>2025</c:v></c:pt></c:strRef></c:tx>${points('cat', ['North', 'South'])}${points('val', ['12', '30'])}</c:ser></c:chart></c:chartSpace>`,
    };
    expect(
      await shown(`<w:p><w:r><w:drawing><c:chart r:id="rId7"/></w:drawing></w:r></w:p>`, [chart]),
    ).toEqual(['text: Chart: Sales', 'table:  | 2025\nNorth | 12\nSouth | 30']);
  });
});
