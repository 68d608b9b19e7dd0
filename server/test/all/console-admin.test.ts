import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { startReceiver } from '../support/receiver.ts';

/** The admin page in a real browser on a real server. */

const ROBOT = { email: 'robot@example.com', name: 'Night robot', type: 'service', roles: ['user'] };
const PLAIN = { email: 'plain@example.com', password: 'a long enough password' };

let app: ConsoleUnderTest;
beforeAll(async () => {
  app = await startConsole({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
  const admin = await app.server.signIn();
  const made = await admin.post('/v2/users', { ...PLAIN, name: 'Plain', roles: ['user'] });
  expect(made.status).toBe(201);
  expect((await admin.post('/v2/users', ROBOT)).status).toBe(201);
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

it('says what each role may, and keeps the keys of services', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/admin?tab=roles' });
  const roles = page.getByRole('table', { name: 'What each role may' });
  const cells = roles.getByRole('row').filter({ hasText: 'Governance' }).getByRole('cell');
  await cells.first().waitFor();
  expect(await cells.allTextContents()).toEqual([
    'Governance',
    'read, propose, vote',
    'read, propose, vote',
    'read, propose',
    'read, propose',
    'read',
  ]);
  expect(await axe()).toEqual([]);
  await screenshot('admin-roles');
  await page.getByRole('tab', { name: 'Keys' }).click();
  const robot = page.getByRole('list', { name: 'Service accounts' }).getByRole('listitem').first();
  await robot.getByRole('heading', { name: 'Night robot' }).waitFor();
  await robot.getByText('No keys.').waitFor();
  const file = page.waitForEvent('download');
  await robot.getByRole('button', { name: 'New key file' }).click();
  expect((await file).suggestedFilename()).toMatch(/^machine-key-.*\.json$/);
  const end = robot.getByRole('button', { name: /^End key/ });
  await end.waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('admin-keys');
  await end.click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'End key' }).click();
  await robot.getByText('No keys.').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it('makes a webhook, tests it, and shows request and response', async () => {
  const receiver = await startReceiver((response, n) =>
    n === 1
      ? response.writeHead(200, { 'content-type': 'application/json' }).end('{"said":"thanks"}')
      : response.writeHead(500).end('no'),
  );
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
    const delivery = page.getByRole('region', { name: 'Delivery' });
    await delivery.getByText('HTTP 200').waitFor();
    await delivery.getByText('"said": "thanks"').waitFor();
    // JSON in lines, and no room between a heading and what it is of.
    expect(await delivery.locator('pre').first().textContent()).toContain('{\n  "event": "webhook.test",');
    const title = await delivery.getByRole('heading', { name: 'Request body' }).boundingBox();
    const body = await delivery.locator('pre').first().boundingBox();
    expect((body?.y ?? 0) - (title?.y ?? 0) - (title?.height ?? 0)).toBeLessThan(12);
    expect(receiver.received).toHaveLength(1);
    expect(await axe()).toEqual([]);
    await screenshot('admin-delivery');
    // One that is refused is told as such.
    await delivery.getByRole('button', { name: 'All deliveries' }).click();
    await page.getByRole('button', { name: 'Send test' }).click();
    await delivery.getByText('HTTP 500').waitFor();
    await delivery.getByText('failed', { exact: true }).waitFor();

    // That of an event is tried again, and says when.
    const admin = await app.server.signIn();
    const made = await admin.post('/v2/webhooks', { url: `${receiver.url}/events`, events: ['*'] });
    const hook = made.json<{ id: string }>().id;
    const another = { email: 'another@example.com', name: 'Another', roles: ['user'] };
    expect((await admin.post('/v2/users', another)).status).toBe(201);
    const answers = async () =>
      (await admin.get(`/v2/webhooks/${hook}/deliveries`))
        .json<{ items: { response_status: number | null }[] }>()
        .items.map((one) => one.response_status);
    await expect.poll(answers, { timeout: 30_000 }).toContain(500);
    await page.goto(`${app.server.url}/admin?tab=webhooks&open=${hook}`);
    const log = page.getByRole('table', { name: 'Deliveries' });
    await log.getByRole('row').filter({ hasText: 'user.created' }).getByText('trying again').click();
    await delivery.getByText(/^Next attempt: /).waitFor();
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
  // People by their names.
  const ofPlain = page.getByRole('row').filter({ hasText: 'user.created' }).filter({ hasText: 'Plain' });
  await ofPlain.getByText('you', { exact: true }).waitFor();
  await ofPlain.click();
  const details = page.getByRole('dialog');
  await details.getByText('Hash before').waitFor();
  expect(await axe()).toEqual([]);
  await details.getByRole('button', { name: 'Show all by this actor' }).click();
  await details.waitFor({ state: 'detached' });
  await page.waitForURL('**actor=**');
  await ofPlain.waitFor();
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
  for (const tab of ['roles', 'keys', 'audit']) {
    await page.goto(`${app.server.url}/admin?tab=${tab}`);
    await page.getByRole('tabpanel').getByRole('heading').first().waitFor();
    if (tab !== 'keys') await page.getByRole('row').nth(1).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), tab).toBe(true);
    // No field stands out of its panel.
    const outside = await page.evaluate(
      `[...document.querySelectorAll('search input, search select')].filter((one) =>
        one.getBoundingClientRect().right > document.documentElement.clientWidth - 16).length`,
    );
    expect(outside, tab).toBe(0);
  }
  await context.close();
});
