import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { type Cuttable, startCuttable } from '../support/cut.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';

/** The network between browser and server, really cut (connections reset, new ones refused) and restored. */

let app: ConsoleUnderTest;
let provider: TestProvider;
let network: Cuttable;
beforeAll(async () => {
  provider = await startTestProvider();
  network = await startCuttable();
  app = await startConsole({
    through: network,
    env: { MODEL: 'compatible/test-model', COMPATIBLE_BASE_URL: provider.url, COMPATIBLE_API_KEY: 'x' },
  });
});
afterEach(async () => {
  network.pass();
  await network.restore();
});
afterAll(async () => {
  await app?.close();
  await network?.close();
  await provider?.close();
});

const SILENT = 'The server is not responding. What you see may be out of date';
/** Of a browser that asks in vain; all else is a fault of ours. */
const others = (complaints: readonly string[]): string[] =>
  complaints.filter(
    (text) => !/ERR_CONNECTION_(REFUSED|RESET|CLOSED)|ERR_EMPTY_RESPONSE|ERR_SOCKET_NOT_CONNECTED/.test(text),
  );

/** Each piece of the answer leaves the model when the test says so. */
const heldAnswer = (count: number) => {
  const pieces = Array.from({ length: count }, (_, n) => `piece${n} ä€😀 `);
  const gates = pieces.map(() => Promise.withResolvers<void>());
  provider.always({ chunks: pieces, chunkHold: (index) => gates[index]?.promise });
  return {
    text: pieces.join(''),
    say: (upTo: number): void => {
      for (const { resolve } of gates.slice(0, upTo)) resolve();
    },
  };
};

const answerOf = (page: Page): Promise<string> =>
  page
    .getByRole('article')
    .locator('p')
    .first()
    .textContent()
    .then((text) => text?.trim() ?? '');

it.each(['desktop', 'phone'] as const)(
  'an answer goes on where the network is cut in its middle, twice, without losing a character: %s',
  async (device) => {
    const { page, axe, complaints, screenshot, context } = await app.open({ device });
    await page.waitForURL('**/chat');
    const { text, say } = heldAnswer(40);
    await page.getByLabel('Message', { exact: true }).fill('/zeus Say much');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    say(5);
    await page.getByText('piece4 ').waitFor();

    await network.cut();
    await page.getByText('The connection is lost.').waitFor();
    await page.getByText(SILENT).waitFor();
    expect(await axe()).toEqual([]);
    await screenshot(device === 'phone' ? 'chat-cut-phone' : 'chat-cut');
    // Said while nobody listens.
    say(20);
    expect(await answerOf(page)).toBe(text.split('piece5')[0]?.trim());
    await network.restore();
    await page.getByText('piece19 ').waitFor();
    await page.getByText(SILENT).waitFor({ state: 'detached' });

    await network.cut();
    await page.getByText('The connection is lost.').waitFor();
    say(40);
    await network.restore();
    await page.getByRole('button', { name: 'Copy answer' }).waitFor();
    expect(await answerOf(page)).toBe(text.trim());
    expect(await page.getByRole('article').count()).toBe(1);
    await page.reload();
    await page.getByRole('button', { name: 'Copy answer' }).waitFor();
    expect(await answerOf(page)).toBe(text.trim());
    expect(others(complaints)).toEqual([]);
    await context.close();
  },
  120_000,
);

it('a question that was sent into a cut network is asked once, when it is back', async () => {
  const { page, complaints, context } = await app.open();
  await page.waitForURL('**/chat');
  provider.always({ chunks: ['Once and whole.'] });
  // The agents are known, so that the slash means one of them.
  await page
    .getByLabel('Agent', { exact: true })
    .getByRole('option', { name: 'Zeus' })
    .waitFor({ state: 'attached' });
  await page.getByLabel('Message', { exact: true }).fill('/zeus Who hears me?');
  await network.cut();
  await page.getByText(SILENT).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('The connection is lost.').waitFor();
  await page.getByText('Who hears me?').first().waitFor();
  await network.restore();
  await page.getByText('Once and whole.').waitFor();
  const admin = await app.server.signIn();
  const { items } = (await admin.get('/v2/conversations?q=hears')).json<{ items: unknown[] }>();
  expect(items).toHaveLength(1);
  expect(others(complaints)).toEqual([]);
  await context.close();
}, 120_000);

const PAGES = [
  '/chat',
  '/agents',
  '/governance',
  '/costs',
  '/knowledge',
  '/memory',
  '/tools',
  '/tasks',
  '/admin',
  '/settings',
] as const;

it('every page keeps what it shows while the server is gone, says so, and reads anew afterwards', async () => {
  const { page, axe, complaints, context } = await app.open();
  await page.waitForURL('**/chat');
  for (const address of PAGES) {
    await page.goto(network.url + address);
    const title = page.getByRole('heading', { level: 1 });
    await title.waitFor();
    await page.waitForLoadState('networkidle');
    const before = await title.textContent();
    await network.cut();
    await page.getByText(SILENT).waitFor();
    expect(await title.textContent(), address).toBe(before);
    expect(await page.getByRole('alert').count(), address).toBe(0);
    expect(await axe(), address).toEqual([]);
    const reads = page.waitForResponse(
      (answer) => answer.url().includes('/api/v1/') && answer.status() < 300,
    );
    await network.restore();
    await reads;
    await page.getByText(SILENT).waitFor({ state: 'detached' });
  }
  expect(others(complaints)).toEqual([]);
  await context.close();
}, 180_000);

it('what was not read, and a page that was not loaded, come by themselves when the server is back', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/agents' });
  await page.getByRole('button', { name: /^Zeus/ }).waitFor();
  await network.cut();
  await page.getByText(SILENT).waitFor();
  await page.getByRole('button', { name: '30d' }).click();
  await page.getByRole('alert').getByText('figures of this window').waitFor({ timeout: 30_000 });
  expect(await axe()).toEqual([]);
  await screenshot('agents-cut');
  await network.restore();
  await page.getByRole('alert').waitFor({ state: 'detached' });

  await network.cut();
  await page.getByText(SILENT).waitFor();
  await page.getByRole('link', { name: 'Tasks' }).click();
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
  expect(await axe()).toEqual([]);
  await network.restore();
  await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/tasks');
  expect(others(complaints).filter((text) => !/dynamically imported|preload CSS/.test(text))).toEqual([]);
  await context.close();
}, 120_000);

it('a change that did not arrive stays in its form, and can be sent again', async () => {
  const { page, complaints, context } = await app.open({ path: '/settings' });
  await page.getByLabel('Name', { exact: true }).fill('Ada of the Cut');
  await network.cut();
  await page.getByText(SILENT).waitFor();
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByText('what you sent, send again').waitFor();
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ada of the Cut');
  await network.restore();
  await page.getByText(SILENT).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByText('Your name is changed').waitFor();
  expect(others(complaints)).toEqual([]);
  await context.close();
}, 120_000);

it('an upload shows how much of it has left the browser', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/knowledge' });
  await page.getByRole('heading', { name: 'No documents yet' }).waitFor();
  // From a file: the bytes need not go through the debugger.
  const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-upload-'));
  const file = path.join(folder, 'log-of-the-light.txt');
  const line = 'The keeper of the light writes down the weather of every hour.\n';
  writeFileSync(file, `# Log\n${line.repeat(330_000)}`);
  network.hold(3_000_000);
  await page.getByTestId('files').setInputFiles(file);
  const bar = page.getByRole('progressbar', { name: /log-of-the-light/ });
  await bar.waitFor();
  // As far as the buffers of the network reach, and no further.
  const share = () => bar.evaluate((element) => ('value' in element ? Number(element.value) : -1));
  await expect.poll(share, { timeout: 15_000 }).toBeGreaterThan(0.05);
  await page.getByText(/^sending \d+ %$/).waitFor();
  expect(await share()).toBeLessThan(1);
  expect(await axe()).toEqual([]);
  await screenshot('knowledge-uploading');
  await context.close();
  rmSync(folder, { recursive: true });
  expect(others(complaints)).toEqual([]);
}, 120_000);
