import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { newPerson } from '../support/shapes.ts';

/** One field for pages, agents, conversations, documents and actions: Ctrl K. */

let app: ConsoleUnderTest;
let admin: Client;
beforeAll(async () => {
  app = await startConsole();
  admin = await app.server.signIn();
  await admin.post('/v2/conversations', { title: 'Harbour dues of Kiel' });
  await admin.post('/v2/knowledge/documents', {
    title: 'Tariff of berths',
    content: 'A berth costs 12 euros a night.',
  });
});
afterAll(() => app?.close());

const palette = (page: Page) => page.getByRole('dialog', { name: 'Search and commands' });
const field = (page: Page) => palette(page).getByRole('combobox', { name: 'Search and commands' });
const entry = (page: Page, name: string | RegExp) => palette(page).getByRole('option', { name });
const ask = async (page: Page, text: string): Promise<void> => {
  await page.keyboard.press('Control+k');
  await field(page).fill(text);
};

it(
  req('CONSOLE-12', 'pages, tabs, conversations, documents and actions are found and opened by keys'),
  async () => {
    const { page, axe, complaints, context, screenshot } = await app.open();
    await page.waitForURL('**/chat');
    // While one types as well.
    await page.getByLabel('Message', { exact: true }).fill('half a sentence');
    await ask(page, '');
    await entry(page, 'Harbour dues of Kiel').waitFor();
    await screenshot('palette');
    expect(await axe()).toEqual([]);
    await page.keyboard.press('Escape');
    await palette(page).waitFor({ state: 'detached' });

    await ask(page, 'know');
    await expect.poll(() => entry(page, /^Knowledge/).getAttribute('data-highlighted')).toBe('');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/knowledge');
    await palette(page).waitFor({ state: 'detached' });

    await ask(page, 'who did');
    await entry(page, /^Audit/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/admin?tab=audit');

    await ask(page, 'berths');
    await entry(page, 'Tariff of berths').click();
    await page.waitForURL('**/knowledge/*');
    await page.getByRole('heading', { name: 'Tariff of berths' }).waitFor();

    await ask(page, 'harbour');
    await entry(page, 'Harbour dues of Kiel').click();
    await page.waitForURL('**/chat?c=*');

    await ask(page, 'dark');
    await entry(page, 'Dark theme').click();
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark');

    await ask(page, 'no such thing at all');
    await palette(page).getByText('Nothing found. Try another word.').waitFor();
    expect(await axe()).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  },
);

it(
  req('CONSOLE-12', 'an agent is asked from the palette: a new conversation, and its name in the field'),
  async () => {
    const { page, complaints, context } = await app.open({ path: '/agents' });
    await ask(page, 'athena');
    await entry(page, /^Ask ATHENA/i).click();
    await expect.poll(() => new URL(page.url()).pathname + new URL(page.url()).search).toBe('/chat');
    await expect.poll(() => page.getByLabel('Agent', { exact: true }).inputValue()).toBe('athena');
    expect(complaints).toEqual([]);
    await context.close();
  },
);

it(req('CONSOLE-12', 'who may not open a page is not offered it, nor what lies there'), async () => {
  const reader = await newPerson(app.server, admin, { roles: ['readonly'] });
  const { page, complaints, context } = await app.open({ as: reader });
  await page.waitForURL('**/chat');
  await ask(page, 'audit');
  await palette(page).getByText('Nothing found. Try another word.').waitFor();
  await field(page).fill('new conversation');
  await palette(page).getByText('Nothing found. Try another word.').waitFor();
  await field(page).fill('chat');
  await entry(page, 'Chat').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it(req('CONSOLE-12', 'on a phone it is opened by a button, and fits'), async () => {
  const { page, axe, complaints, context } = await app.open({ device: 'phone' });
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Find' }).click();
  await entry(page, 'Harbour dues of Kiel').waitFor();
  const box = await palette(page).boundingBox();
  expect(box === null || (box.x >= 0 && box.x + box.width <= 390)).toBe(true);
  expect(await axe()).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});
