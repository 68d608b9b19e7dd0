import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { makePdf } from '../support/documents.ts';

/** The knowledge pages in a real browser on a real server. */

let app: ConsoleUnderTest;
beforeAll(async () => {
  app = await startConsole();
});
afterAll(() => app?.close());

const LEASE = makePdf([
  ['Lease agreement', 'The tenant pays the rent on the third working day of each month.'],
  ['Ending the lease', 'Notice must be given three months before the end of a quarter.'],
]);

it('says what to do when nothing is there, takes files, and tells of each that it refuses', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/knowledge' });
  await page.getByRole('heading', { name: 'No documents yet' }).waitFor();
  expect(await axe()).toEqual([]);
  await page.getByTestId('files').setInputFiles([
    { name: 'lease.pdf', mimeType: 'application/pdf', buffer: Buffer.from(LEASE) },
    {
      name: 'handbook.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('# Handbook\n\n## Holidays\n\nEverybody has thirty days of holiday in a year.'),
    },
    { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7\nnothing more') },
  ]);
  await page.getByText('3 of 3 finished').waitFor();
  const broken = page.getByRole('listitem').filter({ hasText: 'broken.pdf' });
  expect(await broken.textContent()).toMatch(/failed./);
  expect(await page.getByRole('table').getByRole('row').count()).toBe(3);
  expect(await axe()).toEqual([]);
  await screenshot('knowledge');

  await page.getByLabel('Type').selectOption('pdf');
  await page.waitForURL('**/knowledge?type=pdf');
  await page.getByRole('cell', { name: /handbook/i }).waitFor({ state: 'detached' });
  await page.getByLabel('Title or file name').fill('no such thing');
  await page.getByRole('heading', { name: 'No document matches' }).waitFor();
  await page.getByRole('button', { name: 'Show all documents' }).click();
  await page.getByRole('cell', { name: /handbook/i }).waitFor();
  // The refused file is a 422, which the browser notes.
  expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
  await context.close();
});

it('finds passages, marks the words, and opens the passage in its document', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/knowledge?tab=search' });
  await page.getByLabel('What are you looking for?').fill('When must the rent be paid?');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  const first = page.getByRole('list', { name: 'Passages found' }).getByRole('listitem').first();
  await first.waitFor();
  expect(await first.textContent()).toContain('third working day');
  expect(await first.locator('mark').first().textContent()).toMatch(/rent/);
  expect(await axe()).toEqual([]);
  await screenshot('knowledge-search');

  await first.getByRole('link').click();
  await page.waitForURL(/\/knowledge\/[^/?]+\?chunk=/);
  await page.locator('[data-wanted]').getByText('third working day').waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('knowledge-document');
  await page.getByRole('link', { name: 'All documents' }).click();
  await page.waitForURL(/\/knowledge$/);
  expect(complaints).toEqual([]);
  await context.close();
});

it('shows the text, hands out the file, shares and deletes', async () => {
  const admin = await app.server.signIn();
  const made = await admin.post('/api/v1/knowledge/documents', {
    title: 'Canteen menu',
    content: 'Soup on Monday, pasta on Tuesday.',
    content_type: 'text/plain',
  });
  const { id } = made.json<{ id: string }>();
  const { page, complaints, context } = await app.open({ path: `/knowledge/${id}?tab=text` });
  await page.locator('pre').getByText('pasta on Tuesday').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toContain('Canteen menu');

  await page.getByRole('switch', { name: 'Whole organisation may read it' }).click();
  await page.getByText('Shared with the organisation').waitFor();
  const shared = (await admin.get(`/api/v1/knowledge/documents/${id}`)).json<Record<string, unknown>>();
  expect(shared.visibility).toBe('tenant');

  await page.getByRole('button', { name: 'Delete …' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete document' }).click();
  await page.getByText('“Canteen menu” is deleted').waitFor();
  await page.waitForURL('**/knowledge');
  expect((await admin.get(`/api/v1/knowledge/documents/${id}`)).status).toBe(404);
  expect(complaints).toEqual([]);
  await context.close();
});

it('takes nothing from who may only read, and tells of a document that is not there', async () => {
  const admin = await app.server.signIn();
  const reader = { email: 'reader@example.com', password: 'a long enough password' };
  await admin.post('/v2/users', { ...reader, name: 'Reader', roles: ['readonly'] });
  const { page, axe, context } = await app.open({ path: '/knowledge', as: reader });
  await page.getByRole('heading', { name: 'No documents yet' }).waitFor();
  expect(await page.getByRole('button', { name: 'Choose files' }).count()).toBe(0);
  await page.goto(`${app.server.url}/knowledge/no-such-document`);
  await page.getByRole('heading', { name: 'This does not exist' }).waitFor();
  expect(await axe()).toEqual([]);
  await context.close();
});

it.each(['light', 'dark'] as const)('is readable on a phone, %s', async (theme) => {
  const { page, axe, screenshot, context } = await app.open({ device: 'phone', theme, path: '/knowledge' });
  await page.getByRole('cell', { name: /handbook/i }).waitFor();
  expect(await axe()).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await screenshot(`knowledge-phone-${theme}`);
  await context.close();
});

it('shows how far a long file is, takes it back, and lets one that failed be read again', async () => {
  const admin = await app.server.signIn();
  const send = async (title: string, content: string): Promise<string> => {
    const answer = await admin.post(
      '/api/v1/knowledge/documents',
      { title, content },
      { headers: { prefer: 'respond-async' } },
    );
    expect(answer.status).toBe(202);
    return answer.json<{ id: string }>().id;
  };
  const failed = await send('Blank', ' \n ');
  const status = async (id: string): Promise<string> =>
    (await admin.get(`/api/v1/knowledge/documents/${id}`)).json<{ status: string }>().status;
  await expect.poll(() => status(failed), { timeout: 60_000 }).toBe('failed');
  // Long enough for this page to be looked at while it is read.
  const long = Array.from({ length: 9_000 }, (_, n) => `Gauge ${n} stood at ${n * 7} cm at the pier.`);
  const reading = await send('Gauges', long.join('\n\n'));

  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/knowledge' });
  const list = page.getByRole('list', { name: 'Files being read' });
  await list.getByRole('link', { name: 'Blank' }).waitFor();
  expect(await list.getByRole('listitem').filter({ hasText: 'Blank' }).textContent()).toContain(
    'white space',
  );
  const gauges = list.getByRole('listitem').filter({ hasText: 'Gauges' });
  await gauges.getByText(/\d+ of \d+ passages/).waitFor({ timeout: 60_000 });
  expect(await axe()).toEqual([]);
  await screenshot('knowledge-reading');

  await gauges.getByRole('button', { name: 'Cancel Gauges' }).click();
  await gauges.waitFor({ state: 'detached' });
  expect((await admin.get(`/api/v1/knowledge/documents/${reading}`)).status).toBe(404);
  await list.getByRole('button', { name: 'Try again' }).click();
  await list.getByRole('button', { name: 'Remove Blank' }).click();
  await list.waitFor({ state: 'detached' });
  expect((await admin.get(`/api/v1/knowledge/documents/${failed}`)).status).toBe(404);
  expect(complaints).toEqual([]);
  await context.close();
});
