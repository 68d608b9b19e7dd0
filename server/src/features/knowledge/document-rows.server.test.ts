import { describe, expect } from 'vitest';
import type { Client } from '../../../test/support/client.ts';
import { makeDocx, makePdf, makePptx, makeXlsx } from '../../../test/support/documents.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withServer } from '../../../test/support/suite.ts';

/** Files of all kinds over HTTP: the right text on the right page, or a reason, and nobody else's words for it. */

let server: TestServer;
let client: Client;
let other: Client;
const it = withServer();
it.beforeAll(async ({ world }) => {
  ({ server, admin: client } = world);
  const account = { email: 'other@example.test', name: 'Other', password: 'a long enough passphrase' };
  expect((await client.post('/v2/users', account)).status).toBe(201);
  other = await server.signIn(account.email, account.password);
});

const upload = async (name: string, bytes: Uint8Array, as = client, fields: Record<string, string> = {}) => {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)]), name);
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  const answer = await fetch(`${server.url}/api/v1/knowledge/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as.token ?? ''}` },
    body: form,
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

interface Result {
  document_id: string;
  content: string;
  page: number | null;
}
const find = async (query: string, id: unknown): Promise<Result[]> =>
  (await client.post('/api/v1/knowledge/search', { query, filters: { document_ids: [id] } })).json<{
    results: Result[];
  }>().results;
const textOf = async (id: unknown): Promise<string> =>
  (await client.get(`/api/v1/knowledge/documents/${String(id)}/content?format=text`)).text;

const run = (text: string): string => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const cell = (text: string): string => `<w:tc><w:p>${run(text)}</w:p></w:tc>`;

/** 「灯台の光は十五秒ごとに二回閃きます。」 in Shift_JIS. */
const SHIFT_JIS = Buffer.from(
  '939491e482cc8cf582cd8f5c8cdc9562 82b282c682c993f189f1914d82ab82dc82b78142'.replaceAll(' ', ''),
  'hex',
);

describe('a file comes in with the right text', () => {
  it.each([
    [
      'UTF-16LE with its mark',
      'a.txt',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Grüße aus dem Leuchtturm von Köln', 'utf16le')]),
      'Grüße aus dem Leuchtturm von Köln',
    ],
    [
      'windows-1252',
      'b.txt',
      Buffer.from('Der Prei\xdf f\xfcr das Caf\xe9 betr\xe4gt 5 \x80 \x96 \x93sch\xf6n\x94', 'latin1'),
      'Der Preiß für das Café beträgt 5 € – “schön”',
    ],
    ['Shift_JIS', 'c.txt', SHIFT_JIS, new TextDecoder('shift_jis').decode(SHIFT_JIS)],
    [
      'a docx with a table',
      'd.bin',
      makeDocx(
        `<w:p>${run('Rooms of the tower')}</w:p><w:tbl><w:tr>${cell('Room')}${cell('Size')}</w:tr><w:tr>${cell('Galley')}${cell('12 m²')}</w:tr></w:tbl>`,
      ),
      'Galley | 12 m²',
    ],
    [
      'an xlsx with dates and two sheets',
      'e.xlsx',
      makeXlsx(
        [
          {
            name: 'Visits',
            rows: `<row r="1"><c r="A1" t="inlineStr"><is><t>Day</t></is></c></row><row r="2"><c r="A2" s="1"><v>45351</v></c></row>`,
          },
          { name: 'Stores', rows: '<row r="1"><c r="A1" t="inlineStr"><is><t>Lamp oil</t></is></c></row>' },
        ],
        [],
      ),
      '2024-02-29',
    ],
    [
      'a pptx with notes',
      'f.pptx',
      makePptx([{ shapes: [['title', 'Storm plan']], notes: 'Name the cook first' }]),
      'Name the cook first',
    ],
    [
      'an eml with an attachment',
      'g.eml',
      Buffer.from(
        [
          'From: Anna <anna@example.test>',
          'To: Bob <bob@example.test>',
          'Subject: Bill',
          'Date: Mon, 4 Mar 2024 10:00:00 +0000',
          'MIME-Version: 1.0',
          'Content-Type: multipart/mixed; boundary=b',
          '',
          '--b',
          'Content-Type: text/plain',
          '',
          'See the file.',
          '--b',
          'Content-Type: application/pdf; name=bill.pdf',
          'Content-Disposition: attachment; filename=bill.pdf',
          'Content-Transfer-Encoding: base64',
          '',
          Buffer.from(makePdf([['The invoice is due in May.']])).toString('base64'),
          '--b--',
          '',
        ].join('\r\n'),
      ),
      'The invoice is due in May.',
    ],
  ])('%s', async (_, name, bytes, wanted) => {
    const { status, body } = await upload(name, bytes);
    expect([status, body.error]).toEqual([201, null]);
    expect(await textOf(body.id)).toContain(wanted);
  });

  it('a PDF of 400 pages, each passage with its page', async () => {
    const pages = Array.from({ length: 400 }, (_, i) => [
      `Entry of day ${i + 1}: the watch of berth${i + 1}x was kept.`,
    ]);
    const { status, body } = await upload('log.pdf', makePdf(pages));
    expect([status, body.page_count]).toEqual([201, 400]);
    for (const page of [1, 199, 400]) {
      const [best] = await find(`berth${page}x`, body.id);
      expect([best?.page, best?.content.includes(`berth${page}x`)]).toEqual([page, true]);
    }
  });

  it('a wrong ending changes nothing', async () => {
    const { body } = await upload('picture.png', makePdf([['A lamp in the wrong coat.']]));
    expect(body.content_type).toBe('application/pdf');
    expect(await textOf(body.id)).toContain('A lamp in the wrong coat.');
  });
});

describe('a file that cannot be read', () => {
  const BAD: [string, Uint8Array, string][] = [
    ['cut.pdf', makePdf([['text']]).subarray(0, 300), 'broken'],
    ['zero.txt', new Uint8Array(), 'empty'],
    ['scan.pdf', makePdf([[]]), 'no_text'],
  ];

  it.each(BAD)('%s is refused with a reason', async (name, bytes, reason) => {
    const { status, body } = await upload(name, bytes);
    expect([status, body.error]).toMatchObject([422, { code: 'VALIDATION_ERROR', details: { reason } }]);
  });

  it('is told to who asks about it, with nothing of anybody else’s file', async () => {
    const shared = await upload(
      'scan of the harbour.txt',
      Buffer.from('The scan says that the crane lifts 12 tons.'),
      other,
      {
        visibility: 'tenant',
      },
    );
    expect(shared.status).toBe(201);
    const ask = async (message: string) =>
      (await client.post('/api/v1/chat', { message, context: { agent_id: 'athena' } })).json<{
        content: string;
        citations: unknown[];
      }>();
    const answer = await ask('What does scan.pdf say of the crane?');
    expect(answer.content).toContain('There is no document “scan.pdf” that you can read');
    expect(answer.content).not.toContain('12 tons');
    expect(answer.citations).toEqual([]);
    // A file that is there is answered from, by its name.
    const named = await ask('What does "scan of the harbour.txt" say that the crane lifts?');
    expect(named.content).toContain('12 tons');
  });
});
