import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsolePage, type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { rememberCompany, rememberMany } from '../support/memory-graph.ts';

/** The memory page in a real browser on a real server. */

let app: ConsoleUnderTest;
beforeAll(async () => {
  app = await startConsole();
});
afterAll(() => app?.close());

const settled = (page: ConsolePage['page']): Promise<void> =>
  page.locator('[data-settled="true"]').waitFor({ timeout: 60_000 });

/** Waits for the table to have so many rows. */
const exactly = async (rows: Locator, count: number): Promise<void> => {
  await expect.poll(() => rows.count(), { timeout: 15_000 }).toBe(count);
};

describe('an empty memory', () => {
  it('says what to do, and takes the first entity', async () => {
    const { page, axe, complaints, screenshot, context } = await app.open({ path: '/memory' });
    await page.getByRole('heading', { name: 'Nothing is remembered yet' }).waitFor();
    expect(await axe()).toEqual([]);
    await screenshot('memory-empty');
    await page.getByRole('button', { name: 'New entity' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New entity' });
    await dialog.getByRole('button', { name: 'Add entity' }).click();
    // The API's own words at each field.
    await dialog.locator('[aria-invalid="true"]').first().waitFor();
    await dialog.getByLabel('Name').fill('<img src=x onerror=alert(1)> & Co');
    await dialog.getByLabel('Type').fill('organization');
    await dialog.getByLabel('Facts').fill('Sells tea\nStands in Leith');
    await dialog.getByRole('button', { name: 'Add entity' }).click();
    const details = page.getByRole('complementary', { name: 'Details' });
    // A name is data: shown as it was typed.
    await details.getByRole('heading', { name: '<img src=x onerror=alert(1)> & Co' }).waitFor();
    await details.getByText('Stands in Leith').waitFor();
    await settled(page);
    expect(await axe()).toEqual([]);
    await details.getByRole('button', { name: 'Delete …' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete entity' }).click();
    await page.getByRole('heading', { name: 'Nothing is remembered yet' }).waitFor();
    // The refused form is a 422, which the browser notes.
    expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
    await context.close();
  });
});

describe('a memory', () => {
  beforeAll(async () => rememberCompany(await app.server.signIn()));

  it('is drawn as a graph; a search goes to what it means, and a click on a node opens it', async () => {
    const { page, axe, complaints, screenshot, context } = await app.open({ path: '/memory' });
    await page.getByRole('img', { name: /Graph of 20 entities and 25 relations/ }).waitFor();
    await settled(page);
    expect(await page.locator('[data-nodes="20"] canvas').count()).toBeGreaterThan(0);
    expect(await axe()).toEqual([]);
    await screenshot('memory');

    const search = page.getByLabel('Search names and facts');
    await search.fill('solar parks');
    await page.getByText('1 found').waitFor();
    await page.keyboard.press('Enter');
    const details = page.getByRole('complementary', { name: 'Details' });
    await details.getByRole('heading', { name: 'Aurora' }).waitFor();
    await details.getByRole('button', { name: 'Mara Lindqvist', exact: true }).waitFor();
    await page.waitForURL(/open=/);
    expect(await axe()).toEqual([]);
    await screenshot('memory-entity');

    // It stands in the middle now: closed, and opened again by a click there.
    await details.getByRole('button', { name: 'Close details' }).click();
    await details.getByRole('heading', { name: 'Types' }).waitFor();
    await page.locator('[data-settled="true"]').click();
    await details.getByRole('heading', { name: 'Aurora' }).waitFor();
    await details.getByRole('button', { name: 'Northwind Energy', exact: true }).click();
    await details.getByRole('heading', { name: 'Northwind Energy' }).waitFor();

    await search.fill('');
    await details.getByRole('button', { name: 'Close details' }).click();
    await details.getByRole('button', { name: /^person/ }).click();
    await page.getByText('6 found').waitFor();
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.getByRole('button', { name: 'Show all' }).click();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is searched as a table by keyboard, and each fact is corrected, added and deleted in place', async () => {
    const { page, axe, complaints, screenshot, context } = await app.open({ path: '/memory?tab=entities' });
    const rows = page.getByRole('table', { name: 'Entities' }).locator('tbody tr');
    await rows.filter({ hasText: 'Jonas Weber' }).waitFor();
    await screenshot('memory-entities');
    await page.getByLabel('Search names and facts').fill('DECEMBER');
    await exactly(rows, 1);
    await rows.first().focus();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Jonas Weber' });
    await drawer.getByRole('button', { name: /^Correct: Is away/ }).click();
    await drawer.getByLabel('What is true').fill('Is away in the second week of December');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer.getByText('Is away in the second week of December', { exact: true }).waitFor();
    await drawer.getByText('Earlier (1)').click();
    await drawer.getByText('Is away in the first week of December', { exact: true }).waitFor();

    await drawer.getByLabel('New fact').fill('Drinks coffee only');
    await drawer.getByRole('button', { name: 'Add', exact: true }).click();
    await drawer.getByText('Drinks coffee only').waitFor();
    await drawer.getByText('entered by hand').first().waitFor();
    expect(await axe()).toEqual([]);
    await screenshot('memory-facts');
    await drawer.getByRole('button', { name: 'Delete: Drinks coffee only' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete fact' }).click();
    await drawer.getByText('Drinks coffee only').waitFor({ state: 'detached' });

    await drawer.getByRole('button', { name: 'Edit', exact: true }).click();
    await drawer.getByLabel('Name', { exact: true }).fill('Jonas Weber-Holt');
    await drawer.getByLabel('Importance, %').fill('80');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog', { name: 'Jonas Weber-Holt' }).getByText('80%').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Jonas' }).waitFor({ state: 'detached' });
    await page.getByLabel('Search names and facts').fill('nothing of this');
    await page.getByRole('heading', { name: 'Nothing is remembered of this' }).waitFor();
    await page.getByRole('button', { name: 'Show all entities' }).click();
    await rows.filter({ hasText: 'Jonas Weber-Holt' }).waitFor();
    await page.getByLabel('Entity type').fill('place');
    await exactly(rows, 3);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('ties, changes and unties', async () => {
    const { page, axe, complaints, screenshot, context } = await app.open({
      path: '/memory?tab=entities&q=Helios',
    });
    await page.getByRole('cell', { name: 'Helios GmbH' }).click();
    const drawer = page.getByRole('dialog', { name: 'Helios GmbH' });
    await drawer.getByRole('button', { name: 'Relation', exact: true }).click();
    await drawer.getByLabel('Relation type').fill('invoices');
    await drawer.getByRole('combobox', { name: 'Other entity' }).fill('harbour');
    await drawer.getByRole('option', { name: /Harbour Bank/ }).waitFor();
    await page.keyboard.press('Enter');
    await drawer.getByRole('button', { name: 'Tie' }).click();
    await drawer.getByRole('button', { name: 'Harbour Bank', exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });

    await page.getByRole('tab', { name: 'Relations' }).click();
    const rows = page.getByRole('table', { name: 'Relations' }).locator('tbody tr');
    await rows.filter({ hasText: 'Harbour Bank' }).first().waitFor();
    await screenshot('memory-relations');
    await page.getByLabel('Relation type').fill('invoices');
    await exactly(rows, 1);
    await rows.first().click();
    const tie = page.getByRole('dialog', { name: 'invoices' });
    await tie.getByRole('button', { name: 'Property', exact: true }).click();
    await tie.getByLabel('Name of property 1').fill('monthly');
    await tie.getByLabel('Value of property 1').fill('true');
    await tie.getByLabel('Holds from').fill('2025-01-01T12:00');
    await tie.getByLabel('Until').fill('2025-01-31T12:00');
    expect(await axe()).toEqual([]);
    await screenshot('memory-relation');
    await tie.getByRole('button', { name: 'Save' }).click();
    await rows.filter({ hasText: 'monthly: true' }).filter({ hasText: 'ended' }).waitFor();
    await page.getByRole('checkbox', { name: 'Only what holds now' }).click();
    await page.getByRole('heading', { name: 'No relation matches' }).waitFor();
    await page.getByRole('checkbox', { name: 'Only what holds now' }).click();
    await rows.first().click();
    await tie.getByRole('button', { name: 'Delete …' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete relation' }).click();
    await page.getByRole('heading', { name: 'No relation matches' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is merged, exported and imported', async () => {
    const { page, complaints, context } = await app.open({ path: '/memory?tab=entities' });
    const lines = ['Grafana Labs', 'Grafana 12'].map((name) =>
      JSON.stringify({ type: 'entity', name, entityType: 'technology', observations: [`${name} is known`] }),
    );
    await page.getByTestId('memory-file').setInputFiles({
      name: 'memory.jsonl',
      mimeType: 'application/x-ndjson',
      buffer: Buffer.from(`${lines.join('\n')}\n`),
    });
    await page.getByText('2 entities and 0 relations are imported').waitFor();
    await page.getByRole('cell', { name: 'Grafana Labs' }).first().click();
    await page.getByRole('button', { name: 'Merge …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Merge into Grafana Labs' });
    await dialog.getByRole('combobox', { name: 'Take in' }).fill('grafana 12');
    await dialog.getByRole('option', { name: /Grafana 12/ }).click();
    await dialog.getByRole('button', { name: 'Merge', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'Grafana Labs' });
    await drawer.getByText('Grafana 12 is known', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Import and export' }).click();
    await page.getByRole('menuitem', { name: 'Export as JSON Lines' }).click();
    expect((await download).suggestedFilename()).toBe('memory.jsonl');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows a failed read with another try, and nothing to change to who may only read', async () => {
    const admin = await app.server.signIn();
    const reader = { email: 'reader@example.com', password: 'a long enough password' };
    await admin.post('/v2/users', { ...reader, name: 'Reader', roles: ['readonly'] });
    const { page, axe, context } = await app.open({ path: '/chat', as: reader });
    await page.route('**/memory/graph*', (route) => route.abort());
    await page.goto(`${app.server.url}/memory`);
    await page.getByRole('heading', { name: 'The server does not answer' }).waitFor({ timeout: 60_000 });
    await page.unroute('**/memory/graph*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Nothing is remembered yet' }).waitFor();
    expect(await page.getByRole('button', { name: 'New entity' }).count()).toBe(0);
    expect(await axe()).toEqual([]);
    await context.close();
  });

  it.each(['light', 'dark'] as const)('is readable on a phone, %s', async (theme) => {
    const { page, axe, screenshot, context } = await app.open({ device: 'phone', theme, path: '/memory' });
    await settled(page);
    expect(await axe()).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await screenshot(`memory-phone-${theme}`);
    await page
      .getByRole('region', { name: 'Most tied' })
      .getByRole('button', { name: /Aurora/ })
      .click();
    const drawer = page.getByRole('dialog', { name: 'Aurora' });
    await drawer.getByText('Forecasts the yield').waitFor();
    expect(await axe()).toEqual([]);
    await screenshot(`memory-phone-entity-${theme}`);
    await context.close();
  });

  it('is drawn in the dark', async () => {
    const { page, axe, screenshot, context } = await app.open({ theme: 'dark', path: '/memory' });
    await settled(page);
    expect(await axe()).toEqual([]);
    await screenshot('memory-dark');
    await context.close();
  });

  it('of thousands is placed apart from the page, which goes on answering meanwhile', async () => {
    await rememberMany(await app.server.signIn(), 2_000);
    const { page, complaints, screenshot, context } = await app.open({ path: '/memory' });
    await page.locator('[data-nodes^="202"]').waitFor({ timeout: 60_000 });
    // While it is placed, a search is answered.
    await page.getByLabel('Search names and facts').fill('Node 1999');
    await page.getByText('1 found').waitFor();
    await page.getByLabel('Search names and facts').fill('');
    await settled(page);
    await screenshot('memory-thousands');
    expect(complaints).toEqual([]);
    await context.close();
  }, 240_000);
});
