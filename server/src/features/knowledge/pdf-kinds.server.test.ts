import { describe, expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import { asianFont, at, drawPdf } from '../../../test/support/pdf.ts';

import { linesFrom, makePicture, makeScan } from '../../../test/support/scan.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withServer } from '../../../test/support/suite.ts';

/** Kinds of PDF that lose text or columns elsewhere, over HTTP: read in the limited child, searched, answered from. */

let server: TestServer;
let client: Client;
const it = withServer();
it.beforeAll(({ world }) => {
  ({ server, admin: client } = world);
});

const upload = async (name: string, bytes: Uint8Array): Promise<Record<string, unknown>> => {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)]), name);
  const answer = await fetch(`${server.url}/api/v1/knowledge/documents`, {
    method: 'POST',
    // However busy the machine is.
    headers: { authorization: `Bearer ${client.token ?? ''}`, prefer: 'wait=300' },
    body: form,
  });
  expect(answer.status).toBe(201);
  return (await answer.json()) as Record<string, unknown>;
};
const ask = async (message: string): Promise<string> =>
  (await client.post('/api/v1/chat', { message, context: { agent_id: 'athena' } })).json<{
    content: string;
  }>().content;
const textOf = async (id: unknown): Promise<string> =>
  (await client.get(`/api/v1/knowledge/documents/${String(id)}/content?format=text`)).text;

describe('a PDF', () => {
  it('whose fonts are not in it is read with what the server ships', async () => {
    const bytes = drawPdf({
      pages: ['BT /A 12 Tf 72 700 Td <82a082a282a482a682a8> Tj ET'],
      fonts: { A: asianFont('90ms-RKSJ-H', 'Japan1') },
    });
    expect(await textOf((await upload('kana.pdf', bytes)).id)).toBe('あいうえお');
  });

  it('with empty cells is answered from the right column', async () => {
    const xs = [50, 200, 320, 440];
    const rows = [
      ['Item', 'Ordered', 'Delivered', 'Remark'],
      ['Bolts', '450', '', 'late'],
      ['Nuts', '', '156', 'urgent'],
      ['Washers', '780', '778', 'fine'],
    ];
    const content = rows
      .map((row, n) => row.map((cell, i) => (cell ? at(xs[i] ?? 0, 760 - n * 22, cell, 11) : '')).join(''))
      .join('');
    const { id } = await upload('deliveries.pdf', drawPdf({ pages: [content] }));
    expect(await textOf(id)).toContain('Nuts |  | 156 | urgent');
    const answer = await ask('How many nuts were delivered?');
    expect(answer).toContain('156');
    expect(answer).not.toContain('Ordered: 156');
  });

  it('that is a filled form is answered from its values', async () => {
    const bytes = drawPdf({
      form: true,
      pages: [
        {
          content: `${at(50, 800, 'Leave application form')}${at(50, 760, 'Name of the applicant:')}${at(50, 720, 'Number of days asked for:')}`,
          annotations: [
            '<</Type/Annot/Subtype/Widget/FT/Tx/T(name)/V(Marisol Quintero)/Rect[220 752 400 772]/F 4/P @/DA(/F1 10 Tf 0 g)>>',
            '<</Type/Annot/Subtype/Widget/FT/Tx/T(days)/V(17 working days)/Rect[220 712 400 732]/F 4/P @/DA(/F1 10 Tf 0 g)>>',
          ],
        },
      ],
    });
    await upload('leave.pdf', bytes);
    expect(await ask('How many days did Marisol Quintero ask for?')).toContain('17');
  });

  it(req('KNOW-20', 'with scanned pages says which of them have no text'), async () => {
    const picture = '200 0 0 200 72 400 cm 0 0 1 1 re f';
    const mixed = await upload(
      'mixed.pdf',
      drawPdf({ pages: [at(72, 700, 'The tide gauge stands at the mole.'), picture, picture] }),
    );
    expect(mixed).toMatchObject({ page_count: 3, unread_pages: [2, 3] });
    expect(await textOf(mixed.id)).toContain('(Pages 2–3 of this document have no text that can be read');
    const listed = (await client.get(`/api/v1/knowledge/documents/${String(mixed.id)}`)).json<{
      unread_pages: number[];
    }>();
    expect(listed.unread_pages).toEqual([2, 3]);
    expect(await ask('Which pages of mixed.pdf have no text that can be read?')).toContain('2–3');
  });

  it(req('KNOW-25', 'that is a scan is recognised, found and answered from'), async () => {
    const document = await upload(
      'logbook.pdf',
      makeScan([
        {
          lines: linesFrom(120, [
            'Logbook of the northern light',
            'On Tuesday 418 crates of herring were landed at the mole.',
          ]),
        },
        { lines: [] },
      ]),
    );
    expect(document).toMatchObject({ page_count: 2, unread_pages: [2] });
    expect(await textOf(document.id)).toContain('418 crates');
    expect(await ask('How many crates of herring were landed on Tuesday?')).toContain('418');
    // Another title reads the file again, and recognises nothing again.
    const path = `/api/v1/knowledge/documents/${String(document.id)}`;
    expect((await client.patch(path, { title: 'Log' })).status).toBe(200);
    expect(await textOf(document.id)).toContain('418 crates');
    expect((await client.delete(path)).status).toBe(204);
  });

  it(req('KNOW-38', 'the text of a picture is read where text recognition is on'), async () => {
    const lines = linesFrom(120, ['Photo of the notice board', 'Berth 7 is closed until the 19th of May.']);
    const document = await upload('IMG_2041.jpg', makePicture('jpeg', { lines }));
    expect(document).toMatchObject({ content_type: 'image/jpeg', page_count: 1, unread_pages: [] });
    expect(await textOf(document.id)).toContain('Berth 7 is closed');
    expect(await ask('Until when is berth 7 closed?')).toContain('19th of May');
  });
});
