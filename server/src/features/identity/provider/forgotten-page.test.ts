import { expect, it } from 'vitest';
import { authorizeUrl, createBrowser, newVerifier, signIn } from '../../../../test/support/browser.ts';
import { startIdentityServer } from '../../../../test/support/identity-server.ts';
import type { Mail } from '../../../kernel/mail.ts';

const FORGOTTEN = '/oauth/v2/forgotten-password';

it('a forgotten password: from the sign-in page by a mail to the page that sets a new one, and in', async () => {
  const mails: Mail[] = [];
  const server = await startIdentityServer({}, undefined, {
    delivers: true,
    send: async (mail) => void mails.push(mail),
  });
  try {
    const browser = createBrowser(server.url);
    const url = authorizeUrl(server.url, { verifier: newVerifier() });
    expect((await browser.open(url)).text).toContain(`href="${FORGOTTEN}"`);
    expect((await browser.open(FORGOTTEN)).text).toContain('name="email"');
    expect((await browser.request(FORGOTTEN, { email: ' ' })).status).toBe(400);
    const unknown = await browser.request(FORGOTTEN, { email: 'nobody@example.test' });
    const known = await browser.request(FORGOTTEN, { email: server.admin.email });
    expect([known.status, known.text]).toEqual([200, unknown.text]);
    await expect.poll(() => mails.length, { timeout: 20_000 }).toBe(1);
    expect(mails[0]?.to).toBe(server.admin.email);
    const link = /\S+\/oauth\/v2\/links\/\S+/.exec(mails[0]?.text ?? '')?.[0] ?? '';
    await browser.open(link);
    const done = await browser.request(link, { password: 'a new one, and long' });
    expect([done.status, done.headers.get('location')]).toEqual([303, '/']);
    const back = await signIn(browser, url, { email: server.admin.email, password: 'not asked for' });
    expect(back.get('code')).not.toBeNull();
  } finally {
    await server.close();
  }
});

it('without a mail server nobody is sent to a page that could not help', async () => {
  const server = await startIdentityServer();
  try {
    const browser = createBrowser(server.url);
    const page = await browser.open(authorizeUrl(server.url, { verifier: newVerifier() }));
    expect(page.text).toContain('Ask your administrator');
    expect(page.text).not.toContain(FORGOTTEN);
    expect((await browser.open(FORGOTTEN)).status).toBe(404);
  } finally {
    await server.close();
  }
});
