import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';

/** The agents' page in a real browser on a real server. */

let app: ConsoleUnderTest;
beforeAll(async () => {
  app = await startConsole();
  const admin = await app.server.signIn();
  for (const agent of ['zeus', 'zeus', 'athena', 'iris']) {
    const answer = await admin.post('/api/v1/chat', { message: 'Hello', context: { agent_id: agent } });
    expect(answer.status).toBe(200);
  }
});
afterAll(() => app?.close());

it('shows eleven agents with what was measured, by window', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/agents' });
  await page.locator('canvas').waitFor();
  expect(await page.getByRole('article').count()).toBe(11);
  const zeus = page.getByRole('article').filter({ hasText: 'Zeus' });
  expect(await zeus.textContent()).toMatch(/idle.*Runs2.*Success100%/);
  expect(await axe()).toEqual([]);
  await screenshot('agents');
  await page.getByRole('button', { name: '7d', exact: true }).click();
  await page.waitForURL('**/agents?window=7d');
  await page.getByRole('heading', { name: 'By agent, last 7d' }).waitFor();
  await zeus.getByText('100%').waitFor();
  await page.getByRole('button', { name: 'p95 latency' }).click();
  await page.getByRole('img', { name: 'p95 latency of each agent in the last 7d' }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it('changes an agent, and shows at the field what the API refuses', async () => {
  const { page, axe, screenshot, complaints, context } = await app.open({ path: '/agents?agent=athena' });
  const drawer = page.getByRole('dialog').filter({ has: page.getByRole('table') });
  await drawer.getByRole('table').waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('agents-detail');

  await drawer.getByLabel('Model').fill('no-such-provider/model');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await drawer.getByLabel('Model').and(page.locator('[aria-invalid="true"]')).waitFor();
  expect(await axe()).toEqual([]);

  await drawer.getByLabel('Model').fill('');
  await drawer.getByLabel('Instructions').fill('Answer in two sentences.');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Athena is changed').waitFor();
  await drawer.getByRole('switch', { name: 'Enabled' }).click();
  await page.getByText('Athena is disabled').waitFor();
  const admin = await app.server.signIn();
  const status = (await admin.get('/api/v1/agents/athena')).json<Record<string, unknown>>();
  expect(status).toMatchObject({ enabled: false, instructions: 'Answer in two sentences.', model: null });

  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  expect(new URL(page.url()).search).toBe('');
  await page.getByRole('article').filter({ hasText: 'Athena' }).getByText('disabled').waitFor();
  expect((await admin.patch('/api/v1/agents/athena', { enabled: true })).status).toBe(200);
  // The refused save is a 422, which the browser notes.
  expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
  await context.close();
});

it('shows figures and no settings to who may only read', async () => {
  const admin = await app.server.signIn();
  const reader = { email: 'reader@example.com', password: 'a long enough password' };
  const made = await admin.post('/v2/users', { ...reader, name: 'Reader', roles: ['readonly'] });
  expect(made.status).toBe(201);
  const { page, context } = await app.open({ path: '/agents?agent=zeus', as: reader });
  const drawer = page.getByRole('dialog', { name: /Zeus/ });
  await drawer.getByRole('table').waitFor();
  expect(await drawer.getByRole('button', { name: 'Save' }).count()).toBe(0);
  await context.close();
});

it('says why an agent is degraded', async () => {
  const { page, axe, context } = await app.open({ path: '/settings' });
  await page.route('**/api/v1/agents?*', async (route) => {
    const answer = await route.fetch();
    const agents = (await answer.json()) as { id: string }[];
    await route.fulfill({
      response: answer,
      json: agents.map((one) => (one.id === 'zeus' ? { ...one, state: 'degraded' } : one)),
    });
  });
  await page.goto(`${app.server.url}/agents?agent=zeus`);
  await page.getByText('the model that it uses does not answer at the moment').waitFor();
  expect(await axe()).toEqual([]);
  await context.close();
});

it('tells of a failed read with the request’s id, and reads again', async () => {
  const { page, axe, context } = await app.open({ path: '/no/such/page' });
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  let failing = true;
  await page.route('**/api/v1/agents?*', (route) =>
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
  await page.getByRole('link', { name: 'Agents' }).first().click();
  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.textContent()).toContain('req-of-the-test');
  expect(await axe()).toEqual([]);
  failing = false;
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: /^Zeus/ }).waitFor();
  await context.close();
});

it.each(['light', 'dark'] as const)('is readable on a phone, %s', async (theme) => {
  const { page, axe, screenshot, context } = await app.open({ device: 'phone', theme, path: '/agents' });
  await page.locator('canvas').waitFor();
  expect(await axe()).toEqual([]);
  await screenshot(`agents-phone-${theme}`);
  await context.close();
});

it('is readable in the dark', async () => {
  const { page, axe, screenshot, context } = await app.open({ theme: 'dark', path: '/agents' });
  await page.locator('canvas').waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('agents-dark');
  await context.close();
});
