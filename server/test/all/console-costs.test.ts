import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import { newPerson } from '../support/shapes.ts';

/** The costs page in a real browser on a real server. */

let app: ConsoleUnderTest;
let provider: TestProvider;
beforeAll(async () => {
  provider = await startTestProvider();
  provider.always({
    chunks: ['Rent is the largest part, then salaries, then the small things of every day.'],
  });
  app = await startConsole({
    env: {
      MODEL: 'compatible/large-model',
      MODELS: 'compatible/small-model',
      COMPATIBLE_BASE_URL: provider.url,
      COMPATIBLE_API_KEY: 'x',
    },
    files: {
      PRICES_FILE: {
        'compatible/large-model': { input: 60, cached_input: 6, output: 240 },
        'compatible/small-model': { input: 20, cached_input: 2, output: 80 },
      },
    },
  });
  const admin = await app.server.signIn();
  for (const [agent, model] of [
    ['zeus', 'large-model'],
    ['athena', 'small-model'],
    ['prometheus', 'large-model'],
    ['prometheus', 'small-model'],
  ]) {
    const context = { agent_id: agent, model: `compatible/${model}` };
    const answer = await admin.post('/api/v1/chat', { message: 'What do we spend most on?', context });
    expect(answer.status).toBe(200);
  }
});
afterAll(async () => {
  await app?.close();
  await provider?.close();
});

it('shows what was spent by period and scope, and what may still be spent', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/costs' });
  const agents = page.getByRole('table', { name: 'By agent' });
  await agents.getByRole('cell', { name: 'Prometheus' }).waitFor();
  await page.getByRole('table', { name: 'By user' }).getByRole('cell', { name: 'you' }).waitFor();
  const limits = page.getByRole('list', { name: 'Limits' });
  await limits.getByRole('heading', { name: 'Organisation, a month' }).waitFor();
  expect(await limits.getByRole('listitem').count()).toBe(3);
  expect(await axe()).toEqual([]);
  await screenshot('costs');
  await page.getByRole('button', { name: 'Mine' }).click();
  await page.waitForURL('**/costs?scope=me');
  await page.getByRole('region', { name: 'By user' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Custom' }).click();
  await page.getByText('Choose the first and the last day.').waitFor();
  await page.getByLabel('From', { exact: true }).fill('2026-01-01');
  await page.getByLabel('To (inclusive)').fill('2026-01-02');
  await page.getByText('Nothing was spent in this period.').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it('hands out the metered calls as CSV', async () => {
  const { page, context } = await app.open({ path: '/costs' });
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'CSV' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('costs-month.csv');
  expect(readFileSync(await file.path(), 'utf8').split('\n')[0]).toMatch(/,.*cost/);
  await context.close();
});

it('sets, changes and removes a limit, and never removes one by an empty field', async () => {
  const { page, axe, complaints, context } = await app.open({ path: '/costs' });
  const limits = page.getByRole('list', { name: 'Limits' });
  await page.getByRole('button', { name: 'Add limit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('For').selectOption('agent');
  await dialog.getByLabel('Agent', { exact: true }).selectOption({ label: 'Zeus' });
  await dialog.getByRole('button', { name: 'Set limit' }).click();
  await dialog.getByText('must be a number').waitFor();
  expect(await axe()).toEqual([]);
  await dialog.getByLabel('US dollars').fill('12.5');
  await dialog.getByRole('button', { name: 'Set limit' }).click();
  await page.getByText('The limit is set').waitFor();
  const zeus = limits.getByRole('listitem').filter({ hasText: 'Zeus, a month' });
  expect(await zeus.textContent()).toContain('$12.50');
  await zeus.getByRole('button', { name: /^Change limit/ }).click();
  await dialog.getByRole('button', { name: 'Remove limit' }).click();
  await page.getByText('The limit is removed').waitFor();
  await zeus.waitFor({ state: 'detached' });
  // For a person, by name.
  const admin = await app.server.signIn();
  const person = { email: 'paula@example.com', password: 'a long enough password' };
  const made = await admin.post('/v2/users', { ...person, name: 'Paula', roles: ['user'] });
  expect(made.status).toBe(201);
  await page.getByRole('button', { name: 'Add limit' }).click();
  await dialog.getByLabel('For').selectOption('user');
  await dialog.getByLabel('User', { exact: true }).selectOption({ label: 'Paula (paula@example.com)' });
  await dialog.getByLabel('Per').selectOption('day');
  await dialog.getByLabel('US dollars').fill('3');
  await dialog.getByRole('button', { name: 'Set limit' }).click();
  await limits.getByRole('heading', { name: 'Paula, a day' }).waitFor();
  expect(await axe()).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

it('shows their own costs, and no way to change limits, to who may only read', async () => {
  const admin = await app.server.signIn();
  const reader = { email: 'reader@example.com', password: 'a long enough password' };
  await admin.post('/v2/users', { ...reader, name: 'Reader', roles: ['readonly'] });
  const { page, context } = await app.open({ path: '/costs', as: reader });
  await page.getByRole('list', { name: 'Limits' }).waitFor();
  await page.getByText('Nothing was spent in this period.').waitFor();
  expect(await page.getByRole('button', { name: 'Organisation' }).count()).toBe(0);
  expect(await page.getByRole('button', { name: 'Add limit' }).count()).toBe(0);
  await context.close();
});

it('tells of a failed read with the request’s id, and reads again', async () => {
  const { page, context } = await app.open({ path: '/agents' });
  let failing = true;
  await page.route('**/api/v1/costs/usage?*', (route) =>
    failing
      ? route.fulfill({
          status: 500,
          headers: { 'x-api-version': '2.0.0', 'x-request-id': 'req-of-the-test' },
          json: {
            error: { code: 'INTERNAL_ERROR', message: 'broken', request_id: 'req-of-the-test', details: {} },
          },
        })
      : route.continue(),
  );
  await page.goto(`${app.server.url}/costs`);
  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.textContent()).toContain('req-of-the-test');
  failing = false;
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('region', { name: 'By agent' }).waitFor();
  await context.close();
});

it.each(['light', 'dark'] as const)('is readable on a phone, %s', async (theme) => {
  const { page, axe, screenshot, context } = await app.open({ device: 'phone', theme, path: '/costs' });
  await page.getByRole('list', { name: 'Limits' }).waitFor();
  expect(await axe()).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await screenshot(`costs-phone-${theme}`);
  await context.close();
});

it(req('COST-27', 'shows the first people of many by their costs, and the rest on demand'), async () => {
  const { page, axe, complaints, context } = await app.open({ path: '/settings' });
  // What the server answers with is cut to pages of one, so that two people are many.
  await page.route('**/costs/usage?*', (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('users_limit', '1');
    return route.continue({ url: url.href });
  });
  const admin = await app.server.signIn();
  const person = await newPerson(app.server, admin);
  expect((await person.post('/api/v1/chat', { message: 'Once more' })).status).toBe(200);
  await page.getByRole('link', { name: 'Costs' }).click();
  const users = page.getByRole('region', { name: 'By user' });
  await users.getByText('The first 1 of 2 people, by what they have cost.').waitFor();
  await users.getByText('1 of 2', { exact: true }).waitFor();
  expect(await axe()).toEqual([]);
  await users.getByRole('button', { name: 'Show more' }).click();
  await users.getByText('2 of 2', { exact: true }).waitFor();
  expect(await users.getByRole('row').count()).toBe(3);
  expect(await users.getByText(/^The first/).count()).toBe(0);
  expect(await users.getByRole('button', { name: 'Show more' }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});
