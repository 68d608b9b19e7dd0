import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { longConversation } from '../support/long-conversation.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';

/** The list of conversations: what is pinned, in folders, chosen together, deleted for good, found by its words. */

let app: ConsoleUnderTest;
let provider: TestProvider;
let admin: Client;
beforeAll(async () => {
  provider = await startTestProvider();
  app = await startConsole({
    env: { MODEL: 'compatible/test-model', COMPATIBLE_BASE_URL: provider.url, COMPATIBLE_API_KEY: 'x' },
  });
  admin = await app.server.signIn();
});
afterAll(async () => {
  await app?.close();
  await provider?.close();
});

interface Listed {
  id: string;
  title: string;
  pinned: boolean;
  folder: string | null;
}
const make = async (...titles: string[]): Promise<string[]> => {
  const ids: string[] = [];
  for (const title of titles)
    ids.push((await admin.post('/v2/conversations', { title })).json<{ id: string }>().id);
  return ids;
};
const stored = async (query = ''): Promise<Listed[]> =>
  (await admin.get(`/v2/conversations?limit=100${query}`)).json<{ items: Listed[] }>().items;
const clear = async (): Promise<void> => {
  for (const status of ['active', 'archived'])
    for (const { id } of await stored(`&status=${status}`))
      await admin.delete(`/v2/conversations/${id}?permanent=true`);
};
const list = (page: Page) => page.getByRole('complementary', { name: 'Conversations' });
const titlesOf = async (page: Page, name: string): Promise<string[]> => {
  const rows = list(page).getByRole('list', { name, exact: true }).getByRole('listitem');
  return (await rows.locator('button > span:first-child').allTextContents()).map((title) => title.trim());
};
const menu = async (page: Page, title: string, item: string | RegExp): Promise<void> => {
  await list(page)
    .getByRole('button', { name: `More for ${title}`, exact: true })
    .click();
  await page.getByRole('menuitem', { name: item }).click();
};

it(req('CONSOLE-06', 'what is pinned stands at the top, until it is unpinned'), async () => {
  await clear();
  await make('Oldest', 'Middle', 'Newest');
  const { page, axe, complaints, context } = await app.open();
  await expect.poll(() => titlesOf(page, 'Conversations')).toEqual(['Newest', 'Middle', 'Oldest']);
  await menu(page, 'Oldest', 'Pin to the top');
  await expect.poll(() => titlesOf(page, 'Pinned conversations')).toEqual(['Oldest']);
  await expect.poll(() => titlesOf(page, 'Conversations')).toEqual(['Newest', 'Middle']);
  expect(await axe()).toEqual([]);
  await menu(page, 'Oldest', 'Unpin');
  await expect.poll(() => titlesOf(page, 'Conversations')).toEqual(['Newest', 'Middle', 'Oldest']);
  expect(complaints).toEqual([]);
  await context.close();
});

it(
  req('CONSOLE-06', 'folders are made, filtered by, renamed and removed, and conversations stay'),
  async () => {
    await clear();
    await make('Rota', 'Menu', 'Other');
    const { page, axe, complaints, screenshot, context } = await app.open();
    await menu(page, 'Rota', /Move to a folder/);
    const move = page.getByRole('dialog', { name: 'Move the conversation to a folder' });
    await move.getByLabel('Name of the new folder').fill('Winter');
    expect(await axe()).toEqual([]);
    await move.getByRole('button', { name: 'Move' }).click();
    await move.waitFor({ state: 'detached' });
    await menu(page, 'Menu', /Move to a folder/);
    await move.getByLabel('Folder').selectOption('Winter');
    await move.getByRole('button', { name: 'Move' }).click();
    await move.waitFor({ state: 'detached' });
    const folder = list(page).getByLabel('Folder', { exact: true });
    await folder.selectOption('Winter');
    await expect.poll(() => titlesOf(page, 'Conversations')).toEqual(['Menu', 'Rota']);
    await screenshot('chat-folders');
    await list(page).getByRole('button', { name: 'More for the folder Winter' }).click();
    await page.getByRole('menuitem', { name: 'Rename the folder' }).click();
    const rename = page.getByRole('dialog', { name: 'Rename the folder' });
    await rename.getByLabel('Name').fill('Winter 2027');
    expect(await axe()).toEqual([]);
    await rename.getByRole('button', { name: 'Save' }).click();
    await rename.waitFor({ state: 'detached' });
    await expect.poll(() => folder.inputValue()).toBe('Winter 2027');
    await expect.poll(() => titlesOf(page, 'Conversations')).toEqual(['Menu', 'Rota']);
    expect((await stored('&folder=Winter%202027')).length).toBe(2);
    await list(page).getByRole('button', { name: 'More for the folder Winter 2027' }).click();
    await page.getByRole('menuitem', { name: /Remove the folder/ }).click();
    await expect.poll(() => titlesOf(page, 'Conversations')).toEqual(['Other', 'Menu', 'Rota']);
    expect((await stored()).every((one) => one.folder === null)).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  },
);

it(req('CONSOLE-06', 'one is deleted for good only after a question, and the page leaves it'), async () => {
  await clear();
  const [gone = ''] = await make('Goes');
  await make('Stays');
  const { page, axe, context } = await app.open({ path: `/chat?c=${gone}` });
  await page.getByRole('heading', { level: 1, name: 'Goes' }).waitFor();
  await menu(page, 'Goes', /Delete permanently/);
  const ask = page.getByRole('alertdialog', { name: 'Delete “Goes” permanently?' });
  await ask.waitFor();
  expect(await axe()).toEqual([]);
  await ask.getByRole('button', { name: 'Cancel' }).click();
  await ask.waitFor({ state: 'detached' });
  expect((await stored()).map((one) => one.title)).toEqual(['Stays', 'Goes']);
  await menu(page, 'Goes', /Delete permanently/);
  await ask.getByRole('button', { name: 'Delete permanently' }).click();
  await page.getByRole('heading', { level: 1, name: 'New conversation' }).waitFor();
  await expect.poll(() => titlesOf(page, 'Conversations')).toEqual(['Stays']);
  expect((await admin.get(`/v2/conversations/${gone}`)).status).toBe(404);
  await context.close();
});

it(req(
  'CONSOLE-06',
  'several are chosen, and moved, archived or deleted together; one that is busy stays',
), async () => {
  await clear();
  await make('A', 'B', 'C');
  const door = Promise.withResolvers<void>();
  provider.always({ text: 'done', hold: door.promise });
  const before = provider.requests.length;
  const busy = admin.post('/v2/chat', { message: 'Busy one', context: { agent_id: 'zeus' } });
  await expect.poll(() => provider.requests.length).toBeGreaterThan(before);
  const { page, axe, screenshot, context } = await app.open();
  const choose = list(page).getByRole('button', { name: 'Choose several' });
  const bar = list(page).getByRole('group', { name: 'Chosen conversations' });
  await choose.click();
  await list(page).getByRole('checkbox', { name: 'A', exact: true }).check();
  await list(page).getByRole('checkbox', { name: 'B', exact: true }).check();
  await bar.getByText('2 chosen').waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('chat-choosing');
  await bar.getByRole('button', { name: 'Move …' }).click();
  const move = page.getByRole('dialog', { name: 'Move 2 conversations to a folder' });
  await move.getByLabel('Name of the new folder').fill('Both');
  await move.getByRole('button', { name: 'Move' }).click();
  await move.waitFor({ state: 'detached' });
  expect((await stored('&folder=Both')).map((one) => one.title)).toEqual(['B', 'A']);
  await choose.click();
  await list(page).getByRole('checkbox', { name: 'C', exact: true }).check();
  await bar.getByRole('button', { name: 'Archive' }).click();
  await bar.waitFor({ state: 'detached' });
  await expect.poll(async () => (await stored('&status=archived')).map((one) => one.title)).toEqual(['C']);
  await choose.click();
  await bar.getByRole('button', { name: 'All shown' }).click();
  await bar.getByText('3 chosen').waitFor();
  await bar.getByRole('button', { name: 'Delete …' }).click();
  const ask = page.getByRole('alertdialog', { name: 'Delete 3 conversations permanently?' });
  await ask.getByRole('button', { name: 'Delete permanently' }).click();
  await page.getByText('Stop it first.').first().waitFor();
  await expect.poll(async () => (await stored()).map((one) => one.title)).toEqual(['Busy one']);
  door.resolve();
  await busy;
  await context.close();
}, 300_000);

it(req(
  'CONSOLE-07',
  'a hit of the search shows its words, and leads to its message, marked, however far back',
), async () => {
  await clear();
  const others = Array.from({ length: 103 }, (_, n) => `Another question, number ${n}.`);
  await longConversation(admin, ['Where does the marmalade of the lighthouse come from?', ...others]);
  const { page, axe, complaints, screenshot, context } = await app.open();
  await list(page).getByLabel('Search conversations').fill('MARMALADE');
  const row = list(page).getByRole('list', { name: 'Conversations' }).getByRole('listitem');
  await row.locator('mark').getByText('marmalade').waitFor();
  expect(await axe()).toEqual([]);
  await row.getByRole('button').first().click();
  const found = page.locator('[data-found]');
  await found.getByText('Where does the marmalade').waitFor({ timeout: 60_000 });
  await page.locator('[data-found]:focus').waitFor();
  const isInSight = `(() => {
    const { top, bottom } = document.querySelector('[data-found]').getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  })()`;
  await expect.poll(() => page.evaluate(isInSight)).toBe(true);
  await screenshot('chat-found');
  // The address leads there as well.
  await page.reload();
  await found.getByText('Where does the marmalade').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
}, 300_000);
