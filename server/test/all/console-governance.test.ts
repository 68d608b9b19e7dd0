import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';

/** The governance page in a real browser on a real server. */

let app: ConsoleUnderTest;
beforeAll(async () => {
  app = await startConsole();
});
afterAll(() => app?.close());

const member = { email: 'member@example.com', password: 'a long enough password' };

it('is made by hand by one person and decided by another', async () => {
  const admin = await app.server.signIn();
  await admin.post('/v2/users', { ...member, name: 'Member', roles: ['user'] });
  const theirs = await app.open({ path: '/governance', as: member });
  await theirs.page.getByRole('heading', { name: 'No proposals here' }).waitFor();
  expect(await theirs.axe()).toEqual([]);
  await theirs.page.getByRole('button', { name: 'New proposal' }).click();
  await theirs.page.getByLabel('What is to be done').fill('Buy a larger server');
  await theirs.page.getByRole('button', { name: 'Propose' }).click();
  await theirs.page.getByText('must be a number').waitFor();
  await theirs.page.getByLabel('Estimated cost, US dollars').fill('250');
  expect(await theirs.axe()).toEqual([]);
  await theirs.page.getByRole('button', { name: 'Propose' }).click();
  const drawer = theirs.page.getByRole('dialog', { name: 'Buy a larger server' });
  await drawer.getByText('Voting needs the permission governance:vote').waitFor();
  expect(await drawer.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);

  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/governance' });
  await page.getByRole('row').filter({ hasText: 'Buy a larger server' }).waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('governance');
  await page.getByRole('row').filter({ hasText: 'Buy a larger server' }).click();
  const opened = page.getByRole('dialog', { name: 'Buy a larger server' });
  await opened.getByText('estimated cost 250 USD is over 100 USD: a person decides').waitFor();
  // The five were not asked: no empty seats are drawn.
  expect(await opened.getByRole('img', { name: /^Votes of the five seats/ }).count()).toBe(0);
  expect(await axe()).toEqual([]);
  await screenshot('governance-detail');
  await opened.getByLabel('Reason').fill('The old one is full.');
  await opened.getByRole('button', { name: 'Approve' }).click();
  await opened.getByText('It is closed').waitFor();
  // Told by an event, without a reload.
  await drawer.getByText('It is closed').waitFor();
  expect(complaints).toEqual([]);
  expect(theirs.complaints).toEqual([]);
  await page.goto(`${app.server.url}/governance?view=history`);
  await page.getByRole('row').filter({ hasText: 'Buy a larger server' }).getByText('approved').waitFor();
  await theirs.context.close();
  await context.close();
});

it('is cancelled by who asked for it', async () => {
  const { page, context } = await app.open({ path: '/governance', as: member });
  await page.getByRole('button', { name: 'New proposal' }).click();
  await page.getByLabel('What is to be done').fill('Paint the office');
  await page.getByLabel('Estimated cost, US dollars').fill('300');
  await page.getByRole('button', { name: 'Propose' }).click();
  await page.getByRole('button', { name: 'Cancel proposal …' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel proposal' }).click();
  await page.getByText('The proposal is cancelled').waitFor();
  await context.close();
});

it.each(['light', 'dark'] as const)('is readable on a phone, %s', async (theme) => {
  const { page, axe, screenshot, context } = await app.open({
    device: 'phone',
    theme,
    path: '/governance?view=history',
  });
  await page.getByRole('row').filter({ hasText: 'Buy a larger server' }).waitFor();
  expect(await axe()).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await screenshot(`governance-phone-${theme}`);
  await context.close();
});
