import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import { makeXlsx } from '../../../test/support/documents.ts';
import { makeMsg, makeOdf, oldOffice } from '../../../test/support/office-files.ts';
import { startServer, type TestServer } from '../../../test/support/server.ts';

/** Kinds of office files over HTTP: read in the limited child, found, answered from. */

let server: TestServer;
let client: Client;
let folder = '';
let tika: Server;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'office-kinds-'));
  const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
  const row = (...cells: string[]) => `<row>${cells.map(cell).join('')}</row>`;
  const rows = row('Item', 'Boxes') + row('Lamp oil', '41');
  writeFileSync(path.join(folder, 'made.xlsx'), makeXlsx([{ name: 'Stock', rows }]));
  const program = path.join(folder, 'soffice');
  writeFileSync(
    program,
    `#!${process.execPath}\nconst a = process.argv; require('node:fs').copyFileSync(${JSON.stringify(path.join(folder, 'made.xlsx'))}, a[a.indexOf('--outdir') + 1] + '/in.xlsx');`,
  );
  chmodSync(program, 0o755);
  tika = createServer((request, response) => {
    request.resume();
    request.on('end', () => {
      const known = request.headers['content-type'] === 'text/markdown' && request.url === '/tika';
      response.writeHead(known ? 200 : 422, { 'content-type': 'text/html' });
      response.end(known ? '<html><body><p>Read by another program.</p></body></html>' : '');
    });
  });
  await new Promise<void>((resolve) => tika.listen(0, '127.0.0.1', resolve));
  const { port } = tika.address() as AddressInfo;
  server = await startServer({
    env: {
      SOFFICE_PATH: program,
      PARSER_URL: `http://127.0.0.1:${port}`,
      PARSER_KIND: 'tika',
      PARSER_TYPES: 'markdown,odp',
    },
  });
  client = await server.signIn();
});
afterAll(async () => {
  await server.close();
  tika.close();
  rmSync(folder, { recursive: true, force: true });
});

const upload = async (name: string, bytes: Uint8Array): Promise<Record<string, unknown>> => {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)]), name);
  const answer = await fetch(`${server.url}/api/v1/knowledge/documents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${client.token ?? ''}` },
    body: form,
  });
  expect(answer.status).toBe(201);
  return (await answer.json()) as Record<string, unknown>;
};

describe('office files of other makers', () => {
  it(req('KNOW-21', 'OpenDocument, rich text and Outlook are read and found by their type'), async () => {
    const p = (text: string) => `<text:p>${text}</text:p>`;
    const files: [string, Uint8Array, string][] = [
      ['keeper.odt', makeOdf('text', p('The keeper counts zephyrstones at dawn.')), 'odt'],
      ['keeper.rtf', Buffer.from('{\\rtf1\\ansi The keeper counts quagmarbles at dawn.}'), 'rtf'],
      [
        'keeper.msg',
        makeMsg({ subject: 'Tally', body: 'The keeper counts brinepearls.', from: 'a@x.org', to: 'b@x.org' }),
        'msg',
      ],
    ];
    for (const [name, bytes, type] of files) {
      const document = await upload(name, bytes);
      const word = { odt: 'zephyrstones', rtf: 'quagmarbles', msg: 'brinepearls' }[type];
      const found = await client.post('/api/v1/knowledge/search', {
        query: word,
        filters: { content_types: [type] },
      });
      expect(found.json<{ results: { document_id: string }[] }>().results.map((r) => r.document_id)).toEqual([
        document.id,
      ]);
    }
  });

  it(req('KNOW-22', 'doc, xls and ppt are read by LibreOffice where it is set'), async () => {
    const document = await upload('stock.xls', oldOffice('Workbook'));
    expect(document).toMatchObject({ content_type: 'application/vnd.ms-excel', title: 'stock' });
    const text = await client.get(`/api/v1/knowledge/documents/${String(document.id)}/content?format=text`);
    expect(text.text).toContain('Lamp oil | 41');
  });

  it(req('KNOW-23', 'a document says what of it was left out on purpose'), async () => {
    const picture = '<draw:frame><draw:image xlink:href="Pictures/a.png"/></draw:frame>';
    const { id, left_out } = await upload(
      'picture.odt',
      makeOdf('text', `<text:p>The lighthouse at dusk.${picture}${picture}</text:p>`),
    );
    expect(left_out).toEqual([{ what: 'pictures', count: 2 }]);
    const path = `/api/v1/knowledge/documents/${String(id)}`;
    expect((await client.get(path)).json()).toMatchObject({ left_out });
    await client.patch(path, { title: 'Lighthouse' });
    expect((await client.get(path)).json()).toMatchObject({ title: 'Lighthouse', left_out });
  });

  it(
    req('KNOW-24', 'each passage of a long table begins with its head, and a row is cited by itself'),
    async () => {
      const rows = Array.from({ length: 120 }, (_, i) => `Berth ${i + 1},${i * 3 + 2} boats,${i + 40} m`);
      const { id } = await upload('berths.csv', Buffer.from(`Berth,2025,Length\n${rows.join('\n')}`));
      const { items } = (
        await client.get(`/api/v1/knowledge/documents/${String(id)}/chunks?limit=100`)
      ).json<{ items: { content: string }[] }>();
      expect(items.length).toBeGreaterThan(2);
      for (const { content } of items) expect(content.split('\n')[0]).toBe('Berth | 2025 | Length');
      const answer = (
        await client.post('/api/v1/chat', {
          message: 'What is the length of berth 97 in berths.csv?',
          context: { agent_id: 'athena' },
        })
      ).json<{ content: string; citations: { quote: string }[] }>();
      expect(answer.content).toContain('136 m');
      expect(answer.citations[0]?.quote).toBe('Berth 97 | 290 boats | 136 m');
    },
  );

  it(req('KNOW-26', 'types that PARSER_TYPES names are read elsewhere, else here'), async () => {
    const textOf = async (id: unknown) =>
      (await client.get(`/api/v1/knowledge/documents/${String(id)}/content?format=text`)).text;
    const there = await upload('note.md', Buffer.from('# Note\n\nRead here.'));
    expect(there).toMatchObject({ content_type: 'text/markdown' });
    expect(await textOf(there.id)).toBe('Read by another program.');
    const slide =
      '<draw:page><draw:frame><draw:text-box><text:p>Read here.</text:p></draw:text-box></draw:frame></draw:page>';
    expect(await textOf((await upload('note.odp', makeOdf('presentation', slide))).id)).toBe('Read here.');
  });
});
