import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { makeDocx, makePdf } from '../../../test/support/documents.ts';
import { createGuardedFetch } from '../guarded-fetch/index.ts';
import { createDocumentParser } from './parser.ts';
import { createRemoteParser, type RemoteAnswer } from './remote-parser.ts';
import type { TypeName } from './types.ts';

/** Stand-ins that speak the wires of Docling Serve (v1) and Apache Tika Server (3.x), as their documents show them. */

interface Asked {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}
type Said = { status: number; type?: string; body?: string } | 'hang';
type Answer = Said | ((path: string) => Said);

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = null;
});

async function standIn(answer: Answer): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request;
      asked.push({ method, path, headers, body: Buffer.concat(parts).toString('latin1') });
      const said = typeof answer === 'function' ? answer(path) : answer;
      if (said === 'hang') return;
      response.writeHead(said.status, { 'content-type': said.type ?? 'application/json' });
      response.end(said.body ?? '');
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function read(
  kind: RemoteAnswer['format'],
  answer: Answer,
  bytes: Uint8Array,
  more: { types?: TypeName[]; timeoutMs?: number; maxBodyBytes?: number } = {},
) {
  const { url, asked } = await standIn(answer);
  const warned: string[] = [];
  const parser = createDocumentParser({
    processes: 1,
    remote: createRemoteParser({
      kind,
      url,
      apiKey: 'k-1',
      types: new Set(more.types ?? ['pdf']),
      http: createGuardedFetch({ allowPrivate: true, maxBodyBytes: more.maxBodyBytes ?? 1_000_000 }),
      timeoutMs: more.timeoutMs ?? 60_000,
    }),
    warn: (fault) => warned.push(String(fault)),
  });
  try {
    const document = await parser.parse(bytes, {
      filename: 'secret name.pdf',
      declaredType: null,
      tenantId: 't',
    });
    return { document, asked, warned };
  } finally {
    await parser.close();
  }
}

const pdf = makePdf([['Read here.']]);
const ref = ($ref: string) => ({ $ref });
const cell = (text: string, head = false) => ({ text, column_header: head, row_span: 1, col_span: 1 });
const docling = {
  schema_name: 'DoclingDocument',
  body: {
    self_ref: '#/body',
    children: [
      '#/texts/0',
      '#/texts/1',
      '#/groups/0',
      '#/tables/0',
      '#/pictures/0',
      '#/texts/5',
      '#/texts/0',
    ].map(ref),
  },
  groups: [{ label: 'list', children: ['#/texts/2', '#/texts/3'].map(ref) }],
  texts: [
    { label: 'title', text: 'Harbour rules', prov: [{ page_no: 1 }] },
    { label: 'section_header', level: 1, text: 'Lamps', prov: [{ page_no: 1 }] },
    { label: 'list_item', text: 'Light them.', enumerated: true, marker: '1.', prov: [{ page_no: 1 }] },
    { label: 'list_item', text: 'Trim them.', enumerated: false, marker: '-', prov: [{ page_no: 1 }] },
    { label: 'caption', text: 'Deliveries', prov: [{ page_no: 2 }] },
    { label: 'page_footer', content_layer: 'furniture', text: 'Page 2', prov: [{ page_no: 2 }] },
  ],
  tables: [
    {
      label: 'table',
      prov: [{ page_no: 2 }],
      captions: [ref('#/texts/4')],
      data: {
        grid: [
          [cell('Item', true), cell('Ordered', true), cell('Delivered', true)],
          [cell('Nuts'), cell(''), cell('156')],
        ],
      },
    },
  ],
  pictures: [{ label: 'picture', prov: [{ page_no: 2 }], captions: [], children: [] }],
  pages: { 1: { page_no: 1 }, 2: { page_no: 2 } },
};
const served = (json: unknown, status = 'success') => ({
  status: 200,
  body: JSON.stringify({
    document: { filename: 'document.pdf', json_content: json },
    status,
    errors: [],
    processing_time: 1,
  }),
});

describe('Docling Serve', () => {
  test('is asked for JSON without the real name, and its tree is read with its pages', async () => {
    const { document, asked, warned } = await read('docling', served(docling), pdf);
    expect(warned).toEqual([]);
    expect(asked[0]).toMatchObject({ method: 'POST', path: '/v1/convert/file' });
    expect(asked[0]?.headers['x-api-key']).toBe('k-1');
    expect(asked[0]?.headers['content-type']).toMatch(/^multipart\/form-data/);
    expect(asked[0]?.body).toMatch(/name="files"; filename="document\.pdf"[\s\S]*%PDF-1\.7/);
    expect(asked[0]?.body).toMatch(/name="to_formats"\r\n\r\njson/);
    expect(asked[0]?.body).not.toContain('secret name');
    expect(document).toMatchObject({
      contentType: 'application/pdf',
      title: 'Harbour rules',
      pageCount: 2,
      leftOut: [
        { what: 'pictures', count: 1 },
        { what: 'page_furniture', count: 1 },
      ],
    });
    expect(document.blocks).toEqual([
      { kind: 'heading', text: 'Harbour rules', page: 1, level: 1 },
      { kind: 'heading', text: 'Lamps', page: 1, level: 2 },
      { kind: 'list', text: '1. Light them.\n- Trim them.', page: 1 },
      { kind: 'text', text: 'Deliveries', page: 2 },
      { kind: 'table', text: 'Item | Ordered | Delivered\nNuts |  | 156', page: 2 },
    ]);
  });
});

test('as Docling 2.143 writes it: paragraphs of a cell stand once, a table within one is kept, sheets have names', async () => {
  const paragraph = (text: string) => ({ label: 'text', text, children: [], prov: [] });
  const sheet = {
    body: { self_ref: '#/body', children: [ref('#/groups/0')] },
    groups: [
      { label: 'sheet', name: 'Deliveries', children: [ref('#/tables/0')] },
      { label: 'unspecified', name: 'rich_cell_group_1_0_1', children: ['#/texts/0', '#/texts/1'].map(ref) },
    ],
    texts: [paragraph('Trim the lamp'), paragraph('Polish brass')],
    tables: [
      {
        label: 'table',
        children: [ref('#/groups/1'), ref('#/tables/1')],
        data: {
          grid: [
            [cell('Role'), cell('Duties')],
            [cell('Keeper'), cell('Trim the lamp\nPolish brass')],
          ],
        },
      },
      { label: 'table', children: [], data: { grid: [[cell('Oil'), cell('3 kg')]] } },
    ],
  };
  const { document } = await read('docling', served(sheet), pdf);
  expect(document.blocks.map(({ kind, text }) => [kind, text])).toEqual([
    ['heading', 'Deliveries'],
    ['table', 'Role | Duties\nKeeper | Trim the lamp Polish brass'],
    ['table', 'Oil | 3 kg'],
  ]);
});

describe('Apache Tika Server', () => {
  test('as its parsers 3.3.1 write it: no title is none, empty elements hold nothing, slides are pages', async () => {
    const slide = (text: string) =>
      `<div class="slide-content">\n<p>${text}</p>\n</div>\n<div class="slide-master-content"/>\n`;
    const many = Array.from({ length: 250 }, (_, n) => slide(`Slide of day ${n + 1}.`)).join('');
    const body = `<html xmlns="http://www.w3.org/1999/xhtml">\n<head>\n<meta name="dc:format" content="x"/>\n<title>&#0;</title>\n</head>\n<body>${many}<div class="embedded" id="/docProps/thumbnail.jpeg"/>\n<div class="ocr">Slide of day 1.\n</div>\n</body></html>`;
    const { document, warned } = await read('tika', { status: 200, type: 'text/html', body }, pdf);
    expect(warned).toEqual([]);
    expect(document).toMatchObject({ title: null, pageCount: 250 });
    expect(document.blocks).toHaveLength(250);
    expect(document.blocks.at(-1)).toMatchObject({ text: 'Slide of day 250.', page: 250 });
    const empty =
      '<html><head><title>&#0;</title></head><body><div class="page"><p/>\n<p>Bolts 450\n</p></div></body></html>';
    const page = await read('tika', { status: 200, type: 'text/html', body: empty }, pdf);
    expect(page.document.blocks.map((b) => b.text)).toEqual(['Bolts 450']);
  });

  test('XHTML is asked for at its own address where Accept is not followed, as from release 4 on', async () => {
    const xhtml =
      '<html><head><title>T</title></head><body><div class="page"><p>There.</p></div></body></html>';
    const { document, asked } = await read(
      'tika',
      (path) => (path === '/tika/html' ? { status: 200, type: 'text/html', body: xhtml } : { status: 406 }),
      pdf,
    );
    expect(asked.map(({ path }) => path)).toEqual(['/tika', '/tika/html']);
    expect(document.blocks.map((b) => b.text)).toEqual(['There.']);
  });

  test('is asked for XHTML, and its pages are read as pages', async () => {
    const html =
      '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Harbour rules</title></head><body><div class="page"><p>First page.</p></div><div class="page"><p>Second page.</p></div></body></html>';
    const { document, asked } = await read('tika', { status: 200, type: 'text/html', body: html }, pdf);
    expect(asked[0]).toMatchObject({ method: 'PUT', path: '/tika' });
    expect(asked[0]?.headers).toMatchObject({ accept: 'text/html', 'content-type': 'application/pdf' });
    expect(document).toMatchObject({ title: 'Harbour rules', pageCount: 2 });
    expect(document.blocks.map(({ text, page }) => [text, page])).toEqual([
      ['First page.', 1],
      ['Second page.', 2],
    ]);
  });
});

describe('where it does not read a file, it is read here', () => {
  test.each<[string, RemoteAnswer['format'], Answer, { timeoutMs?: number; maxBodyBytes?: number }]>([
    ['a failure', 'docling', served(null, 'failure'), {}],
    ['an error', 'docling', { status: 500 }, {}],
    ['a redirect', 'docling', { status: 302 }, {}],
    ['no JSON', 'docling', { status: 200, body: '<html>' }, {}],
    ['a tree without text', 'docling', served({ body: { children: [ref('#/texts/9')] } }), {}],
    ['nothing', 'tika', { status: 204 }, {}],
    ['a refusal', 'tika', { status: 422 }, {}],
    ['no answer in time', 'tika', 'hang', { timeoutMs: 200 }],
    [
      'more than is allowed',
      'tika',
      { status: 200, type: 'text/html', body: 'x'.repeat(5_000) },
      { maxBodyBytes: 500 },
    ],
  ])('%s', async (_, kind, answer, more) => {
    const { document, warned } = await read(kind, answer, pdf, more);
    expect(document.blocks.map((b) => b.text)).toEqual(['Read here.']);
    expect(warned).toHaveLength(1);
  });

  test('types that are not named are not sent', async () => {
    const docx = makeDocx('<w:p><w:r><w:t>Word.</w:t></w:r></w:p>');
    const here = await read('tika', { status: 200, body: '<p>there</p>' }, docx);
    expect(here.asked).toEqual([]);
    expect(here.document.blocks[0]?.text).toBe('Word.');
    const there = await read('tika', { status: 200, type: 'text/html', body: '<p>there</p>' }, docx, {
      types: ['docx'],
    });
    expect(there.document.blocks[0]?.text).toBe('there');
  });
});
