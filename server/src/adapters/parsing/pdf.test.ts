import { describe, expect, test } from 'vitest';
import { asianFont, at, drawPdf, visualPdf, writePdf } from '../../../test/support/pdf.ts';
import { parseDocument } from './parse.ts';
import { readingOrder } from './pdf-bidi.ts';
import { runsOf } from './pdf-runs.ts';

const parse = (bytes: Uint8Array) => parseDocument(bytes, { filename: 'a.pdf', declaredType: null });
const textOf = async (bytes: Uint8Array) => (await parse(bytes)).blocks.map((b) => b.text).join('\n');
const shown = async (bytes: Uint8Array) =>
  (await parse(bytes)).blocks.map((b) => `${b.kind}${b.level ?? ''}: ${b.text}`);

describe('fonts that are not in the file', () => {
  test.each([
    ['90ms-RKSJ-H', 'Japan1', '82a082a282a482a682a8', 'あいうえお'],
    ['UniJIS-UTF16-H', 'Japan1', '67714eac', '東京'],
    ['EUC-H', 'Japan1', 'c5ecb5fe', '東京'],
    ['GBK-EUC-H', 'GB1', 'd6d0cec4', '中文'],
    ['ETen-B5-H', 'CNS1', 'a4a4a4e5', '中文'],
    ['KSCms-UHC-H', 'Korea1', 'c7d1b1b9beee', '한국어'],
  ])('%s of %s', async (table, ordering, codes, wanted) => {
    const bytes = drawPdf({
      pages: [`BT /A 12 Tf 72 700 Td <${codes}> Tj ET`],
      fonts: { A: asianFont(table, ordering) },
    });
    expect(await textOf(bytes)).toBe(wanted);
  });

  test('vertical writing: columns from right to left are lines from top to bottom', async () => {
    const bytes = drawPdf({
      pages: ['BT /A 12 Tf 300 700 Td <82a082a282a4> Tj -18 0 Td <82a682a8> Tj ET'],
      fonts: { A: asianFont('90ms-RKSJ-V', 'Japan1') },
    });
    expect(await shown(bytes)).toEqual(['text: あいうえお']);
  });

  test('signs of the standard fonts', async () => {
    const bytes = drawPdf({
      pages: ['BT /S 12 Tf 72 700 Td (abS) Tj ET'],
      fonts: { S: '<</Type/Font/Subtype/Type1/BaseFont/Symbol>>' },
    });
    expect(await textOf(bytes)).toBe('αβΣ');
  });
});

describe('text that reads from right to left', () => {
  const letters = (text: string) => [...text].reverse();

  test('letters, ligatures and numbers come in the order of reading', async () => {
    const bytes = visualPdf([
      ['ة', 'ي', 'ج', 'ا', 'ت', 'ن', 'لإ', 'ا'],
      [...'50', ' ', ...letters('السعر')],
      [...'12/03/2024', ' ', ...letters('تاريخ')],
      [...letters('עולם'), ' ', ...letters('שלום')],
      [...'ISO 9001', ' ', ...letters('תקן')],
    ]);
    const text = await textOf(bytes);
    for (const wanted of ['الإنتاجية', 'السعر 50', 'تاريخ 12/03/2024', 'שלום עולם', 'תקן ISO 9001'])
      expect(text).toContain(wanted);
  });

  test('presentation forms become letters, marks stay with their letter', async () => {
    const text = await textOf(
      visualPdf([
        ['\ufeee', '\ufedf', '\ufeef'],
        ['ם', 'ל', 'ָ', 'ש'],
      ]),
    );
    expect(text).toContain('ىلو');
    expect(text).toMatch(/^ש.*לם$|שָׁ?לם|שלָם/m);
  });

  test.each([
    ['a word of it within a line of the other direction', 'see ', 'םולש', ' now', false, 'see שלום now'],
    ['brackets named by their shape', '(2)', ' ', 'ףיעס', true, 'סעיף (2)'],
    ['brackets named by their meaning', ')2(', ' ', 'ףיעס', true, 'סעיף (2)'],
    ['two numbers with a blank between', '5678 1234', ' ', 'ןופלט', true, 'טלפון 1234 5678'],
    ['a percentage', '%50', ' ', 'תחנה', true, 'הנחת 50%'],
    ['an Arabic number with its decimals', '٣٫٥', ' ', 'ةبسن', true, 'نسبة ٣٫٥'],
  ])('%s', (_, a, b, c, leftwards, wanted) => {
    expect(readingOrder([...`${a}${b}${c}`], leftwards)).toBe(wanted);
  });
});

describe('what was filled in', () => {
  const field = (name: string, rest: string, rect: string) =>
    `<</Type/Annot/Subtype/Widget/T(${name})/Rect[${rect}]/P @/F 4${rest}>>`;

  test('values stand beside their labels; secrets, buttons and hidden fields stay out', async () => {
    const bytes = drawPdf({
      form: true,
      pages: [
        {
          content: `${at(50, 760, 'Name of the applicant:')}${at(50, 720, 'Colour:')}${at(70, 680, 'Express delivery')}${at(50, 640, 'Signed in ink below.')}`,
          annotations: [
            field('name', '/FT/Tx/V(Marisol Quintero)/DA(/F1 10 Tf 0 g)', '220 752 400 772'),
            field(
              'colour',
              '/FT/Ch/Ff 131072/Opt[[(r)(Red)][(g)(Green)]]/V(g)/DA(/F1 10 Tf 0 g)',
              '220 712 400 732',
            ),
            field('express', '/FT/Btn/V/On/AS/On/AP<</N<</On 3 0 R/Off 3 0 R>>>>', '52 676 64 690'),
            field('pin', '/FT/Tx/Ff 8192/V(4711)/DA(/F1 10 Tf 0 g)', '220 600 400 620'),
            field('inside', '/FT/Tx/F 2/V(unseen)/DA(/F1 10 Tf 0 g)', '220 560 400 580').replace('/F 4', ''),
            field('lonely', '/FT/Tx/V(Written far from any label)/DA(/F1 10 Tf 0 g)', '220 500 400 520'),
          ],
        },
      ],
    });
    const text = await textOf(bytes);
    expect(text).toContain('Name of the applicant: Marisol Quintero');
    expect(text).toContain('Colour: Green');
    expect(text).toContain('☒ Express delivery');
    expect(text).toContain('Written far from any label');
    expect(text).not.toMatch(/4711|unseen/);
  });

  test('text typed onto the page is read', async () => {
    const bytes = drawPdf({
      pages: [
        {
          content: at(50, 760, 'The crane lifts 12 tons.'),
          annotations: [
            '<</Type/Annot/Subtype/FreeText/Rect[50 700 300 720]/F 4/P @/Contents(Checked by Imre)/DA(/F1 10 Tf 0 g)>>',
          ],
        },
      ],
    });
    expect(await textOf(bytes)).toContain('Checked by Imre');
  });
});

describe('blanks', () => {
  test('one that the next word is drawn over still parts two words', async () => {
    // "This" in Helvetica is 18.89 wide for each 10 points.
    const content = ['This ', 'word ', 'stands'].reduce(
      ({ drawn, x }, text) => ({
        drawn: drawn + at(x, 700, text),
        x: x + ({ 'This ': 18.89, 'word ': 21.67 }[text] ?? 0) + 0.4,
      }),
      { drawn: '', x: 72 },
    ).drawn;
    expect(await textOf(drawPdf({ pages: [content] }))).toBe('This word stands');
  });

  test('one that lies beneath a letter parts nothing', () => {
    const glyph = (text: string, x: number, width: number) => ({
      text,
      x,
      y: 600,
      width,
      size: 11,
      frame: 0,
    });
    // The blank at the end of a line that was set from left to right.
    const glyphs = [
      glyph(' ', 236.3, 3.5),
      glyph('ה', 236.2, 7.6),
      glyph('נ', 243.8, 4.4),
      glyph('י', 248.2, 3),
    ];
    expect(runsOf(glyphs).map((run) => run.text)).toEqual(['ינה']);
    const apart = [
      glyph('ה', 236.2, 7.6),
      glyph(' ', 243.8, 3.5),
      glyph('נ', 247.3, 4.4),
      glyph('י', 251.7, 3),
    ];
    expect(runsOf(apart).map((run) => run.text)).toEqual(['ינ ה']);
  });
});

describe('bold by drawing twice', () => {
  test.each([
    [
      'each character',
      [...'BOLD ICE'].map((c, i) => `${at(72 + i * 7, 700, c)}${at(72.3 + i * 7, 700.2, c)}`).join(''),
      'BOLD ICE',
    ],
    [
      'each word',
      ['Great', 'hall'].map((w, i) => at(72 + i * 40, 700, w) + at(72.4 + i * 40, 700, w)).join(''),
      'Great hall',
    ],
    ['the whole line', at(72, 700, 'All of it') + at(72.4, 700.1, 'All of it'), 'All of it'],
    ['four times', [0, 0.2, 0.4, 0.6].map((d) => at(72 + d, 700, 'Loud')).join(''), 'Loud'],
  ])('%s', async (_, content, wanted) => {
    expect(await textOf(drawPdf({ pages: [content] }))).toBe(wanted);
  });

  test('what stands twice on the page is kept twice', async () => {
    const content =
      at(72, 700, 'bookkeeper 11 llama') + at(72, 688, 'bookkeeper 11 llama') + at(72, 676, 'aa');
    expect(await textOf(drawPdf({ pages: [content] }))).toBe('bookkeeper 11 llama bookkeeper 11 llama aa');
  });
});

describe('tables', () => {
  const X = [50, 200, 320, 440];
  const rows = (cells: string[][], size = 11, from = 760, step = 22) =>
    cells
      .map((row, n) =>
        row.map((cell, i) => (cell ? at(X[i] ?? 0, from - n * step, cell, size) : '')).join(''),
      )
      .join('');

  test('empty cells stay where they are', async () => {
    const content = rows([
      ['Item', 'Ordered', 'Delivered', 'Remark'],
      ['Bolts', '450', '', 'late'],
      ['Nuts', '', '156', 'urgent'],
      ['Pins', '', '', 'none'],
      ['Washers', '780', '778', ''],
    ]);
    expect(await shown(drawPdf({ pages: [content] }))).toEqual([
      'table: Item | Ordered | Delivered | Remark\nBolts | 450 |  | late\nNuts |  | 156 | urgent\nPins |  |  | none\nWashers | 780 | 778',
    ]);
  });

  test('numbers at the right edge, a title over two columns, cells of several lines', async () => {
    const right = (x: number, y: number, text: string) => at(x - text.length * 5.56, y, text);
    const content = [
      at(215, 780, 'Quantities in the year of the report'),
      rows([['Item', 'Ordered', 'Delivered', 'Remark']], 10, 760),
      at(50, 738, 'Bolts'),
      right(235, 738, '1450'),
      right(355, 738, '9'),
      at(440, 738, 'came late and'),
      at(440, 727, 'without papers'),
      at(50, 705, 'Nuts'),
      right(355, 705, '156'),
      at(440, 705, 'fine'),
      at(50, 683, 'Pins'),
      right(235, 683, '20'),
      at(440, 683, 'lost'),
    ].join('');
    const text = await textOf(drawPdf({ pages: [content] }));
    expect(text).toContain(
      'Bolts | 1450 | 9 | came late and without papers\nNuts |  | 156 | fine\nPins | 20 |  | lost',
    );
  });

  test('one that is larger than the text around it is no heading and no title', async () => {
    const content = [
      rows(
        [
          ['Policy', 'POL-2022-555', 'Year', '2022'],
          ['Claim', 'SF-1008', 'Make', 'Jeep'],
        ],
        12,
        780,
        18,
      ),
      ...[0, 1, 2, 3, 4].map((n) =>
        at(
          50,
          680 - n * 10,
          'This is a preliminary estimate for the visible damage of the vehicle and more',
          8,
        ),
      ),
    ].join('');
    const document = await parse(drawPdf({ pages: [content] }));
    expect(document.blocks[0]).toMatchObject({
      kind: 'table',
      text: 'Policy | POL-2022-555 | Year | 2022\nClaim | SF-1008 | Make | Jeep',
    });
    expect(document.title).toBeNull();
  });

  test('wide gaps of justified prose part no cells', async () => {
    const lines = [
      'The keeper of the light trims',
      'it before dusk comes and then',
      'he writes the hour into a book',
      'that lies open on his table so',
      'that all who come may read it.',
    ];
    // As typesetters do it: blanks are stretched until each line ends at the margin.
    const widthOf = (word: string) =>
      [...word].reduce((sum, c) => sum + (/[iljt.,]/.test(c) ? 2.6 : /[mwT]/.test(c) ? 7.6 : 5.5), 0);
    const content = lines
      .map((line, n) => {
        const words = line.split(' ');
        const blank = (205 - words.reduce((sum, word) => sum + widthOf(word), 0)) / (words.length - 1);
        let x = 72;
        return words
          .map((word) => {
            const drawn = at(Math.round(x * 10) / 10, 700 - n * 13, word);
            x += widthOf(word) + blank;
            return drawn;
          })
          .join('');
      })
      .join('');
    const [only, ...more] = await shown(drawPdf({ pages: [content] }));
    expect(more).toEqual([]);
    expect(only).toBe(`text: ${lines.join(' ')}`);
  });

  test('prose in two columns that was drawn line by line is read column by column', async () => {
    const left = [
      'The first column says that the',
      'light was built in the year of',
      'the great storm by masons who',
      'came from the north and stayed',
      'until the tower stood at last.',
    ];
    const other = [
      'The second column tells of the',
      'keepers who came after them to',
      'tend the lamp through all long',
      'nights of winter without sleep',
      'and who were paid far too late.',
    ];
    const content = left
      .map((line, n) => at(60, 700 - n * 13, line) + at(320, 700 - n * 13, other[n] ?? ''))
      .join('');
    const text = (await textOf(drawPdf({ pages: [content] }))).replace(/\s+/g, ' ');
    expect(text).toBe([...left, ...other].join(' '));
  });
});

describe('pages of boxes, and titles', () => {
  test('a slide is one section under its title', async () => {
    const slide = (n: number) => ({
      width: 720,
      height: 405,
      content: [
        at(60, 350, `Plan of quarter ${n}`, 32),
        at(60, 280, 'More light', 20),
        at(60, 260, 'for less oil', 12),
        at(400, 280, 'Fewer wrecks', 20),
        at(400, 260, 'near the reef', 12),
        at(60, 120, 'Keep the log', 24),
      ].join(''),
    });
    const { blocks } = await parse(drawPdf({ pages: [slide(1), slide(2)] }));
    const headings = blocks.filter((b) => b.kind === 'heading');
    expect(headings.map((b) => b.text)).toEqual(['Plan of quarter 1', 'Plan of quarter 2']);
    expect(blocks.map((b) => b.text).join(' ')).toContain('Fewer wrecks');
  });

  test.each([
    '(anonymous)',
    'untitled',
    'PowerPoint Presentation',
    'Microsoft PowerPoint - talk.ppt',
    'Sheet1',
    'C:\\\\work\\\\final.docx',
    '2024-11',
  ])('%s is no title', async (title) => {
    const content =
      at(72, 760, 'Rules of the tower', 20) + at(72, 720, 'No keeper sleeps while the lamp burns.');
    const document = await parse(
      drawPdf({ pages: [content], info: `<</Title(${title.replace(/[()]/g, '\\$&')})>>` }),
    );
    expect(document.title).toBe('Rules of the tower');
  });
});

test('pages of one short line that is the same on each are not without text', async () => {
  const pages = Array.from({ length: 4 }, () => at(72, 760, 'Keep out'));
  const { blocks } = await parse(drawPdf({ pages }));
  expect(blocks.map((b) => b.text)).toEqual(Array(4).fill('Keep out'));
});

describe('text at odd angles', () => {
  /** Letters one by one, each with its own direction. */
  const letters = (places: readonly [letter: string, x: number, y: number, angle: number][]) =>
    places
      .map(([letter, x, y, angle]) => {
        const [cos, sin] = [Math.cos(angle).toFixed(4), Math.sin(angle).toFixed(4)];
        return `BT /F1 12 Tf ${cos} ${sin} -${sin} ${cos} ${x.toFixed(2)} ${y.toFixed(2)} Tm (${letter}) Tj ET`;
      })
      .join('\n')
      .replaceAll('--', '');

  test('along a curve: words, not letters', async () => {
    const radius = 120;
    const widths: Record<string, number> = { I: 0.278, ' ': 0.278, L: 0.556, T: 0.611, A: 0.667, B: 0.667 };
    let place = 2.2;
    const arc = [...'HARBOUR LIGHT'].map((letter): [string, number, number, number] => {
      const here = place;
      place -= ((widths[letter] ?? 0.74) * 12 + 2) / radius;
      return [letter, 300 + radius * Math.cos(here), 400 + radius * Math.sin(here), here - Math.PI / 2];
    });
    const content = `${at(72, 700, 'The seal of the port.')}\n${letters(arc.filter(([letter]) => letter !== ' '))}`;
    const { blocks } = await parse(drawPdf({ pages: [content] }));
    expect(blocks.map((b) => b.text)).toEqual(['The seal of the port.', 'HARBOUR LIGHT']);
  });

  test('aslant: its lines are one paragraph, apart from what it crosses', async () => {
    const slant = (x: number, y: number, text: string) =>
      `BT /F1 12 Tf 0.866 0.5 -0.5 0.866 ${x} ${y} Tm (${text}) Tj ET`;
    const content = [
      at(72, 700, 'The tide gauge stands at the mole.'),
      slant(100, 400, 'Draft of the rules,'),
      slant(107, 388, 'not for the public.'),
      at(72, 688, 'It is read at noon.'),
    ].join('\n');
    const { blocks } = await parse(drawPdf({ pages: [content] }));
    expect(blocks.map((b) => b.text)).toEqual([
      'The tide gauge stands at the mole.',
      'Draft of the rules, not for the public.',
      'It is read at noon.',
    ]);
  });
});

test('what the structure of a page says of its pictures is read with their page', async () => {
  const content = `/Figure <</MCID 0>> BDC q 50 0 0 50 72 600 cm 0 0 1 1 re f Q EMC\n${at(72, 700, 'The lamp of the year.')}`;
  const tagged = writePdf([
    '<</Type/Catalog/Pages 2 0 R/MarkInfo<</Marked true>>/StructTreeRoot 6 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/StructParents 0/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>',
    '<</Type/StructTreeRoot/K 7 0 R/ParentTree 8 0 R>>',
    '<</Type/StructElem/S/Figure/Alt(A duck holds the lamp)/P 6 0 R/Pg 3 0 R/K 0>>',
    '<</Nums[0 [7 0 R]]>>',
  ]);
  const { blocks } = await parse(tagged);
  expect(blocks.map((b) => [b.text, b.page])).toEqual([
    ['The lamp of the year.', 1],
    ['[Picture: A duck holds the lamp]', 1],
  ]);
});

describe('pages that have no text', () => {
  const picture = '200 0 0 200 72 400 cm 0 0 1 1 re f';

  test('are told, and blank ones are not', async () => {
    const pages = [at(72, 700, 'The log of the year.'), picture, '', picture, picture];
    const document = await parse(drawPdf({ pages }));
    expect(document.unreadPages).toEqual([2, 4, 5]);
    expect(document.blocks.at(-1)).toMatchObject({
      page: 2,
      text: '(Pages 2, 4–5 of this document have no text that can be read: they are scans or pictures.)',
    });
  });

  test('nothing is said of a document whose pages all have some', async () => {
    const document = await parse(drawPdf({ pages: [at(72, 700, 'All is well.')] }));
    expect(document).not.toHaveProperty('unreadPages');
  });
});
