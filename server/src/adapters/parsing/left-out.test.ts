import { expect, test } from 'vitest';
import { makeDocx, makePptx, makeXlsx, makeZip } from '../../../test/support/documents.ts';
import { makeMsg } from '../../../test/support/office-files.ts';
import { at, drawPdf } from '../../../test/support/pdf.ts';
import { parseDocument } from './parse.ts';

/** What is left out on purpose is said of each kind, with how often. */
const leftOutOf = async (bytes: Uint8Array | string, filename: string | null = null) => {
  const document = await parseDocument(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, {
    filename,
    declaredType: null,
  });
  return Object.fromEntries((document.leftOut ?? []).map(({ what, count }) => [what, count]));
};

test('html: what is hidden, and navigation', async () => {
  const page = (more: string) =>
    `<!doctype html><html><head><style>.x{display:none}</style></head><body><nav>Home</nav><p hidden>a</p><p class="x">b</p><p style="display:none">c</p><p hidden></p><script>d</script><p>Text of the page.</p>${more}</body></html>`;
  expect(await leftOutOf(page(''))).toEqual({ navigation: 1, hidden_text: 3 });
  expect(await leftOutOf(page('<p>long</p>'.repeat(100_000)))).toMatchObject({
    navigation: 1,
    hidden_text: 4,
  });
});

test('mails: pictures within the text, attachments that cannot be read, and what those leave out', async () => {
  const part = (headers: string, body: string) => `--b\n${headers}\n\n${body}\n`;
  const mail = [
    'From: a@example.org\nDate: Tue, 5 May 2026 10:00:00 +0000\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n',
    part('Content-Type: text/plain', 'Hello.'),
    part(
      'Content-Type: image/png\nContent-Disposition: inline\nContent-Transfer-Encoding: base64',
      'iVBORw0K',
    ),
    part(
      'Content-Type: application/zip; name=a.zip\nContent-Disposition: attachment; filename=a.zip\nContent-Transfer-Encoding: base64',
      Buffer.from(makeZip({ a: 'x' })).toString('base64'),
    ),
    part(
      'Content-Type: text/html\nContent-Disposition: attachment; filename=a.html',
      '<html><body><p hidden>x</p><p>y</p></body></html>',
    ),
    '--b--\n',
  ].join('');
  expect(await leftOutOf(mail, 'a.eml')).toEqual({ pictures: 1, attachments: 1, hidden_text: 1 });
  const msg = makeMsg(
    { subject: 's', body: 'Hello.', from: 'a@x.org', to: 'b@x.org' },
    { name: 'a.zip', bytes: makeZip({ a: 'x' }) },
  );
  expect(await leftOutOf(msg)).toEqual({ attachments: 1 });
});

test('a book: navigation, chapters outside of the order, pictures', async () => {
  const book = makeZip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
    'b.opf':
      '<package><manifest><item id="a" href="a.xhtml"/><item id="z" href="z.xhtml"/><item id="n" href="n.xhtml" properties="nav"/><item id="i" href="i.png" media-type="image/png"/></manifest><spine><itemref idref="a"/><itemref idref="z" linear="no"/></spine></package>',
    'a.xhtml': '<html><body><p>Text.</p></body></html>',
    'z.xhtml': '<html><body><p>Aside.</p></body></html>',
  });
  expect(await leftOutOf(book)).toEqual({ navigation: 1, pictures: 1, chapters: 1 });
});

test('a PDF: comments beside the page', async () => {
  const note = (subtype: string, text: string) =>
    `<</Type/Annot/Subtype/${subtype}/Rect[10 10 30 30]/Contents(${text})/F 4>>`;
  const bytes = drawPdf({
    pages: [
      {
        content: at(72, 700, 'The tide gauge stands at the mole.'),
        annotations: [note('Text', 'Is it still there?'), note('Highlight', ''), note('FreeText', 'Yes')],
      },
    ],
  });
  expect(await leftOutOf(bytes)).toEqual({ comments: 1 });
});

test('office files: deleted text, files within, furniture of slides, cells far to the right', async () => {
  const run = '<w:r><w:t>text</w:t></w:r>';
  const body = `<w:p>${run}<w:del>${run}</w:del><w:r><w:object><o:OLEObject/></w:object></w:r></w:p><w:p><w:moveFrom>${run}</w:moveFrom></w:p>`;
  expect(await leftOutOf(makeDocx(body))).toEqual({ deleted_text: 2, embedded_files: 1 });
  const slides = makePptx([
    {
      shapes: [
        ['title', 'Title'],
        ['sldNum', '1'],
        ['ftr', 'Foot'],
      ],
    },
  ]);
  expect(await leftOutOf(slides)).toEqual({ page_furniture: 2 });
  const rows = '<row r="1"><c r="A1"><v>1</v></c><c r="B1"><v>2</v></c><c r="XFD1"><v>3</v></c></row>';
  expect(await leftOutOf(makeXlsx([{ name: 'S', rows }]))).toEqual({ far_cells: 1 });
});
