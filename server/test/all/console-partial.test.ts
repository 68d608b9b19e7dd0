import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { rememberCompany } from '../support/memory-graph.ts';

/** A page that has several reads of which some fail: it shows the rest, says what is missing, and reads it again. */

let app: ConsoleUnderTest;
const member = { email: 'member@example.com', password: 'a long enough password' };
beforeAll(async () => {
  app = await startConsole();
  const admin = await app.server.signIn();
  expect((await admin.post('/v2/users', { ...member, name: 'Mia', roles: ['user'] })).status).toBe(201);
  const theirs = await app.server.signIn(member.email, member.password);
  const chat = await theirs.post('/v2/chat', { message: 'Hello', context: { agent_id: 'zeus' } });
  expect(chat.status).toBe(200);
  await rememberCompany(admin);
  const at = new Date(Date.now() + 86_400_000).toISOString();
  for (let n = 0; n < 51; n++) {
    const body = { description: `Task number ${n}`, agent_id: 'chronos', scheduled_at: at };
    expect((await admin.post('/v2/tasks', body)).status).toBe(201);
  }
});
afterAll(() => app?.close());

/** Lets calls of an address fail until the returned function is called. */
const failing = async (page: Page, address: string | RegExp): Promise<() => void> => {
  let broken = true;
  await page.route(address, (route) =>
    broken && route.request().method() === 'GET'
      ? route.fulfill({
          status: 503,
          headers: { 'x-api-version': '2.0.0', 'x-request-id': 'req-of-the-test' },
          json: {
            error: {
              code: 'SERVICE_UNAVAILABLE',
              message: 'the store does not answer',
              request_id: 'req-of-the-test',
              details: {},
            },
          },
        })
      : route.continue(),
  );
  return () => {
    broken = false;
  };
};

const PARTS = [
  {
    page: '/tasks',
    fails: '**/api/v1/agents?*',
    missing: 'names of agents',
    rest: (page: Page) => page.getByRole('row').filter({ hasText: 'Task number 50' }),
    mended: (page: Page) => page.getByRole('row').filter({ hasText: 'Task number 50' }).getByText('Chronos'),
  },
  {
    page: '/agents?window=7d',
    fails: '**/agents/athena/metrics?*',
    missing: 'figures of this window',
    rest: (page: Page) => page.getByRole('article').filter({ hasText: 'Zeus' }).getByText('100%'),
    mended: (page: Page) =>
      page.getByRole('article').filter({ hasText: 'Athena' }).getByText('0', { exact: true }),
  },
  {
    page: '/memory?tab=entities',
    fails: '**/memory/graph?*',
    missing: 'names, types and numbers of relations',
    rest: (page: Page) => page.getByRole('cell', { name: 'Helios GmbH' }),
    mended: (page: Page) =>
      page.getByRole('row').filter({ hasText: 'Aurora' }).first().getByText('8', { exact: true }),
  },
  {
    page: '/chat',
    fails: '**/api/v1/agents?*',
    missing: 'the agents to choose from',
    rest: (page: Page) => page.getByLabel('Message', { exact: true }),
    mended: (page: Page) => page.getByLabel('Agent', { exact: true }).getByRole('option', { name: 'Zeus' }),
  },
  {
    page: '/costs',
    fails: /\/users\/[0-9a-f-]{36}$/,
    missing: 'names of people',
    rest: (page: Page) => page.getByRole('table', { name: 'By user' }),
    mended: (page: Page) => page.getByRole('table', { name: 'By user' }).getByText('Mia'),
  },
  {
    page: '/admin?tab=users',
    fails: '**/notifications/unread*',
    missing: 'the number of unread notifications',
    rest: (page: Page) => page.getByRole('row', { name: /member@example.com/ }),
    mended: (page: Page) => page.getByRole('row', { name: /member@example.com/ }),
  },
];

it.each(PARTS)(
  '$page without $missing: says so, shows the rest, and reads it again',
  async ({ page: address, fails, missing, rest, mended }) => {
    const { page, axe, complaints, screenshot, context } = await app.open({ path: '/settings' });
    const mend = await failing(page, fails);
    await page.goto(app.server.url + address);
    const alert = page.getByRole('alert');
    await alert.getByText(missing).waitFor();
    expect(await alert.textContent()).toContain('the store does not answer');
    expect(await alert.textContent()).toContain('req-of-the-test');
    await rest(page).first().waitFor();
    expect(await alert.count()).toBe(1);
    expect(await axe()).toEqual([]);
    if (address === '/tasks') await screenshot('tasks-partial');
    mend();
    await alert.getByRole('button', { name: 'Try again' }).click();
    await mended(page).first().waitFor({ state: 'attached' });
    await alert.waitFor({ state: 'detached' });
    expect(complaints.filter((text) => !text.includes('503'))).toEqual([]);
    await context.close();
  },
  60_000,
);

it('says that what is shown may be old where it could not be read anew', async () => {
  const { page, axe, context } = await app.open({ path: '/governance' });
  await page.getByRole('heading', { name: 'No proposals here' }).waitFor();
  const mend = await failing(page, '**/governance/proposals?*');
  // Something happened: the page reads anew, in vain.
  const theirs = await app.server.signIn(member.email, member.password);
  const made = await theirs.post('/v2/governance/proposals', { action: 'Buy a boat', estimated_cost: 900 });
  expect(made.status).toBe(201);
  const alert = page.getByRole('alert');
  await alert.getByText('may be out of date').waitFor();
  await page.getByRole('heading', { name: 'No proposals here' }).waitFor();
  expect(await axe()).toEqual([]);
  mend();
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('row').filter({ hasText: 'Buy a boat' }).waitFor();
  await alert.waitFor({ state: 'detached' });
  await context.close();
}, 60_000);

it('keeps the rows so far where the next ones do not come', async () => {
  const { page, axe, context } = await app.open({ path: '/tasks' });
  const rows = page.getByRole('table', { name: 'Tasks' }).locator('tbody tr');
  await expect.poll(() => rows.count(), { timeout: 15_000 }).toBe(50);
  const mend = await failing(page, /\/tasks\?.*cursor=/);
  await page.getByRole('button', { name: 'Show more' }).click();
  await page.getByText('What comes next could not be read.').waitFor();
  // Told at the list, and only there.
  expect(await page.getByRole('alert').count()).toBe(1);
  expect(await rows.count()).toBe(50);
  expect(await axe()).toEqual([]);
  mend();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => rows.count(), { timeout: 15_000 }).toBe(51);
  expect(await page.getByRole('alert').count()).toBe(0);
  await context.close();
}, 60_000);

it('fits a phone', async () => {
  const { page, axe, screenshot, context } = await app.open({ device: 'phone', path: '/settings' });
  await failing(page, '**/api/v1/agents?*');
  await page.goto(`${app.server.url}/chat`);
  await page.getByRole('alert').getByText('the agents to choose from').waitFor();
  await page.getByLabel('Message', { exact: true }).waitFor();
  expect(await axe()).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await screenshot('chat-partial-phone');
  await context.close();
}, 60_000);
