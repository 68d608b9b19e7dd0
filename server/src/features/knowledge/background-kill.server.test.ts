import { expect } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { Client } from '../../../test/support/client.ts';
import { makeDocx } from '../../../test/support/documents.ts';
import type { TestServer } from '../../../test/support/server.ts';
import { withServer } from '../../../test/support/suite.ts';

/** Long files on a real process, which is killed in the middle. */

const DOCUMENTS = '/api/v1/knowledge/documents';
let server: TestServer;
let admin: Client;
const it = withServer();
it.beforeAll(({ world }) => {
  ({ server, admin } = world);
});

interface Shown {
  id: string;
  status: string;
  chunk_count: number;
  progress: { chunks_done: number; chunks: number | null } | null;
}

const shown = async (id: string): Promise<Shown> => (await admin.get(`${DOCUMENTS}/${id}`)).json<Shown>();

it(req('KNOW-33', 'what was answered 202 outlives a kill -9, and is searched once'), async () => {
  // Several times what is embedded at once (four calls of 32 passages), so that some are done long before all are.
  const lines = Array.from(
    { length: 8_000 },
    (_, n) => `Gauge ${n} stood at ${n * 7} cm at the northern pier.`,
  );
  const answer = await admin.post(
    DOCUMENTS,
    { title: 'Gauges', content: lines.join('\n\n') },
    { headers: { prefer: 'respond-async' } },
  );
  expect(answer.status).toBe(202);
  const { id } = answer.json<Shown>();
  await expect
    .poll(async () => (await shown(id)).progress?.chunks_done ?? 0, { timeout: 120_000 })
    .toBeGreaterThan(0);
  const before = await shown(id);
  expect(before.status).toBe('processing');
  await server.end('SIGKILL');
  await server.start();
  admin = await server.signIn();
  expect((await admin.get(`${DOCUMENTS}/${id}`)).status).toBe(200);
  await expect.poll(async () => (await shown(id)).status, { timeout: 240_000 }).toBe('indexed');
  const whole = await shown(id);
  expect(whole.chunk_count).toBe(before.progress?.chunks);
  const found = await admin.post('/api/v1/knowledge/search', {
    query: 'Gauge 1499 at the northern pier',
    limit: 50,
  });
  const passages = found
    .json<{ results: { content: string }[] }>()
    .results.filter(({ content }) => content.includes('Gauge 1499 '));
  expect(passages).toHaveLength(1);
  expect((await admin.get(`${DOCUMENTS}?status=processing`)).json<{ total: number }>().total).toBe(0);
}, 600_000);

it(req('KNOW-34', 'a Word file of 872 pages is read within the memory that a reader has'), async () => {
  const format =
    '<w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:cs="Calibri"/><w:color w:val="000000"/><w:sz w:val="22"/><w:szCs w:val="22"/><w:lang w:val="en-GB"/></w:rPr>';
  const run = (text: string): string =>
    `<w:r w:rsidRPr="00A77B3E">${format}<w:t xml:space="preserve">${text} </w:t></w:r>`;
  // Most of a page is its form, as Word writes it: 24 MB of XML in some hundred kilobytes.
  const page = (n: number): string =>
    `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>${run(`Clause ${n} of the contract`)}</w:p>${`<w:p><w:pPr><w:spacing w:after="120"/>${format}</w:pPr>${run('').repeat(12)}</w:p>`.repeat(10)}<w:p>${run(`The supplier delivers part ${n} by rail.`)}</w:p><w:p><w:r><w:br w:type="page"/></w:r></w:p>`;
  const bytes = makeDocx(Array.from({ length: 872 }, (_, n) => page(n + 1)).join(''));
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)]), 'contract.docx');
  const answer = await fetch(`${server.url}${DOCUMENTS}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${admin.token ?? ''}`, prefer: 'wait=0' },
    body: form,
  });
  expect(answer.status).toBe(202);
  const { id } = (await answer.json()) as Shown;
  await expect.poll(async () => (await shown(id)).status, { timeout: 240_000 }).toBe('indexed');
  const text = (await admin.get(`${DOCUMENTS}/${id}/content?format=text`)).text;
  expect(text.match(/Clause \d+ of the contract/g)).toHaveLength(872);
  expect(text).toContain('The supplier delivers part 872 by rail.');
}, 600_000);
