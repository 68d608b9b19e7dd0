import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';

/** The chat in a real browser on a real server, with a model that says what the test tells it. */

let app: ConsoleUnderTest;
let provider: TestProvider;
beforeAll(async () => {
  provider = await startTestProvider();
  app = await startConsole({
    env: { MODEL: 'compatible/test-model', COMPATIBLE_BASE_URL: provider.url, COMPATIBLE_API_KEY: 'x' },
  });
});
afterAll(async () => {
  await app?.close();
  await provider?.close();
});

const MARKDOWN = [
  'Here is **all**',
  ' of it:\n\n',
  '| a | b |\n|---|---|\n| 1 | 2 |\n\n',
  '```js\nlet x = 1;\n```',
];

it('answers, renders markdown, and keeps it over a reload', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open();
  await page.waitForURL('**/chat');
  provider.always({ chunks: MARKDOWN });
  await page.getByLabel('Message', { exact: true }).fill('Show me a table');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/chat?c=*');
  await page.getByRole('article').getByRole('table').waitFor();
  await page.getByRole('button', { name: 'Copy answer' }).waitFor();
  expect(await page.getByRole('article').count()).toBe(1);
  expect(await axe()).toEqual([]);
  await screenshot('chat');
  await page.reload();
  await page.getByRole('article').getByRole('table').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it('goes on after a reload and after the network was gone, and loses no character', async () => {
  const { page, context } = await app.open();
  await page.waitForURL('**/chat');
  const pieces = Array.from({ length: 60 }, (_, n) => `piece${n} `);
  provider.always({ chunks: pieces, chunkDelayMs: 150 });
  await page.getByLabel('Message', { exact: true }).fill('/zeus Say much');
  await page.keyboard.press('Enter');
  await page.getByText('piece3 ').waitFor();
  await page.reload();
  await page.getByText('piece8 ').waitFor();
  await context.setOffline(true);
  await page.getByText('You are offline').waitFor();
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Copy answer' }).waitFor({ timeout: 40_000 });
  const said = await page.getByRole('article').locator('p').first().textContent();
  expect(said?.trim()).toBe(pieces.join('').trim());
  await context.close();
});

it('stops, and says that the answer was stopped', async () => {
  const { page, context } = await app.open();
  await page.waitForURL('**/chat');
  provider.always({ chunks: Array.from({ length: 400 }, (_, n) => `word${n} `), chunkDelayMs: 100 });
  await page.getByLabel('Message', { exact: true }).fill('/zeus Never end');
  await page.keyboard.press('Enter');
  await page.getByText('word3 ').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('stopped', { exact: true }).waitFor();
  await context.close();
});

it.each(['light', 'dark'] as const)('is readable on a phone, %s', async (theme) => {
  const { page, axe, screenshot, context } = await app.open({ device: 'phone', theme });
  await page.waitForURL('**/chat');
  await page.getByRole('button', { name: 'Conversations' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Show me/ })
    .first()
    .click();
  await page.getByRole('article').getByRole('table').waitFor();
  expect(await axe()).toEqual([]);
  await screenshot(`chat-phone-${theme}`);
  await context.close();
});

it('shows agents on a slash, chosen by keyboard', async () => {
  const { page, context } = await app.open();
  await page.waitForURL('**/chat');
  const field = page.getByLabel('Message', { exact: true });
  await field.fill('/ath');
  await page.getByRole('option', { name: /athena/ }).waitFor();
  await page.keyboard.press('Enter');
  expect(await field.inputValue()).toBe('/athena ');
  await context.close();
});

it('takes no message of who may only read, and says why', async () => {
  const admin = await app.server.signIn();
  const reader = { email: 'reader@example.com', password: 'a long enough password' };
  expect((await admin.post('/v2/users', { ...reader, name: 'R', roles: ['readonly'] })).status).toBe(201);
  const { page, context } = await app.open({ as: reader });
  await page.getByText('Your role may read but not chat').waitFor();
  await context.close();
});
