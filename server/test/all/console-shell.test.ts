import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleUnderTest, signInBeside, startConsole } from '../support/console.ts';

/** The console's frame in a real browser: signing in and out, addresses, rights, states, both sizes. */

let app: ConsoleUnderTest;
beforeAll(async () => {
  app = await startConsole();
});
afterAll(() => app?.close());

const HTML = { accept: 'text/html,application/xhtml+xml' };

describe('the files', () => {
  it('sends the page for every address that a browser opens, and JSON errors as ever to anybody else', async () => {
    const { url } = app.server;
    for (const path of ['/', '/agents', '/no/such/page?x=1', '/callback?code=1&state=2']) {
      const answer = await fetch(url + path, { headers: HTML });
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toContain('unsafe');
      expect(await answer.text()).toContain('<div id="root">');
      const head = await fetch(url + path, { method: 'HEAD', headers: HTML });
      expect([head.status, await head.text()]).toEqual([200, '']);
    }
    const machines = ['/api/v1/none', '/v2/none', '/oauth/v2/none', '/assets/none.js'];
    for (const path of [...machines, '/api', '/api/nothing', '/api/v3/chat', '/mcp/nothing', '/health/x']) {
      const answer = await fetch(url + path, { headers: HTML });
      expect([path, answer.status >= 400]).toEqual([path, true]);
    }
    const json = await fetch(`${url}/no/such/page`, { headers: { accept: 'application/json' } });
    expect([json.status, json.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
    expect((await fetch(`${url}/agents`, { method: 'POST', headers: HTML })).status).toBe(404);
  });

  it('sends hashed files compressed and for good', async () => {
    const { url } = app.server;
    const page = await (await fetch(url, { headers: HTML })).text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page)?.[1] ?? '';
    for (const [accepted, encoding] of [
      ['br, gzip', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip', 'gzip'],
      ['identity', null],
    ]) {
      const answer = await fetch(url + script, { headers: { 'accept-encoding': accepted ?? '' } });
      expect(answer.headers.get('content-encoding')).toBe(encoding);
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(answer.headers.get('vary')).toBe('accept-encoding');
      expect((await answer.text()).length).toBeGreaterThan(100_000);
    }
  });
});

describe('the session', () => {
  it('signs in on the way to a deep link, survives a reload, signs out, and asks again after that', async () => {
    const { page, complaints, context } = await app.open({ path: '/agents?window=7d' });
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/agents?window=7d');
    // Neither the code nor a token stays in the address; no access token is stored.
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toContain(
      'eyJ',
    );

    let asked = 0;
    page.on('request', (request) => {
      if (request.url().includes('/oauth/v2/authorize')) asked += 1;
    });
    await page.reload();
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor();
    await page.getByRole('button', { name: /^Zeus/ }).waitFor();
    expect(asked).toBe(0);

    await page.getByRole('button', { name: /^Account:/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/oidc/v1/end_session**');
    await page.locator('button:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Signed out' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/signed-out');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Password').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('needs no second password in another tab, and a duplicated tab leaves the first one signed in', async () => {
    const { page, context } = await app.open({ path: '/agents' });
    await page.getByRole('button', { name: /^Zeus/ }).waitFor();
    const stored = (await page.evaluate('JSON.stringify({ ...sessionStorage })')) as string;
    const second = await context.newPage();
    await second.addInitScript(
      `if (!sessionStorage.getItem('copied')) { for (const [k, v] of Object.entries(${stored})) sessionStorage.setItem(k, v); sessionStorage.setItem('copied', '1'); }`,
    );
    await second.goto(`${app.server.url}/agents`);
    await second.getByRole('button', { name: /^Zeus/ }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: /^Zeus/ }).waitFor();
    await context.close();
  });

  it('says so when the session was ended elsewhere, and comes back to the same page', async () => {
    const { page, context } = await app.open({ path: '/agents?window=7d' });
    await page.getByRole('button', { name: /^Zeus/ }).waitFor();
    const admin = await app.server.signIn();
    const sessions = (await admin.get('/v2/users/me/sessions')).json<{ items: { id: string }[] }>();
    const own = (await admin.get('/v2/auth/me')).json<{ session_id: string }>().session_id;
    const others = sessions.items.filter(({ id }) => id !== own);
    expect(others.length).toBeGreaterThan(0);
    for (const { id } of others) await admin.delete(`/v2/users/me/sessions/${id}`);
    await page.getByRole('button', { name: '30d' }).click();
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
    await dialog.waitFor();
    await signInBeside(page, dialog.getByRole('button', { name: 'Sign in again' }), app.server.admin);
    await dialog.waitFor({ state: 'detached' });
    await page.waitForURL('**/agents?window=30d');
    await page.getByRole('button', { name: /^Zeus/ }).waitFor();
    await context.close();
  });
});

describe('the frame', () => {
  it('is used by keyboard: skip link, navigation, theme', async () => {
    const { page, complaints, axe, context } = await app.open();
    await page.waitForURL('**/chat');
    await page.goto(`${app.server.url}/agents`);
    await page.getByRole('button', { name: /^Zeus/ }).waitFor();
    await page.evaluate('document.activeElement.blur()');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');

    await page.getByRole('button', { name: /^Account:/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitemradio', { name: 'Dark' }).waitFor();
    expect(await axe()).toEqual([]);
    await page.getByRole('menuitemradio', { name: 'Dark' }).press('Enter');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await page.reload();
    await page.getByRole('button', { name: /^Zeus/ }).waitFor();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('says where nothing is, and when the network is gone', async () => {
    const { page, axe, context } = await app.open({ path: '/no/such/page' });
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await axe()).toEqual([]);
    await context.setOffline(true);
    await page.getByText('You are offline').waitFor();
    expect(await axe()).toEqual([]);
    await context.setOffline(false);
    await page.getByText('You are offline').waitFor({ state: 'detached' });
    await context.close();
  });

  it('fits a phone, with the rest of the pages in a drawer', async () => {
    const { page, axe, screenshot, context, complaints } = await app.open({
      device: 'phone',
      path: '/agents',
    });
    await page.getByRole('button', { name: /^Zeus/ }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('navigation', { name: 'All pages' }).waitFor();
    expect(await axe()).toEqual([]);
    await screenshot('navigation-phone');
    expect(complaints).toEqual([]);
    await context.close();
  });
});
