import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildConsole } from '../../../console/build.ts';
import { req } from '../requirements.ts';
import { launch } from '../support/console.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** The reference page of the API in a real browser: it stands on the origin of the console, so its policy is as strict. */

let server: TestServer;
let browser: Browser;
beforeAll(async () => {
  await buildConsole({ ifStale: true });
  [server, browser] = await Promise.all([startServer(), launch()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

interface Violation {
  directive: string;
  blocked: string;
  sample: string;
}

/** What the policy forbids, what is thrown, and what is asked of another host. */
const watch = async (page: Page): Promise<unknown[]> => {
  const complaints: unknown[] = [];
  await page.exposeFunction('complain', (violation: Violation) => complaints.push(violation));
  await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    complain({ directive: event.violatedDirective, blocked: event.blockedURI, sample: event.sample }))`);
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.protocol !== 'blob:' && url.origin !== server.url)
      complaints.push(`request to another host: ${url.origin}`);
  });
  return complaints;
};

it(
  req('HTTP-14', 'shows the operations and sends one, under a policy that lets no text become a script'),
  async () => {
    const context = await browser.newContext({ viewport: { width: 1360, height: 860 } });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const complaints = await watch(page);
    const answer = await page.goto(`${server.url}/docs`);
    const policy = (await answer?.allHeaders())?.['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe-eval');
    expect(/script-src ([^;]*)/.exec(policy)?.[1]).not.toContain('unsafe-inline');

    await page.getByRole('heading', { name: 'Pentarch', exact: false }).first().waitFor();
    await page.getByText('/metrics').first().waitFor();
    await page.getByRole('link', { name: 'Governance' }).first().waitFor();
    await page
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click();
    await page.getByRole('button', { name: /^Send/ }).first().click();
    await page
      .getByText(/"?status"?: "?ok"?/)
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  },
);

it(
  req(
    'HTTP-14',
    'nothing on the origin of the console is served with a policy that lets text become a script',
  ),
  async () => {
    const paths = [
      '/',
      '/chat',
      '/callback',
      '/docs',
      '/docs/',
      '/docs/js/scalar.js',
      '/openapi.json',
      '/health',
    ];
    for (const path of [
      ...paths,
      '/.well-known/openid-configuration',
      '/oidc/v1/end_session',
      '/nowhere.html',
    ]) {
      const answer = await fetch(server.url + path);
      const policy = answer.headers.get('content-security-policy') ?? '';
      const document = /html|svg|xml/.test(answer.headers.get('content-type') ?? '');
      await answer.arrayBuffer();
      if (document) expect([path, policy]).toEqual([path, expect.stringContaining('default-src')]);
      const scripts = /script-src ([^;]*)/.exec(policy)?.[1] ?? '';
      expect([path, policy.includes('unsafe-eval'), scripts]).toEqual([
        path,
        false,
        expect.not.stringContaining('unsafe'),
      ]);
    }
  },
);
