import { expect, test } from 'vitest';
import { makePptx, makeXlsx } from '../../../test/support/documents.ts';
import { realTitle } from './office-parts.ts';
import { parseDocument } from './parse.ts';

const core = (title: string) => ({
  'docProps/core.xml': `<cp:coreProperties><dc:title>${title}</dc:title></cp:coreProperties>`,
});
const titleOf = async (bytes: Uint8Array, filename: string) =>
  (await parseDocument(bytes, { filename, declaredType: null })).title;

test.each([
  '(anonymous)',
  'untitled',
  'PowerPoint Presentation',
  'PowerPoint-Präsentation',
  'Présentation PowerPoint',
  'Sheet1',
  'Tabelle2',
  'Slide 1',
  'Microsoft Word - Document1',
  'Document3',
  ' ',
])('%s is no title', (title) => {
  expect(realTitle(title)).toBeNull();
});

test('what people call a document is one', () => {
  for (const title of ['Sheet metal', 'Title IX', 'Slide rules', 'Handbook', '2026'])
    expect(realTitle(title)).toBe(title);
});

test('the first heading where the properties say nothing; the name of a workbook', async () => {
  const slides = [{ shapes: [['title', 'Harbour plan']] as [string, string][] }];
  expect(await titleOf(makePptx(slides, core('PowerPoint Presentation')), 'a.pptx')).toBe('Harbour plan');
  expect(await titleOf(makePptx(slides, core('Plan &amp; costs')), 'a.pptx')).toBe('Plan & costs');
  const rows = '<row r="1"><c r="A1"><v>1</v></c></row>';
  expect(await titleOf(makeXlsx([{ name: 'Sheet1', rows }]), 'stock.xlsx')).toBeNull();
  const page = (title: string) =>
    Buffer.from(`<html><head><title>${title}</title></head><body><h1>Tides</h1><p>x</p></body></html>`);
  expect(await titleOf(page('Untitled'), 'a.html')).toBe('Tides');
});
