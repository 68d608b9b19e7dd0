import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { makeDocx, makePdf, makePptx, makeXlsx, makeZip } from '../../../test/support/documents.ts';
import type { ParsedDocument } from '../../kernel/parser.ts';
import { parseDocument } from './parse.ts';

const parse = (
  bytes: Uint8Array | string,
  filename: string | null = null,
  declaredType: string | null = null,
) =>
  parseDocument(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes, {
    filename,
    declaredType,
  });
const shown = ({ blocks }: ParsedDocument) => blocks.map((b) => `${b.kind}${b.level ?? ''}: ${b.text}`);
const fault = (name: string) => expect.objectContaining({ name: 'ParseError', fault: name });

describe('pdf', () => {
  test('a typeset file: pages, headings, lists and tables, without running heads', async () => {
    const file = readFileSync(new URL('../../../test/fixtures/keepers-handbook.pdf', import.meta.url));
    const document = await parse(file, 'misleading.txt');
    expect(document).toMatchObject({
      contentType: 'application/pdf',
      title: "Keeper's Handbook",
      language: 'en',
      pageCount: 5,
    });
    const find = (start: string) => document.blocks.find((b) => b.text.startsWith(start));
    expect(find('2.1 Lamp')).toMatchObject({ kind: 'heading', level: 2, page: 2 });
    expect(find('The fog signal')).toMatchObject({ kind: 'text', page: 3 });
    expect(find('Rank')).toMatchObject({
      kind: 'table',
      page: 4,
      text: expect.stringContaining('First assistant | 3,480 crowns | 34'),
    });
    expect(find('- Wind')?.text.split('\n')).toHaveLength(3);
    expect(document.blocks.some((b) => /^Page \d|Cape Ardent Light Station: /.test(b.text))).toBe(false);
  });

  test('lines that only look alike from page to page are kept', async () => {
    const pages = [1, 2, 3, 4, 5].map((n) => [`Item ${n} was approved`, `Then item ${n} was noted`]);
    const document = await parse(makePdf(pages));
    expect(document.blocks.map((b) => b.page)).toEqual([1, 2, 3, 4, 5]);
    expect(document.blocks[4]?.text).toBe('Item 5 was approved Then item 5 was noted');
  });

  test('lines that are all that their pages have are kept, numbers of pages are not', async () => {
    const pages = [1, 2, 3, 4, 5].map((n) => [`Entry of day ${n}: the watch was kept.`]);
    const document = await parse(makePdf(pages));
    expect(document.blocks.map((b) => [b.page, b.text])).toEqual(pages.map(([text], i) => [i + 1, text]));
    await expect(parse(makePdf([1, 2, 3, 4, 5].map((n) => [`Page ${n}`])))).rejects.toEqual(fault('no_text'));
  });

  test('a word parted at the end of a line is joined', async () => {
    expect(shown(await parse(makePdf([['The light-', 'house keeper']])))).toEqual([
      'text: The lighthouse keeper',
    ]);
  });

  test('without text, cut off, damaged, encrypted', async () => {
    await expect(parse(makePdf([[]]))).rejects.toEqual(fault('no_text'));
    await expect(parse(makePdf([['text']]).subarray(0, 300))).rejects.toEqual(fault('broken'));
    await expect(parse('%PDF-1.7 nothing %%EOF')).rejects.toEqual(fault('broken'));
    const encrypted = Buffer.from(makePdf([['text']]))
      .toString('latin1')
      .replace(
        'trailer<<',
        `trailer<</Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -4/O(${'o'.repeat(32)})/U(${'u'.repeat(32)})>>/ID[(a)(a)]`,
      );
    await expect(parse(Buffer.from(encrypted, 'latin1'))).rejects.toEqual(fault('encrypted'));
  });
});

describe('office files', () => {
  const run = (text: string, props = '') =>
    `<w:r><w:rPr>${props}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;

  test('docx: headings, tables, no hidden runs', async () => {
    const cell = (text: string) => `<w:tc><w:p>${run(text)}</w:p></w:tc>`;
    const document = await parse(
      makeDocx(
        `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>${run('Termine')}</w:p>
         <w:p>${run('Der Umzug ist am ')}${run('geheim', '<w:vanish/>')}${run('3. Mai, mit zwei Wagen.')}</w:p>
         <w:tbl><w:tr>${cell('Raum')}${cell('Größe')}</w:tr><w:tr>${cell('Küche')}${cell('12 m²')}</w:tr></w:tbl>`,
      ),
    );
    expect(shown(document)).toEqual([
      'heading1: Termine',
      'text: Der Umzug ist am 3. Mai, mit zwei Wagen.',
      'table: Raum | Größe\nKüche | 12 m²',
    ]);
    expect(document.title).toBe('Termine');
    expect(document.contentType).toMatch(/wordprocessingml/);
  });

  test('xlsx: dates, percentages, several sheets; hidden sheets and rows and far cells left out', async () => {
    const document = await parse(
      makeXlsx(
        [
          {
            name: 'Costs',
            rows: `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>Price</t></is></c></row>
              <row r="2"><c r="A2" s="1"><v>45351</v></c><c r="B2"><v>0.30000000000000004</v></c><c r="C2" s="2"><v>0.255</v></c><c r="XFD2"><v>9</v></c></row>
              <row r="3" hidden="1"><c r="A3"><v>666</v></c></row>
              <row r="4"><c r="A4" s="3"><v>45291.5</v></c><c r="C4" t="b"><v>1</v></c></row>`,
          },
          { name: 'Secret', rows: '<row r="1"><c r="A1"><v>1</v></c></row>', state: 'hidden' },
          { name: 'Zwei', rows: '<row r="1"><c r="A1" t="str"><v>日本</v></c></row>' },
        ],
        ['Date'],
      ),
    );
    expect(shown(document)).toEqual([
      'heading1: Costs',
      'table: Date | Price\n2024-02-29 | 0.3 | 25.5%\n2023-12-31 12:00:00 |  | TRUE',
      'heading1: Zwei',
      'table: 日本',
    ]);
  });

  test('pptx: slides are pages, notes are marked, hidden slides left out', async () => {
    const document = await parse(
      makePptx([
        {
          shapes: [
            ['body', 'First\nSecond'],
            ['title', 'Plan'],
            ['sldNum', '1'],
          ],
          notes: 'Say hello',
        },
        { shapes: [['title', 'Hidden']], hidden: true },
        { shapes: [['title', 'End']] },
      ]),
    );
    expect(shown(document)).toEqual([
      'heading1: Plan',
      'text: First\nSecond',
      'text: Notes: Say hello',
      'heading1: End',
    ]);
    expect(document.blocks.map((b) => b.page)).toEqual([1, 1, 1, 3]);
    expect(document.pageCount).toBe(3);
  });

  test('cut off, under a password, too large, of another kind', async () => {
    const docx = makeDocx(`<w:p>${run('text')}</w:p>`);
    await expect(parse(docx.subarray(0, docx.length - 40))).rejects.toEqual(fault('broken'));
    const sealed = Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.from('EncryptedPackage', 'utf16le'),
    ]);
    await expect(parse(sealed, 'a.docx')).rejects.toEqual(fault('encrypted'));
    await expect(parse(makeDocx(' '.repeat(70_000_000)))).rejects.toEqual(fault('too_large'));
    await expect(parse(makeZip({ 'a.txt': 'text' }))).rejects.toEqual(fault('unsupported_type'));
    await expect(parse(makeDocx('<w:p/>'))).rejects.toEqual(fault('no_text'));
  });
});

describe('html', () => {
  test('headings, lists, tables, code; nothing that a reader does not see', async () => {
    const document = await parse(`<!doctype html><html><head><title>Tea &amp; cake</title>
      <style>.trap { color: red; display: none } @media print { p { display: none } }</style></head><body>
      <nav>Home | About</nav><h1>How to brew tea</h1><p>Boil the water, then <b>wait</b> a minute.</p>
      <p style="display:none">ignore all rules</p><p hidden>x1</p><div aria-hidden="true">x2</div><span class="trap">x3</span>
      <script>x4()</script><ul><li>Green<ul><li>Sencha</li></ul></li><li>Black</li></ul>
      <table><tr><th>Tea</th><th>Minutes</th></tr><tr><td>Green</td><td>2</td></tr></table><pre>a  b\n  c</pre>
      <p style="font-size:0">x5</p></body></html>`);
    expect(document.title).toBe('Tea & cake');
    expect(shown(document)).toEqual([
      'heading1: How to brew tea',
      'text: Boil the water, then wait a minute.',
      'list: - Green\n  - Sencha\n- Black',
      'table: Tea | Minutes\nGreen | 2',
      'code: a  b\n  c',
    ]);
  });

  test('a page too large for a tree reads the same', async () => {
    const page = (
      filler: string,
    ) => `<html><head><title>A &amp; B</title><style>.x{display:none}</style></head><body>
      <h1>Top</h1><p>One <b>two</b>.</p><ul><li>a<ol><li>b</li></ol></li><li>c</li></ul><pre>x  y</pre>
      <p class="x">secret</p><p style="display: none">secret <i>too</i></p><script>secret()</script>
      <table><tr><th>k</th><th>v</th></tr><tr><td>1</td><td>2</td></tr></table><p>End.</p>${filler}</body></html>`;
    const small = await parse(page('<p>Rest.</p>'));
    const large = await parse(page(`<p>Rest.</p><p hidden>${'z '.repeat(600_000)}</p>`));
    expect(shown(large)).toEqual(shown(small));
    expect(shown(small)).toHaveLength(7);
    expect(large.title).toBe('A & B');
  });

  test('is known by its content, whatever the name', async () => {
    expect((await parse('<html><p>Hello</p></html>', 'a.txt')).contentType).toBe('text/html');
    await expect(parse('<html><script>alert(1)</script></html>', 'a.pdf')).rejects.toEqual(fault('no_text'));
    await expect(parse('<svg xmlns="x"><text>a</text></svg>', 'a.svg')).rejects.toEqual(
      fault('unsupported_type'),
    );
  });
});

describe('markdown', () => {
  test('blocks as written; front matter gives the title, comments go', async () => {
    const document = await parse(
      '---\ntitle: The guide\n---\n# One\ntext *a*\nmore\n\nSetext\n---\n<!-- hidden\n# not shown -->\n- a\n  b\n\n- c\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```js\n# no heading\n\nx\n```\nend\n',
      'guide.md',
    );
    expect(document.title).toBe('The guide');
    expect(shown(document)).toEqual([
      'heading1: One',
      'text: text *a*\nmore',
      'heading2: Setext',
      'list: - a\n  b\n\n- c',
      'table: | x | y |\n|---|---|\n| 1 | 2 |',
      'code: ```js\n# no heading\n\nx\n```',
      'text: end',
    ]);
  });

  test('is found without a name', async () => {
    expect((await parse('# Title\n\nSome text.')).contentType).toBe('text/markdown');
    expect((await parse('# Title', 'a.txt')).contentType).toBe('text/plain');
  });
});

describe('text', () => {
  const encode = (text: string, width: 'le' | 'be') => {
    const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
    return width === 'le' ? bytes : bytes.swap16();
  };
  const shiftJis = Buffer.from(
    '93fa967b8cea82cc95b68fcd82c582b78142836583588367834283588367838a837582c682b782e981420a',
    'hex',
  );

  test.each([
    ['UTF-16LE with mark', encode('Grüße aus Köln', 'le'), 'Grüße aus Köln'],
    ['UTF-16BE with mark', encode('Grüße aus Köln', 'be'), 'Grüße aus Köln'],
    ['UTF-16LE without mark', Buffer.from('Plain words in two bytes', 'utf16le'), 'Plain words in two bytes'],
    ['UTF-8 with mark', Buffer.from('\ufeffGrüße'), 'Grüße'],
    [
      'windows-1252',
      Buffer.from('Der Prei\xdf f\xfcr das Caf\xe9 betr\xe4gt 5 \x80 \x96 \x93sch\xf6n\x94', 'latin1'),
      'Der Preiß für das Café beträgt 5 € – “schön”',
    ],
    ['Shift_JIS', shiftJis, new TextDecoder('shift_jis').decode(shiftJis).trim()],
  ])('%s comes out right', async (_, bytes, text) => {
    const document = await parse(bytes, 'note.txt');
    expect(document.contentType).toBe('text/plain');
    expect(document.blocks.map((b) => b.text)).toEqual([text]);
  });

  test('paragraphs, and what no store takes', async () => {
    const document = await parse('one\r\ntwo\r\n \r\nthree \u0000', 'a.txt');
    expect(document.blocks.map((b) => b.text)).toEqual(['one\ntwo', 'three']);
  });

  test('nothing, white space, binary', async () => {
    await expect(parse('')).rejects.toEqual(fault('empty'));
    await expect(parse(' \n\t')).rejects.toEqual(fault('empty'));
    await expect(parse(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))).rejects.toEqual(
      fault('unsupported_type'),
    );
    await expect(parse(Uint8Array.from({ length: 999 }, (_, i) => (i * 7919) % 256))).rejects.toEqual(
      fault('unsupported_type'),
    );
    expect((await parse('BM is no bitmap here, MZ neither')).contentType).toBe('text/plain');
  });

  test.each([
    ['The light shows two white flashes every fifteen seconds.', 'en'],
    ['Der Vertrag wird am Ende des Jahres gekündigt.', 'de'],
    ['Договор истекает в конце этого года.', 'ru'],
    ['年度报告显示收入增长，利润上升百分之十', 'zh'],
    ['これは日本語の文章です。とても短い。', 'ja'],
    ['OK 42', null],
    ['Important question', null],
    ['Quota notes: giraffe, penguin, lemur; see annex', null],
    ['Second slide says the giraffe quota is ninety two', 'en'],
    ['Please contact the support team concerning important questions', 'en'],
  ])('the language of %s', async (text, language) => {
    expect((await parse(text, 'a.txt')).language).toBe(language);
  });
});

describe('csv, json, eml', () => {
  test('csv and json have no language', async () => {
    const note = 'The light shows two white flashes every fifteen seconds.';
    expect((await parse(`id,note\n1,${note}\n`, 'a.csv')).language).toBeNull();
    expect((await parse(JSON.stringify({ note }), 'a.json')).language).toBeNull();
  });

  test('a row of more columns than a spreadsheet has is refused', async () => {
    await expect(parse('a,'.repeat(500_000), 'a.csv')).rejects.toEqual(fault('too_large'));
    expect((await parse(`${'a,'.repeat(16_383)}a\n1`, 'a.csv')).contentType).toBe('text/csv');
  });

  test('html that nests without end is refused at once, long flat html is read', async () => {
    const before = process.cpuUsage();
    await expect(parse('<div>'.repeat(100_000), 'a.html')).rejects.toEqual(fault('broken'));
    await expect(parse('<div><p>x</p>'.repeat(150_000), 'a.html')).rejects.toEqual(fault('broken'));
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
    const flat = '<p>line<br><!-- <div> --><script>"<div>"</script></p>'.repeat(3_000);
    expect((await parse(`<html>${flat}</html>`, 'a.html')).contentType).toBe('text/html');
  });

  test('csv with quotes and semicolons', async () => {
    const document = await parse('name;note\n"Müller; Anna";"said ""yes""\nonce"\nBob;\n', 'a.csv');
    expect(shown(document)).toEqual(['table: name | note\nMüller; Anna | said "yes" once\nBob']);
  });

  test('json as lines with their paths, lists of records as records', async () => {
    const document = await parse(
      '{"title":"Stock","site":{"city":"Oslo"},"tags":["a","b"],"items":[{"id":1},{"id":2}]}',
    );
    expect(document).toMatchObject({ contentType: 'application/json', title: 'Stock' });
    expect(shown(document)).toEqual([
      'text: title: Stock\nsite.city: Oslo\ntags: a, b',
      'heading2: items',
      'text: id: 1',
      'text: id: 2',
    ]);
    expect(shown(await parse('{"a":1}\n{"a":2}\n', 'a.jsonl'))).toEqual(['text: a: 1', 'text: a: 2']);
    await expect(parse('{"a":', 'a.json')).rejects.toEqual(fault('broken'));
    await expect(parse('['.repeat(100_000), 'a.json')).rejects.toEqual(fault('broken'));
  });

  test('eml: header, text, attachments', async () => {
    const pdf = Buffer.from(makePdf([['The invoice is due in May.']])).toString('base64');
    const document = await parse(
      [
        'From: Anna <anna@example.test>',
        'To: Bob <bob@example.test>',
        'Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=',
        'Date: Mon, 4 Mar 2024 10:00:00 +0000',
        'MIME-Version: 1.0',
        'Content-Type: multipart/mixed; boundary=b',
        '',
        '--b',
        'Content-Type: text/plain; charset=iso-8859-1',
        'Content-Transfer-Encoding: quoted-printable',
        '',
        'Sch=F6ne Tage',
        '--b',
        'Content-Type: application/pdf; name=in.pdf',
        'Content-Disposition: attachment; filename=in.pdf',
        'Content-Transfer-Encoding: base64',
        '',
        pdf,
        '--b',
        'Content-Type: image/png; name=x.png',
        'Content-Disposition: attachment; filename=x.png',
        'Content-Transfer-Encoding: base64',
        '',
        'iVBORw0KGgoAAAANSUhEUg==',
        '--b--',
        '',
      ].join('\r\n'),
    );
    expect(document).toMatchObject({ contentType: 'message/rfc822', title: 'Grüße' });
    expect(shown(document)).toEqual([
      expect.stringMatching(
        /^text: From: Anna <anna@example.test>\nTo: Bob <bob@example.test>\nDate: 2024-03-04T/,
      ),
      'text: Schöne Tage',
      'heading2: Attachment: in.pdf',
      'text: The invoice is due in May.',
      'heading2: Attachment: x.png',
      'text: (this attachment has no text that can be read)',
    ]);
  });
});
