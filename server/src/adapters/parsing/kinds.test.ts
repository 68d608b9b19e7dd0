import { expect, test } from 'vitest';
import { makeZip } from '../../../test/support/documents.ts';
import { parseDocument } from './parse.ts';

const read = (bytes: Uint8Array | string, filename: string | null = null) =>
  parseDocument(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, { filename, declaredType: null });
const fault = (name: string) => expect.objectContaining({ name: 'ParseError', fault: name });
const mail = (subject: string, body: string, more = '') =>
  `From: a@example.org\nSubject: ${subject}\nDate: Tue, 5 May 2026 10:00:00 +0000\n${more}\n${body}\n`;

test('a mailbox is single mails', async () => {
  const box = `From a@example.org Tue May  5 10:00:00 2026\n${mail('One', 'First body.\n>From here on.')}\nFrom b@example.org Tue May  5 11:00:00 2026\n${mail('Two', 'Second body.')}`;
  const document = await read(box, 'box.mbox');
  expect(document.contentType).toBe('application/mbox');
  expect(document.title).toBeNull();
  expect(document.blocks.filter((b) => b.kind === 'heading').map((b) => b.text)).toEqual(['One', 'Two']);
  expect(document.blocks.map((b) => b.text)).toContain('First body.\nFrom here on.');
  expect((await read(box)).contentType).toBe('application/mbox');
});

test('ciphertext is refused', async () => {
  const armoured = '-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----\n';
  await expect(read(armoured, 'a.txt')).rejects.toEqual(fault('encrypted'));
  await expect(read(mail('x', armoured), 'a.eml')).rejects.toEqual(fault('encrypted'));
  for (const type of [
    'application/pkcs7-mime; smime-type=enveloped-data; name=smime.p7m',
    'multipart/encrypted; protocol="application/pgp-encrypted"; boundary=b',
  ]) {
    const sealed = mail('x', 'MIIB', `MIME-Version: 1.0\nContent-Type: ${type}\n`);
    await expect(read(sealed, 'a.eml')).rejects.toEqual(fault('encrypted'));
  }
});

test('a book: chapters in the order of its spine', async () => {
  const page = (text: string) =>
    `<html><head><title>x</title></head><body><h1>${text}</h1><p>Text of ${text}.</p></body></html>`;
  const document = await read(
    makeZip({
      mimetype: 'application/epub+zip',
      'META-INF/container.xml':
        '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
      'OPS/book.opf':
        '<package><metadata><dc:title>The Keeper</dc:title><dc:creator>Ada Long</dc:creator><dc:creator>Ben Short</dc:creator><dc:description>&lt;p&gt;A lamp and its keeper.&lt;/p&gt;</dc:description></metadata><manifest><item id="b" href="b%20two.xhtml"/><item id="a" href="a.xhtml"/><item id="n" href="nav.xhtml" properties="nav"/></manifest><spine><itemref idref="a"/><itemref idref="n"/><itemref idref="b"/></spine></package>',
      'OPS/a.xhtml': page('Alpha'),
      'OPS/b two.xhtml': page('Beta'),
      'OPS/nav.xhtml': page('Contents'),
    }),
    'book.epub',
  );
  expect(document).toMatchObject({ contentType: 'application/epub+zip', title: 'The Keeper' });
  expect(document.blocks.map((b) => b.text)).toEqual([
    'Ada Long, Ben Short',
    'A lamp and its keeper.',
    'Alpha',
    'Text of Alpha.',
    'Beta',
    'Text of Beta.',
  ]);
});
