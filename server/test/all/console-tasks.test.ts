import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';

/** The tasks page in a real browser on a real server, with a model that the test holds back. */

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

it('begins a task, is told of it while it runs, and shows its result', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/tasks' });
  await page.getByRole('heading', { name: 'No tasks yet' }).waitFor();
  expect(await axe()).toEqual([]);
  let release = (): void => {};
  const hold = new Promise<void>((resolve) => {
    release = resolve;
  });
  provider.always({ hold, chunks: ['All **three** came in.'] });
  await page.getByRole('button', { name: 'New task' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New task' });
  await dialog.getByLabel('What is to be done').fill('Count the deliveries of today');
  await dialog.getByLabel('Agent', { exact: true }).selectOption({ label: 'Chronos' });
  expect(await axe()).toEqual([]);
  await dialog.getByRole('button', { name: 'Begin' }).click();
  const drawer = page.getByRole('dialog', { name: 'Task' });
  await drawer.getByText('running', { exact: true }).first().waitFor();
  await drawer.getByRole('progressbar').waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('tasks-running');
  release();
  // Told by an event, without a reload.
  await drawer.getByRole('region', { name: 'Result' }).getByText('three').waitFor();
  await drawer.getByText('completed', { exact: true }).first().waitFor();
  await drawer.getByText('Steps').click();
  await drawer.getByText('It used no tools.').waitFor();
  expect(await axe()).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByLabel('State').selectOption('failed');
  await page.getByRole('heading', { name: 'No task matches' }).waitFor();
  await page.getByRole('button', { name: 'Show all tasks' }).click();
  await page.getByRole('row').filter({ hasText: 'Count the deliveries' }).getByText('completed').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it('is told of what happens while a task is being read for the first time', async () => {
  const { page, complaints, context } = await app.open({ path: '/tasks' });
  await page.getByRole('table', { name: 'Tasks' }).waitFor();
  const held = Promise.withResolvers<void>();
  provider.always({ hold: held.promise, chunks: ['Counted.'] });
  const admin = await app.server.signIn();
  const made = await admin.post('/v2/tasks', { description: 'Count the boats', agent_id: 'chronos' });
  const { id } = made.json<{ id: string }>();
  const row = page.locator('tbody tr').filter({ hasText: 'Count the boats' });
  await row.getByText('running', { exact: true }).waitFor();
  // What was read before it ended arrives after the page was told of the end.
  const late = Promise.withResolvers<void>();
  const snapshot = Promise.withResolvers<void>();
  await page.route(
    `**/tasks/${id}`,
    async (route) => {
      const answer = await route.fetch();
      snapshot.resolve();
      await late.promise;
      await route.fulfill({ response: answer });
    },
    { times: 1 },
  );
  await row.click();
  await snapshot.promise;
  held.resolve();
  await row.getByText('completed', { exact: true }).waitFor();
  late.resolve();
  const drawer = page.getByRole('dialog', { name: 'Task' });
  await drawer.getByRole('region', { name: 'Result' }).getByText('Counted.').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it('makes a schedule, shows it in the calendar, lets it rest, changes and deletes it', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/tasks?view=schedules' });
  await page.getByRole('heading', { name: 'Nothing is scheduled' }).waitFor();
  await page.getByRole('button', { name: 'New task' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'New task' });
  await dialog.getByLabel('What is to be done').fill('Write the morning report');
  await dialog.getByLabel('Time zone').selectOption('Europe/Berlin');
  const cron = dialog.getByLabel('Schedule (cron)');
  await cron.fill('61 9 * * *');
  await dialog.getByText('Five fields: minute').waitFor();
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
  await dialog.locator('[aria-invalid="true"]').waitFor();
  await dialog.getByRole('button', { name: 'on weekdays' }).click();
  await dialog.getByText('At 09:00, Monday through Friday').waitFor();
  expect(await dialog.getByRole('status', { name: 'Coming runs' }).getByRole('listitem').count()).toBe(5);
  expect(await axe()).toEqual([]);
  await screenshot('tasks-schedule');
  await dialog.getByRole('button', { name: 'Schedule', exact: true }).click();
  const drawer = page.getByRole('dialog', { name: 'Task' });
  await drawer.getByText('scheduled', { exact: true }).waitFor();
  await drawer.getByRole('button', { name: 'Pause' }).click();
  await drawer.getByText('paused', { exact: true }).first().waitFor();
  await drawer.getByRole('button', { name: 'Go on' }).click();
  await drawer.getByText('scheduled', { exact: true }).waitFor();
  await drawer.getByRole('button', { name: 'Change', exact: true }).click();
  const change = page.getByRole('dialog', { name: 'Change task' });
  await change.getByRole('button', { name: 'every day' }).click();
  await change.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('At 09:00', { exact: true }).waitFor();
  expect(await axe()).toEqual([]);

  const admin = await app.server.signIn();
  for (const body of [
    { description: 'Look for new documents', cron: '*/30 * * * *', agent_id: 'athena' },
    { description: 'Weekly costs by department', cron: '0 16 * * FRI', agent_id: 'prometheus' },
    { description: 'Remind of the lease', scheduled_at: new Date(Date.now() + 3_600_000).toISOString() },
  ]) {
    expect((await admin.post('/v2/tasks', body)).status).toBe(201);
  }
  await page.goto(`${app.server.url}/tasks?view=schedules`);
  await page.getByRole('row').filter({ hasText: 'Weekly costs' }).waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('tasks-schedules');
  await page.getByRole('button', { name: 'Calendar' }).click();
  const calendar = page.getByRole('list', { name: 'Coming runs' });
  await page.getByRole('button', { name: 'Next month' }).click();
  await calendar
    .getByRole('button', { name: /Write the morning report/ })
    .first()
    .waitFor();
  // Every day of the month but for those whose first run is cut off by a view of three.
  await expect
    .poll(() => calendar.getByRole('button', { name: /Write the morning report/ }).count())
    .toBeGreaterThanOrEqual(28);
  expect(await axe()).toEqual([]);
  await screenshot('tasks-calendar');
  await page.getByRole('button', { name: 'Week', exact: true }).click();
  await expect.poll(() => calendar.getByRole('button', { name: /Look for new documents/ }).count()).toBe(7);
  expect(await axe()).toEqual([]);
  await calendar
    .getByRole('button', { name: /Write the morning report/ })
    .first()
    .click();
  await drawer.getByRole('button', { name: 'Delete …' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete task' }).click();
  await page.getByText('The task is deleted').waitFor();
  await expect.poll(() => calendar.getByRole('button', { name: /Write the morning report/ }).count()).toBe(0);
  // The cron that cannot be is a 422, and the task that is gone may be asked for once more: the browser notes both.
  expect(complaints.filter((text) => !/422|404/.test(text))).toEqual([]);
  await context.close();
});

it('cancels what runs, and runs it again', async () => {
  let release = (): void => {};
  provider.always({
    hold: new Promise<void>((resolve) => {
      release = resolve;
    }),
    chunks: ['Done at last.'],
  });
  const admin = await app.server.signIn();
  const made = await admin.post('/v2/tasks', { description: 'Never ends by itself', agent_id: 'chronos' });
  const { id } = made.json<{ id: string }>();
  const { page, complaints, context } = await app.open({ path: `/tasks?task=${id}` });
  const drawer = page.getByRole('dialog', { name: 'Task' });
  await drawer.getByRole('button', { name: 'Cancel …' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel task' }).click();
  await drawer.getByText('cancelled', { exact: true }).first().waitFor();
  release();
  provider.always({ chunks: ['Done at last.'] });
  await drawer.getByRole('button', { name: 'Run again' }).click();
  await drawer.getByText('Done at last.').waitFor();
  expect(complaints.filter((text) => !text.includes('409'))).toEqual([]);
  await context.close();
});

it('offers nothing to make to who may only read', async () => {
  const admin = await app.server.signIn();
  const reader = { email: 'reader@example.com', password: 'a long enough password' };
  expect((await admin.post('/v2/users', { ...reader, name: 'Reader', roles: ['readonly'] })).status).toBe(
    201,
  );
  const { page, axe, context } = await app.open({ path: '/tasks', as: reader });
  await page.getByRole('heading', { name: 'No tasks yet' }).waitFor();
  expect(await page.getByRole('button', { name: 'New task' }).count()).toBe(0);
  expect(await axe()).toEqual([]);
  await context.close();
});

it.each(['light', 'dark'] as const)('is readable on a phone, %s', async (theme) => {
  const { page, axe, screenshot, context } = await app.open({
    device: 'phone',
    theme,
    path: '/tasks?view=calendar',
  });
  await page.getByRole('button', { name: 'Next month' }).click();
  await page.getByRole('list', { name: 'Coming runs' }).getByRole('button').first().waitFor();
  expect(await axe()).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await screenshot(`tasks-calendar-phone-${theme}`);
  await page.getByRole('button', { name: 'Tasks', exact: true }).click();
  await page.getByRole('row').filter({ hasText: 'Count the deliveries' }).waitFor();
  expect(await axe()).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await screenshot(`tasks-phone-${theme}`);
  await context.close();
});
