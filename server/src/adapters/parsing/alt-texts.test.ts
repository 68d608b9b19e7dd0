import { expect, test } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { makeDocx, makePptx, makeZip } from '../../../test/support/documents.ts';
import { makeOdf } from '../../../test/support/office-files.ts';
import { altText } from './alt-texts.ts';
import { parseDocument } from './parse.ts';

const textOf = async (bytes: Uint8Array | string): Promise<string> => {
  const given = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  const { blocks } = await parseDocument(given, { filename: null, declaredType: null });
  return blocks.map((b) => b.text).join('\n');
};
const DUCK = 'A duck holds the lamp';
const SAID = `[Picture: ${DUCK}]`;

test('names of files and those that programs give say nothing', () => {
  for (const name of [
    '',
    ' ',
    '—',
    'image1.png',
    'C:\\Users\\a\\b',
    'Picture 3',
    'Grafik 12',
    'https://a.org/b',
  ])
    expect(altText(name)).toBe('');
  expect(altText(`  ${DUCK}\n`)).toBe(SAID);
});

test(req('KNOW-47', 'what authors wrote of a picture for those who do not see it is read'), async () => {
  const drawing = `<w:p><w:r><w:t>See</w:t></w:r><w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="${DUCK}"/><pic:pic><pic:nvPicPr><pic:cNvPr id="1" name="a.png" descr="${DUCK}"/></pic:nvPicPr><a:blip/></pic:pic></wp:inline></w:drawing></w:r><w:r><w:t>here.</w:t></w:r></w:p>`;
  expect(await textOf(makeDocx(drawing))).toBe(`See ${SAID} here.`);
  const picture = (more: string) =>
    `<p:pic><p:nvPicPr><p:cNvPr id="2" name="x" descr="${DUCK}"${more}/></p:nvPicPr></p:pic>`;
  const slides = makePptx([{ shapes: [['title', 'Lamps']], more: picture('') }]);
  expect(await textOf(slides)).toBe(`Lamps\n${SAID}`);
  const hidden = makePptx([{ shapes: [['title', 'Lamps']], more: picture(' hidden="1"') }]);
  expect(await textOf(hidden)).toBe('Lamps');
  const frame = `<draw:frame><draw:image/><svg:title>image1.png</svg:title><svg:desc>${DUCK}</svg:desc></draw:frame>`;
  expect(await textOf(makeOdf('text', `<text:p>See ${frame} here.</text:p>`))).toBe(`See ${SAID} here.`);
  const img = `<img src="a.png" alt="${DUCK}">`;
  const page = `<html><body><p>See ${img} here.</p><ul><li>${img} one</li></ul><table><tr><td>a</td><td>${img}</td></tr></table><p><img alt="logo.png"></p></body></html>`;
  const read = `See ${SAID} here.\n- ${SAID} one\na | ${SAID}`;
  expect(await textOf(page)).toBe(read);
  expect(await textOf(page.replace('<p><img', `${'<p>long</p>'.repeat(100_000)}<p><img`))).toContain(read);
  const book = makeZip({
    mimetype: 'application/epub+zip',
    'META-INF/container.xml': '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>',
    'b.opf':
      '<package><manifest><item id="a" href="a.xhtml"/></manifest><spine><itemref idref="a"/></spine></package>',
    'a.xhtml': `<html><body><p>See ${img.replace('>', '/>')} here.</p></body></html>`,
  });
  expect(await textOf(book)).toBe(`See ${SAID} here.`);
});

test('formulas of web pages: as their author typed them, else in one line', async () => {
  const math = (content: string) =>
    textOf(`<html><body><p>So <math>${content}</math> holds.</p></body></html>`);
  expect(await math('<mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac>')).toBe(
    'So a/(b+1) holds.',
  );
  expect(await math('<msup><mi>x</mi><mn>2</mn></msup><mo>=</mo><msqrt><mi>y</mi></msqrt>')).toBe(
    'So x^2=√(y) holds.',
  );
  expect(
    await math(
      '<semantics><mi>x</mi><annotation encoding="application/x-tex">\\frac{a}{b}</annotation></semantics>',
    ),
  ).toBe('So \\frac{a}{b} holds.');
});

test('a Word file whose main part lies elsewhere', async () => {
  const part = (text: string) =>
    `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`;
  const bytes = makeZip({
    '[Content_Types].xml':
      '<Types><Override PartName="/word/document2.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    '_rels/.rels':
      '<Relationships><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="/word/document2.xml"/></Relationships>',
    'word/document2.xml': part('The lamp burns.'),
  });
  expect(await textOf(bytes)).toBe('The lamp burns.');
});
