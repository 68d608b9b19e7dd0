import { describe, expect, test } from 'vitest';
import { parseDocument } from './parse.ts';

const parse = (bytes: Uint8Array, filename: string) => parseDocument(bytes, { filename, declaredType: null });
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const body = async (bytes: Uint8Array, filename = 'a.txt') =>
  (await parse(bytes, filename)).blocks.map((b) => b.text).join('\n');

/** Text in a one-byte encoding, by the platform's own table read backwards. */
const encode = (text: string, encoding: string): Uint8Array => {
  const table = new Map(
    Array.from({ length: 256 }, (_, byte) => [new TextDecoder(encoding).decode(Uint8Array.of(byte)), byte]),
  );
  return Uint8Array.from(text, (char) => table.get(char) ?? 0x3f);
};
/** The same for those of two bytes. */
const encodeWide = (text: string, encoding: string): Uint8Array => {
  const table = new Map<string, number[]>();
  for (let byte = 0xa1; byte < 0xe0; byte++) {
    const char = new TextDecoder(encoding).decode(Uint8Array.of(byte));
    if (char !== '\ufffd') table.set(char, [byte]);
  }
  for (let lead = 0x81; lead < 0xff; lead++) {
    for (let trail = 0x40; trail < 0xff; trail++) {
      const char = new TextDecoder(encoding).decode(Uint8Array.of(lead, trail));
      if ([...char].length === 1 && !table.has(char)) table.set(char, [lead, trail]);
    }
  }
  return Uint8Array.from(
    [...text].flatMap((c) => (c < '\u0080' ? [c.charCodeAt(0)] : (table.get(c) ?? [0x3f]))),
  );
};

describe('encodings of short texts', () => {
  test.each([
    ['shift_jis', '名前,年齢,住所\n佐藤太郎,30,東京\n三木英子,25,大阪'],
    ['shift_jis', '請求書の金額は税込です'],
    ['shift_jis', 'ｶﾌﾞｼｷｶﾞｲｼｬ 東京支店 御中'],
    ['euc-jp', '請求書の金額は税込です'],
    ['euc-jp', '佐藤太郎 東京'],
    ['gb18030', '合同金额为三万元'],
    ['big5', '合約金額為三萬元'],
    ['euc-kr', '계약 금액은 삼백만 원'],
  ])('%s: %s', async (encoding, text) => {
    expect(await body(encodeWide(text, encoding))).toBe(text);
  });

  test.each([
    ['macintosh', 'Die Prüfung für Müller ist am Freitag – “schön”'],
    ['macintosh', 'L’été à la résidence coûte 200 €'],
    ['macintosh', 'El año próximo será más fácil'],
    ['windows-1252', 'L’été à la résidence coûte 200 €'],
    ['windows-1252', 'Der Preis beträgt 5 € – “schön”'],
    ['windows-1252', 'Grüße aus Köln'],
    ['windows-1251', 'Договор истекает в конце года'],
    ['koi8-r', 'Договор истекает в конце года'],
    ['windows-874', 'สัญญาสิ้นสุดในเดือนพฤษภาคม'],
    ['windows-874', 'ราคา 500 บาท ต่อคืน'],
    ['windows-1250', 'Smlouva končí příští měsíc, žádná změna'],
    ['windows-1250', 'Umowa kończy się w przyszłym miesiącu, proszę'],
    ['windows-1253', 'Η σύμβαση λήγει τον Μάιο'],
    ['windows-1255', 'החוזה מסתיים בחודש מאי'],
    ['windows-1256', 'ينتهي العقد في شهر مايو'],
  ])('%s: %s', async (encoding, text) => {
    expect(await body(encode(text, encoding))).toBe(text);
  });

  test('ISO-2022-JP, which is all of seven bits', async () => {
    const bytes = hex('1b2442 456c 357e 1b2842 2c 3330 0a 1b2442 4267 3a65 1b2842 0a');
    expect(await body(bytes, 'a.txt')).toBe('東京,30\n大阪');
    expect((await parse(bytes, 'a.csv')).contentType).toBe('text/csv');
  });
});

describe('what a page or a message says of itself', () => {
  const russian = 'Договор истекает в конце этого года.';
  test('a charset late in the page', async () => {
    const page = (meta: string) =>
      `<!doctype html><html><head><style>${'.a { color: red }\n'.repeat(1_000)}</style>${meta}</head><body><p>Цена: 5</p></body></html>`;
    for (const meta of [
      '<meta charset="windows-1251">',
      '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
    ])
      expect(await body(encode(page(meta), 'windows-1251'), 'a.html')).toBe('Цена: 5');
    expect(
      await body(encode('<html><meta charset=macroman><p>Prüfung</p></html>', 'macintosh'), 'a.html'),
    ).toBe('Prüfung');
  });

  test('a message kept as UTF-16', async () => {
    const mail = `From: a@example.org\r\nSubject: Vertrag\r\nDate: Tue, 5 May 2026 10:00:00 +0000\r\n\r\n${russian}\r\n`;
    const le = Buffer.from(`\ufeff${mail}`, 'utf16le');
    for (const bytes of [le, Buffer.from(le).swap16(), Buffer.from(mail, 'utf16le')]) {
      const document = await parse(bytes, 'a.eml');
      expect(document).toMatchObject({ contentType: 'message/rfc822', title: 'Vertrag' });
      expect(document.blocks.map((b) => b.text).join('\n')).toContain(russian);
    }
  });

  test('a message whose body is UTF-16', async () => {
    for (const [charset, bytes] of [
      ['utf-16', Buffer.from(`\ufeff${russian}`, 'utf16le')],
      ['utf-16', Buffer.from(`\ufeff${russian}`, 'utf16le').swap16()],
      ['utf-16be', Buffer.from(russian, 'utf16le').swap16()],
      ['utf-16le', Buffer.from(russian, 'utf16le')],
    ] as const) {
      const mail = `From: a@example.org\r\nSubject: x\r\nDate: Tue, 5 May 2026 10:00:00 +0000\r\nContent-Type: text/plain; charset=${charset}\r\nContent-Transfer-Encoding: base64\r\n\r\n${bytes.toString('base64')}\r\n`;
      expect(await body(Buffer.from(mail), 'a.eml')).toContain(russian);
    }
  });

  test('a message of raw bytes in a charset it names, or in none that it names', async () => {
    const mail = (type: string) =>
      encode(
        `From: a@example.org\r\nSubject: x\r\nDate: Tue, 5 May 2026 10:00:00 +0000\r\n${type}\r\n${russian}\r\n`,
        'windows-1251',
      );
    expect(await body(mail('Content-Type: text/plain; charset=windows-1251\r\n'), 'a.eml')).toContain(
      russian,
    );
    expect(await body(mail(''), 'a.eml')).toContain(russian);
  });
});
