import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';

/** One's own settings in a real browser on a real server. */

const READER = { email: 'reader@example.com', password: 'a long enough password' };
const PERSON = { email: 'person@example.com', password: 'a long enough password' };

let app: ConsoleUnderTest;
beforeAll(async () => {
  app = await startConsole();
  const admin = await app.server.signIn();
  for (const [person, roles] of [
    [READER, ['readonly']],
    [PERSON, ['user']],
  ] as const) {
    const made = await admin.post('/v2/users', { ...person, name: 'Somebody', roles });
    expect(made.status).toBe(201);
  }
});
afterAll(() => app?.close());

it('changes name, theme and password', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/settings', as: PERSON });
  const name = page.getByLabel('Name', { exact: true });
  await name.waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('settings');
  await name.fill('Ada Example');
  await page.getByRole('button', { name: 'Save name' }).click();
  await page.getByText('Your name is changed').waitFor();
  await page.getByRole('button', { name: /Account: .*Ada Example/ }).waitFor();

  await page.getByRole('button', { name: 'Dark' }).click();
  expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  expect(await axe()).toEqual([]);

  await page.getByLabel('Current password').fill('not the password');
  await page.getByLabel('New password').fill('another long password');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.locator('[role="alert"], [aria-invalid="true"]').first().waitFor();
  await page.getByLabel('Current password').fill(PERSON.password);
  await page.getByLabel('New password').fill('another long password');
  await page.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Your password is changed').waitFor();
  await app.server.signIn(PERSON.email, 'another long password');
  // The refused change is a 4xx, which the browser notes.
  expect(complaints.filter((text) => !/status of 4(00|01|03|22)/.test(text))).toEqual([]);
  await context.close();
});

it('shows what the agents honour, and sets, corrects and forgets it', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({
    path: '/settings?tab=preferences',
  });
  const row = (label: string) => page.getByRole('listitem').filter({ hasText: label });
  await row('Tone').getByText('Not set').waitFor();
  expect(await axe()).toEqual([]);
  // Said in a conversation.
  const admin = await app.server.signIn();
  await admin.post('/v2/chat', { message: 'Please answer me in German from now on. I love rhubarb cake.' });
  await expect
    .poll(async () => (await admin.get('/v2/memory/preferences')).json<{ total: number }>().total)
    .toBeGreaterThan(0);
  await page.reload();
  await row('rhubarb').getByText('said in a conversation').waitFor();

  await page.getByRole('button', { name: 'Set: Tone' }).click();
  await page.getByLabel('Tone').fill('friendly');
  await page.keyboard.press('Enter');
  await row('Tone').getByText('friendly').waitFor();
  await row('Tone').getByText('set by you').waitFor();
  await page.getByRole('button', { name: 'Set: Time zone' }).click();
  await page.getByLabel('Time zone').fill('Atlantis');
  await page.keyboard.press('Enter');
  await page.getByText(/Atlantis is no time zone/).waitFor();
  expect(await axe()).toEqual([]);
  // What was refused is not said any more once it is edited.
  await page.getByLabel('Time zone').fill('europe/madrid');
  await page.getByText(/Atlantis is no time zone/).waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await row('Time zone').getByText('Europe/Madrid').waitFor();
  await page.getByRole('button', { name: 'Correct: Tone' }).click();
  await page.getByLabel('Tone').fill('dry');
  await page.keyboard.press('Enter');
  await row('Tone').getByText('dry').waitFor();
  await page.getByLabel('Something else').fill('likes examples from physics');
  await page.getByRole('button', { name: 'Add' }).click();
  await row('likes examples from physics').waitFor();
  await page.getByRole('button', { name: 'Correct: likes examples from physics' }).click();
  await page.getByLabel('likes examples from physics').fill('likes examples from music');
  await page.keyboard.press('Enter');
  await row('likes examples from music').waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('settings-preferences');
  const texts = async () =>
    (await admin.get('/v2/memory/preferences?limit=100'))
      .json<{ items: { text: string }[] }>()
      .items.map(({ text }) => text);
  expect(await texts()).toEqual(expect.arrayContaining(['wants a dry tone', 'likes examples from music']));

  await page.getByRole('button', { name: 'Delete: likes examples from music' }).click();
  await page.getByRole('button', { name: 'Forget it' }).click();
  await page.getByText('It is forgotten').waitFor();
  await row('likes examples from music').waitFor({ state: 'detached' });
  expect(await texts()).not.toContain('likes examples from music');
  expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
  await context.close();
});

it('makes a token, shows it once, and revokes it', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/settings?tab=tokens' });
  await page.getByRole('heading', { name: 'No tokens' }).waitFor();
  expect(await axe()).toEqual([]);
  await page.getByRole('button', { name: 'New token' }).click();
  await page.getByLabel('Name').fill('laptop');
  await page.getByRole('button', { name: 'Create token' }).click();
  const shown = page.getByRole('dialog', { name: /Token “laptop” is made/ });
  const token = (await shown.locator('code').textContent()) ?? '';
  expect(token.length).toBeGreaterThan(20);
  expect(await axe()).toEqual([]);
  const asToken = { authorization: `Bearer ${token}` };
  expect((await fetch(`${app.server.url}/v2/auth/me`, { headers: asToken })).status).toBe(200);
  await shown.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('row', { name: /laptop/ }).waitFor();
  expect(await page.content()).not.toContain(token);
  await screenshot('settings-tokens');

  await page.getByRole('button', { name: 'Revoke laptop' }).click();
  await page.getByRole('button', { name: 'Revoke token' }).click();
  await page.getByText('Token “laptop” is revoked').waitFor();
  await page.getByRole('heading', { name: 'No tokens' }).waitFor();
  expect((await fetch(`${app.server.url}/v2/auth/me`, { headers: asToken })).status).toBe(401);
  expect(complaints).toEqual([]);
  await context.close();
});

it('makes an API key that may less than its owner', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/settings?tab=keys' });
  await page.getByRole('button', { name: 'New key' }).click();
  const form = page.getByRole('dialog', { name: 'New API key' });
  await form.getByRole('button', { name: 'Create key' }).click();
  await form.getByLabel('Name').and(page.locator('[aria-invalid="true"]')).waitFor();
  await form.getByLabel('Name').fill('report');
  await form.getByRole('checkbox', { name: 'chat:write' }).click();
  expect(await axe()).toEqual([]);
  await screenshot('settings-new-key');
  await form.getByRole('button', { name: 'Create key' }).click();
  const shown = page.getByRole('dialog', { name: /Key “report” is made/ });
  const key = (await shown.locator('code').textContent()) ?? '';
  const me = await fetch(`${app.server.url}/v2/auth/me`, { headers: { authorization: `Bearer ${key}` } });
  expect(await me.json()).toMatchObject({ credential: 'api_key', permissions: ['agents:read'] });
  await shown.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('row', { name: /report.*agents:read/ }).waitFor();
  // The refused first try is a 422, which the browser notes.
  expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
  await context.close();
});

it('ends another session, and not the one in use', async () => {
  await app.server.signIn();
  const { page, axe, screenshot, context } = await app.open({ path: '/settings?tab=sessions' });
  const end = page.getByRole('button', { name: 'End session', exact: true });
  await end.first().waitFor();
  expect(await page.getByText('this session').count()).toBe(1);
  expect(await axe()).toEqual([]);
  await screenshot('settings-sessions');
  const before = await end.count();
  await end.first().click();
  await page.getByRole('button', { name: 'End session now' }).click();
  await page.getByText('The session has ended').waitFor();
  await expect.poll(() => end.count()).toBe(before - 1);
  await context.close();
});

it('shows the inbox with a count, reads it, and chooses channels', async () => {
  const admin = await app.server.signIn();
  const task = await admin.post('/v2/tasks', { description: 'Say hello', agent_id: 'zeus' });
  expect(task.status).toBe(201);
  await expect
    .poll(async () => (await admin.get('/v2/notifications/unread')).json<{ unread: number }>().unread, {
      timeout: 30_000,
    })
    .toBeGreaterThan(0);
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/agents' });
  await page.getByRole('link', { name: /Inbox, \d+ unread/ }).click();
  await page.waitForURL('**/settings?tab=inbox');
  await page.getByText('unread', { exact: true }).first().waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('settings-inbox');
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await page.getByText('All are marked as read').waitFor();
  await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Unread' }).click();
  await page.getByRole('heading', { name: 'Everything is read' }).waitFor();

  await page.getByRole('tab', { name: 'Notifications' }).click();
  const tasks = page.getByRole('region', { name: 'Tasks' });
  const inbox = tasks.getByRole('switch', { name: 'Inbox' });
  const was = await inbox.getAttribute('aria-checked');
  await inbox.click();
  await expect.poll(() => inbox.getAttribute('aria-checked')).not.toBe(was);
  expect(await axe()).toEqual([]);
  await screenshot('settings-notifications');
  const kept = (await admin.get('/v2/notifications/preferences')).json<{
    categories: { tasks: { inbox: boolean } };
  }>();
  expect(String(kept.categories.tasks.inbox)).not.toBe(was);
  expect(complaints).toEqual([]);
  await context.close();
});

it('offers nothing to change to who may only read, and names the request of a failed read', async () => {
  const { page, context } = await app.open({ path: '/settings', as: READER });
  expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
  expect(await page.getByRole('button', { name: 'Save name' }).count()).toBe(0);
  await page.route('**/v2/users/me/tokens?*', (route) =>
    route.fulfill({
      status: 500,
      headers: { 'x-api-version': '2.0.0', 'x-request-id': 'req-of-the-test' },
      json: {
        error: { code: 'INTERNAL_ERROR', message: 'broken', request_id: 'req-of-the-test', details: {} },
      },
    }),
  );
  await page.getByRole('tab', { name: 'Personal tokens' }).click();
  await page.getByRole('alert').filter({ hasText: 'req-of-the-test' }).waitFor();
  await page.unroute('**/v2/users/me/tokens?*');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'No tokens' }).waitFor();
  expect(await page.getByRole('button', { name: 'New token' }).count()).toBe(0);
  await context.close();
});

it.each(['light', 'dark'] as const)('is readable on a phone, %s', async (theme) => {
  const { page, axe, screenshot, context } = await app.open({ device: 'phone', theme, path: '/settings' });
  await page.getByLabel('Name', { exact: true }).waitFor();
  expect(await axe()).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await screenshot(`settings-phone-${theme}`);
  await context.close();
});
