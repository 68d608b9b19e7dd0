import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { startReceiver } from '../support/receiver.ts';

/** The admin page in a real browser on a real server. */

const PLAIN = { email: 'plain@example.com', password: 'a long enough password' };

let app: ConsoleUnderTest;
beforeAll(async () => {
  app = await startConsole({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const admin = await app.server.signIn();
  const made = await admin.post('/v2/users', { ...PLAIN, name: 'Plain', roles: ['user'] });
  expect(made.status).toBe(201);
});
afterAll(() => app?.close());

it('invites, finds, changes, deactivates and erases a user', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/admin?tab=users' });
  await page.getByRole('row', { name: /plain@example.com/ }).waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('admin-users');
  await page.getByRole('button', { name: 'New user' }).click();
  const form = page.getByRole('dialog', { name: 'New user' });
  await form.getByLabel('E-mail').fill('guest@example.com');
  await form.getByLabel('Name').fill('Guest');
  expect(await axe()).toEqual([]);
  await form.getByRole('button', { name: 'Create user' }).click();
  const link = page.getByRole('dialog', { name: 'Invitation link' });
  expect(await link.locator('code').textContent()).toMatch(/^http/);
  await link.getByRole('button', { name: 'I have copied it' }).click();

  await page.getByLabel('Search').fill('guest');
  await page.waitForURL('**q=guest**');
  await page.getByRole('row', { name: /plain@example.com/ }).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /guest@example.com.*invited/ }).click();
  const drawer = page.getByRole('dialog', { name: 'Guest' });
  await drawer.getByRole('checkbox', { name: 'analyst' }).click();
  await drawer.getByRole('button', { name: 'Save' }).click();
  await page.getByText('guest@example.com is changed').waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('admin-user');

  await drawer.getByRole('button', { name: 'Erase data' }).click();
  const erase = page.getByRole('dialog', { name: /Erase the data/ });
  const go = erase.getByRole('button', { name: 'Erase data' });
  expect(await go.isDisabled()).toBe(true);
  await erase.getByLabel(/Type guest@example.com/).fill('guest@example.com');
  await go.click();
  await page.getByText(/records of guest@example.com are erased/).waitFor();
  await drawer.getByRole('button', { name: 'Deactivate' }).click();
  await page.getByRole('button', { name: 'Deactivate account' }).click();
  await page.getByText('guest@example.com is deactivated').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it('makes a webhook, tests it, and shows request and response', async () => {
  const receiver = await startReceiver((response) => response.writeHead(200).end('thanks'));
  try {
    const { page, axe, complaints, screenshot, context } = await app.open({ path: '/admin?tab=webhooks' });
    await page.getByRole('heading', { name: 'No webhooks' }).waitFor();
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('Address').fill(receiver.url);
    expect(await axe()).toEqual([]);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    const secret = page.getByRole('dialog', { name: 'Signing secret' });
    expect(await secret.locator('code').textContent()).toMatch(/^whsec_/);
    await secret.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('row', { name: new RegExp(String(receiver.port)) }).click();
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText('HTTP 200').waitFor();
    await page.getByText('thanks').waitFor();
    expect(receiver.received).toHaveLength(1);
    expect(await axe()).toEqual([]);
    await screenshot('admin-delivery');
    expect(complaints).toEqual([]);
    await context.close();
  } finally {
    await receiver.close();
  }
});

it('makes an OAuth client and a tenant', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/admin?tab=clients' });
  await page.getByRole('button', { name: 'New client' }).click();
  await page.getByLabel('Name').fill('Intranet');
  await page.getByLabel('Kind').selectOption('confidential');
  await page.getByLabel('Redirect addresses').fill('https://intranet.example.com/callback');
  await page.getByRole('button', { name: 'Create client' }).click();
  await page.getByRole('button', { name: 'I have copied it' }).click();
  await page.getByRole('row', { name: /Intranet/ }).waitFor();
  expect(await axe()).toEqual([]);
  await page.getByRole('tab', { name: 'Tenants' }).click();
  await page.getByRole('button', { name: 'New tenant' }).click();
  await page.getByLabel('Name').fill('Branch');
  await page.getByLabel('Slug').fill('branch');
  await page.getByRole('button', { name: 'Create tenant' }).click();
  await page.getByRole('row', { name: /Branch.*active/ }).waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('admin-tenants');
  expect(complaints).toEqual([]);
  await context.close();
});

it('filters the audit, opens an event, and verifies the chain', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/admin?tab=audit' });
  await page.getByText(/chain verified, \d+ events/).waitFor();
  await page.getByRole('row').nth(1).waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('admin-audit');
  await page.getByRole('row').nth(1).click();
  await page.getByText('Hash before').waitFor();
  expect(await axe()).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByLabel('Action').fill('no.such.action');
  await page.getByRole('heading', { name: 'No events' }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it('is closed to a plain user, and readable on a phone', async () => {
  const closed = await app.open({ path: '/admin', as: PLAIN });
  await closed.page.getByRole('heading', { level: 1 }).waitFor();
  expect(await closed.page.getByRole('link', { name: 'Admin' }).count()).toBe(0);
  expect(await closed.page.getByRole('tab').count()).toBe(0);
  await closed.context.close();
  const { page, axe, screenshot, context } = await app.open({
    device: 'phone',
    theme: 'dark',
    path: '/admin',
  });
  await page.getByRole('row', { name: /plain@example.com/ }).waitFor();
  expect(await axe()).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  await screenshot('admin-phone');
  await context.close();
});
