import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';

/** The MCP pages in a real browser on a real server, with a server of tools that changes while it is looked at. */

const FIXTURE = path.join(import.meta.dirname, '..', 'mcp', 'fixture-server.ts');
let app: ConsoleUnderTest;
beforeAll(async () => {
  app = await startConsole({ env: { MCP_ALLOW_STDIO: `*: ${process.execPath} **` } });
});
afterAll(() => app?.close());

const openTool = async (page: Page, name: string) => {
  await page.getByRole('table', { name: 'Tools' }).getByText(name, { exact: true }).click();
  const drawer = page.getByRole('dialog');
  await drawer
    .getByRole('region', { name: 'Try it' })
    .or(drawer.getByText('Until someone accepts it'))
    .waitFor();
  return drawer;
};
const close = async (page: Page): Promise<void> => {
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
};

it('says what to do when there is no server, tries one, registers it, and shows its tools', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/tools' });
  await page.getByRole('heading', { name: 'No servers yet' }).waitFor();
  expect(await axe()).toEqual([]);
  await page.getByRole('button', { name: 'Register server' }).first().click();
  const dialog = page.getByRole('dialog', { name: 'Register server' });
  await dialog.getByLabel('Name', { exact: true }).fill('Not A Name');
  await dialog.getByLabel('Reached by').selectOption('stdio');
  await dialog.getByLabel('Command').fill(process.execPath);
  await dialog.getByLabel('Arguments, one a line').fill(`${FIXTURE}\n{"extraTools":["ech0"]}`);
  await dialog.getByRole('group', { name: 'Environment' }).getByRole('button', { name: 'Add' }).click();
  await dialog.getByLabel('Name 1').fill('SHOP_KEY');
  await dialog.getByLabel('Value 1').fill('only-goes-in-4711');
  await dialog.getByRole('button', { name: 'Try the connection' }).click();
  await dialog.getByText('it answers').waitFor();
  await dialog.getByRole('button', { name: 'Register', exact: true }).click();
  await dialog.getByLabel('Name', { exact: true }).and(dialog.locator('[aria-invalid="true"]')).waitFor();
  expect(await axe()).toEqual([]);
  await dialog.getByLabel('Name', { exact: true }).fill('shop');
  await dialog.getByLabel('Title').fill('Shop');
  await screenshot('mcp-register');
  await dialog.getByRole('button', { name: 'Register', exact: true }).click();
  await page.waitForURL('**/tools/shop');
  await page.getByRole('table', { name: 'Tools' }).getByText('echo', { exact: true }).waitFor();
  await page.getByText('look-alike').first().waitFor();
  expect(await axe()).toEqual([]);
  expect(await page.content()).not.toContain('only-goes-in-4711');
  await screenshot('mcp-server');
  // The refused name is a 422, which the browser notes.
  expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
  await context.close();
});

it('accepts the new tools that were shown, by their fingerprints, and none that a warning stands at', async () => {
  const { page, complaints, context } = await app.open({ path: '/tools/shop' });
  await page.getByText('look-alike').first().waitFor();
  const sent = page.waitForRequest((request) => request.url().endsWith('/tools/accept'));
  await page.getByRole('button', { name: 'Accept tools' }).click();
  const { fingerprints = {} } = (await sent).postDataJSON() as { fingerprints?: Record<string, string> };
  expect(Object.keys(fingerprints)).toEqual(expect.arrayContaining(['honest', 'picture']));
  expect(Object.keys(fingerprints)).not.toContain('ech0');
  await page.getByText('to be looked at one by one').waitFor();
  // What is left is accepted where it is read.
  await page.getByRole('button', { name: 'Accept tools' }).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
  await context.close();
});

it('calls a tool from a form of its schema, and shows what came, errors too', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/tools/shop' });
  let drawer = await openTool(page, 'echo');
  await drawer.getByRole('button', { name: 'Call echo' }).click();
  // Without its text the server refuses it, at the field.
  await drawer.getByRole('alert').or(drawer.locator('[aria-invalid="true"]')).first().waitFor();
  await drawer.getByLabel('text', { exact: true }).fill('Good morning');
  await drawer.getByRole('button', { name: 'Call echo' }).click();
  const result = drawer.getByRole('region', { name: 'Result' });
  await result.getByText('Good morning').waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('mcp-call');
  await drawer.getByRole('button', { name: 'JSON', exact: true }).click();
  expect(await drawer.getByLabel('Arguments', { exact: true }).inputValue()).toContain('Good morning');
  await close(page);

  drawer = await openTool(page, 'honest');
  await drawer.getByRole('button', { name: 'Call honest' }).click();
  await drawer.getByText('structured content', { exact: true }).waitFor();
  await close(page);
  drawer = await openTool(page, 'picture');
  await drawer.getByRole('button', { name: 'Call picture' }).click();
  await drawer.getByRole('img').waitFor();
  await close(page);
  drawer = await openTool(page, 'fails');
  await drawer.getByRole('button', { name: 'Call fails' }).click();
  await drawer.getByText('the tool reports an error').waitFor();
  await drawer.getByText('it went wrong').waitFor();
  expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
  await context.close();
});

it('holds a changed tool back, shows what changed, and accepts it', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/tools/shop' });
  const drawer = await openTool(page, 'change');
  await drawer.getByLabel('to', { exact: true }).fill('Says it back to everyone');
  await drawer.getByRole('button', { name: 'Call change' }).click();
  await drawer.getByRole('region', { name: 'Result' }).waitFor();
  await page.goto(`${app.server.url}/tools/shop?tool=echo`);
  const echo = page.getByRole('dialog');
  await echo.getByRole('region', { name: 'Change to accept' }).waitFor();
  expect(await echo.locator('ins').first().textContent()).toContain('to everyone');
  expect(await echo.getByRole('button', { name: 'Call echo' }).count()).toBe(0);
  expect(await axe()).toEqual([]);
  await screenshot('mcp-change');
  await echo.getByRole('button', { name: 'Accept the change' }).click();
  await echo.getByRole('button', { name: 'Call echo' }).waitFor();
  await page.getByText('“echo” is accepted as it is now').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it('asks for approval where the policy says so, and shows the proposal in place', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open({ path: '/tools/shop?tool=echo' });
  const drawer = page.getByRole('dialog');
  await drawer.getByText('Change its policy').click();
  await drawer.getByLabel('Approval').selectOption('human');
  await drawer.getByLabel('Cost of a call').fill('12.5');
  await drawer.getByRole('button', { name: 'Save policy' }).click();
  await drawer.getByText('a person decides', { exact: true }).waitFor();
  await drawer.getByLabel('text', { exact: true }).fill('Buy it');
  await drawer.getByRole('button', { name: 'Call echo' }).click();
  const card = drawer.getByRole('region', { name: 'Approval needed' });
  await card.getByText('You asked for this yourself: somebody else must decide.').waitFor();
  expect(await card.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  expect(await axe()).toEqual([]);
  await screenshot('mcp-approval');
  await card.getByRole('link', { name: 'Open in Governance' }).click();
  await page.waitForURL('**/governance?*proposal=*');
  await page
    .getByRole('dialog')
    .getByRole('region', { name: 'Tool call' })
    .getByText('shop / echo')
    .waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it('restarts, switches off, changes and removes a server', async () => {
  const { page, complaints, context } = await app.open({ path: '/tools/shop' });
  await page.getByRole('button', { name: 'Restart' }).click();
  await page.getByText('Restarted and connected').waitFor();
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByLabel('Title').fill('The shop');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { name: 'The shop', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'More', exact: true }).last().click();
  await page.getByRole('menuitem', { name: 'Switch off' }).click();
  await page.getByText('switched off', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'More', exact: true }).last().click();
  await page.getByRole('menuitem', { name: 'Switch on' }).click();
  await page.getByText('connected', { exact: true }).waitFor();

  const admin = await app.server.signIn();
  const made = await admin.post('/api/v1/mcp/servers', {
    name: 'broken',
    transport: 'stdio',
    command: process.execPath,
    args: [FIXTURE, '{"exitAfterMs":1}'],
  });
  expect(made.status, made.text).toBe(201);
  await page.goto(`${app.server.url}/tools/broken`);
  await page.getByText('Last error').waitFor();
  await page.getByRole('tab', { name: 'Log' }).click();
  await page.getByRole('list', { name: 'Lines, newest last' }).getByRole('listitem').first().waitFor();
  await page.getByRole('button', { name: 'More', exact: true }).last().click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove server' }).click();
  await page.waitForURL('**/tools');
  await page.getByText('“broken” is removed').waitFor();
  // A server that does not answer is a 503, and one that is just gone may be asked for once more: the browser notes both.
  expect(complaints.filter((text) => !/404|503/.test(text))).toEqual([]);
  await context.close();
});

it('offers nothing to change to who may only read', async () => {
  const admin = await app.server.signIn();
  const reader = { email: 'reader@example.com', password: 'a long enough password' };
  expect((await admin.post('/v2/users', { ...reader, name: 'Reader', roles: ['readonly'] })).status).toBe(
    201,
  );
  const { page, axe, complaints, context } = await app.open({ path: '/tools', as: reader });
  await page.getByRole('row').filter({ hasText: 'The shop' }).waitFor();
  expect(await page.getByRole('button', { name: 'Register server' }).count()).toBe(0);
  await page.getByRole('row').filter({ hasText: 'The shop' }).click();
  await page.getByRole('table', { name: 'Tools' }).getByText('fails', { exact: true }).click();
  await page.getByText('Calling it needs the permission mcp:call.').waitFor();
  expect(await axe()).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

it.each(['light', 'dark'] as const)('is readable on a phone, %s', async (theme) => {
  const { page, axe, screenshot, context } = await app.open({ device: 'phone', theme, path: '/tools/shop' });
  await page.getByRole('table', { name: 'Tools' }).getByText('fails', { exact: true }).waitFor();
  expect(await axe()).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await screenshot(`mcp-phone-${theme}`);
  await page.getByRole('table', { name: 'Tools' }).getByText('slow', { exact: true }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('ms', { exact: true }).fill('1');
  await drawer.getByRole('button', { name: 'Call slow' }).click();
  await drawer.getByRole('region', { name: 'Result' }).getByText('done').waitFor();
  expect(await axe()).toEqual([]);
  await screenshot(`mcp-call-phone-${theme}`);
  await context.close();
});
