import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oidc from 'openid-client';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launch } from '../support/console.ts';
import { type IdentityServer, startIdentityServer } from '../support/identity-server.ts';

/** The real page in a real browser, by keyboard alone; the client library then uses what came back. */

describe('sign-in page in Chromium', () => {
  let server: IdentityServer;
  let browser: Browser;
  let client: Server;
  let redirectUri = '';
  const returned: string[] = [];

  beforeAll(async () => {
    server = await startIdentityServer();
    client = createServer((request, response) => {
      if (request.url?.startsWith('/callback')) returned.push(request.url);
      response.setHeader('content-type', 'text/html').end('<title>client</title>back at the client');
    });
    await new Promise<void>((done) => client.listen(0, '127.0.0.1', done));
    redirectUri = `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback`;
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    client?.closeAllConnections();
    client?.close();
    await server?.close();
  });

  const discover = () =>
    oidc.discovery(new URL(server.url), 'pentarch-cli', undefined, oidc.None(), {
      execute: [oidc.allowInsecureRequests],
    });

  const start = async (clientId = 'pentarch-cli') => {
    const config = await discover();
    const verifier = oidc.randomPKCECodeVerifier();
    const url = oidc.buildAuthorizationUrl(config, {
      client_id: clientId,
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: 'state',
    });
    return { config, verifier, url };
  };

  it('signs in by keyboard, shows a fault, and leads back to the client, with nothing blocked by the policy', async () => {
    const { config, verifier, url } = await start();
    const context = await browser.newContext();
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      // A refused sign-in is a 401, which the browser notes; anything else would be the policy or a fault of ours.
      if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text());
    });
    await page.goto(url.href);
    expect(await page.title()).toBe('Sign in – Pentarch');
    // The style is applied, so the hash of the policy fits.
    expect(await page.evaluate("getComputedStyle(document.querySelector('button')).cursor")).toBe('pointer');

    await page.locator('input:focus').waitFor();
    await page.keyboard.type(server.admin.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('wrong');
    await page.keyboard.press('Enter');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    expect(await alert.textContent()).toContain('wrong');
    expect(await page.getByLabel('E-mail').inputValue()).toBe(server.admin.email);
    await page.locator('#password:focus').waitFor();
    // Shown on demand, and sent as the password it is.
    await page.getByRole('button', { name: 'Show what you type' }).click();
    expect(await page.locator('#password:focus').getAttribute('type')).toBe('text');
    await page.getByRole('button', { name: 'Hide what you type' }).click();
    expect(await page.locator('#password:focus').getAttribute('type')).toBe('password');

    await page.keyboard.type(server.admin.password);
    await page.keyboard.press('Enter');
    // Whoever listens on a loopback port may say that it is the command line: it is asked for each time.
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    await page.locator('button:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${redirectUri}**`);
    expect(await page.title()).toBe('client');
    const tokens = await oidc.authorizationCodeGrant(config, new URL(page.url()), {
      pkceCodeVerifier: verifier,
      expectedState: 'state',
    });
    const me = await fetch(`${server.url}/v2/auth/me`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(me.status).toBe(200);
    expect(complaints).toEqual([]);

    // Signed in: the next authorization asks for no password. After signing out it asks again.
    await page.goto((await start()).url.href);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${redirectUri}**`);
    await page.goto(`${server.url}/oidc/v1/end_session`);
    // The browser moves the focus with its next frame, after the page has loaded.
    await page.locator('button:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('status').waitFor();
    expect(await page.textContent('h1')).toBe('Signed out');
    await page.goto((await start()).url.href);
    await page.getByLabel('Password').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('asks for consent for a registered client and hands a denial back', async () => {
    const token = (
      (await (
        await fetch(`${server.url}/v2/auth/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(server.admin),
        })
      ).json()) as { access_token: string }
    ).access_token;
    const made = (await (
      await fetch(`${server.url}/v2/oauth/clients`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'Reports', type: 'public', redirect_uris: [redirectUri] }),
      })
    ).json()) as { client_id: string };
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto((await start(made.client_id)).url.href);
    await page.getByLabel('E-mail').fill(server.admin.email);
    await page.getByLabel('Password').fill(server.admin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Allow access?' }).waitFor();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.waitForURL(`${redirectUri}**`);
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    await page.goto((await start(made.client_id)).url.href);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(`${redirectUri}**`);
    expect(new URL(page.url()).searchParams.get('code')).toBeTruthy();
    await context.close();
  });

  it('cannot be shown in a frame of another site', async () => {
    const { url } = await start();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(redirectUri.replace('/callback', '/'));
    const frame = await page.evaluate(
      `new Promise((done) => { const f = document.createElement('iframe'); f.onload = () => done(f.contentDocument === null || f.contentDocument.querySelector('form') === null); f.src = ${JSON.stringify(url.href)}; document.body.append(f); })`,
    );
    expect(frame).toBe(true);
    const inner = page.frames().find((candidate) => candidate !== page.mainFrame());
    expect(await inner?.locator('form').count()).toBe(0);
    await context.close();
  });
});
