import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { longConversation } from '../support/long-conversation.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';
import { newPerson } from '../support/shapes.ts';

/** What a daily reader minds: where the page scrolls to, what covers what, where the focus is, and where notifications lead. */

let app: ConsoleUnderTest;
let provider: TestProvider;
let admin: Client;
beforeAll(async () => {
  provider = await startTestProvider();
  app = await startConsole({
    env: { MODEL: 'compatible/test-model', COMPATIBLE_BASE_URL: provider.url, COMPATIBLE_API_KEY: 'x' },
  });
  admin = await app.server.signIn();
});
afterAll(async () => {
  await app?.close();
  await provider?.close();
});
beforeEach(() => provider.reset());

const fieldOf = (page: Page) => page.getByLabel('Message', { exact: true });
const LINES = Array.from({ length: 3_000 }, (_, n) => `line ${n}\n\n`);
const scrollTop = (page: Page): Promise<number> =>
  page.evaluate(`document.querySelector('[role="log"]').scrollTop`);

/** Browsers scroll smoothly: where it has come to rest. */
const settledScrollTop = async (page: Page): Promise<number> => {
  let last = Number.NaN;
  await expect
    .poll(
      async () => {
        const before = last;
        last = await scrollTop(page);
        return last === before;
      },
      { interval: 250, timeout: 15_000 },
    )
    .toBe(true);
  return last;
};

it(
  req('CONSOLE-08', 'who looks further up while an answer streams is left there, by wheel, keys and bar'),
  async () => {
    const { page, context } = await app.open();
    await page.waitForURL('**/chat');
    provider.always({ chunks: LINES, chunkDelayMs: 40 });
    await fieldOf(page).fill('/zeus Say very much');
    await page.keyboard.press('Enter');
    await page.getByText('line 40', { exact: true }).waitFor();
    const thread = page.getByRole('log', { name: 'Messages' });
    const jump = page.getByRole('button', { name: 'Jump to latest' });
    const ups: readonly (() => Promise<void>)[] = [
      async () => {
        await thread.hover();
        await page.mouse.wheel(0, -60);
      },
      async () => {
        await thread.focus();
        await page.keyboard.press('PageUp');
      },
      async () => {
        await page.evaluate(`document.querySelector('[role="log"]').scrollTop -= 50`);
      },
    ];
    for (const up of ups) {
      await up();
      await jump.waitFor();
      const before = await settledScrollTop(page);
      const length = await page.getByText(/^line \d+$/).count();
      await expect
        .poll(() => page.getByText(/^line \d+$/).count(), { timeout: 15_000 })
        .toBeGreaterThan(length + 3);
      expect(Math.abs((await scrollTop(page)) - before)).toBeLessThan(5);
      await jump.click();
      await jump.waitFor({ state: 'detached' });
    }
    // Esc stops, and the focus is in the field.
    await fieldOf(page).focus();
    await page.keyboard.press('Escape');
    await page.getByText('stopped', { exact: true }).waitFor();
    await page.locator('textarea:focus').waitFor();
    await context.close();
  },
);

it(req('CONSOLE-08', 'an error message stands above the field and its buttons'), async () => {
  const { page, screenshot, context } = await app.open();
  await page.waitForURL('**/chat');
  const id = await longConversation(admin, ['Is it so?']);
  await page.goto(`${new URL(page.url()).origin}/chat?c=${id}`);
  const refusal = { code: 'CONFLICT', message: 'not just now', details: {}, request_id: 'r' };
  await page.route('**/regenerate', (route) =>
    route.fulfill({ status: 409, contentType: 'application/json', body: JSON.stringify(refusal) }),
  );
  await page.getByRole('button', { name: 'Ask again' }).click();
  const message = page.locator('[data-type="bad"]').filter({ hasText: 'not just now' }).first();
  await message.waitFor();
  const [over, below] = [
    await message.boundingBox(),
    await page.getByRole('form', { name: 'New message' }).boundingBox(),
  ];
  expect((over?.y ?? 0) + (over?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
  await screenshot('chat-message');
  await context.close();
});

it(
  req(
    'CONSOLE-09',
    'a decision that is needed is counted, its notification leads to it, and is over with it',
  ),
  async () => {
    const person = await newPerson(app.server, admin);
    const made = await person.post('/v2/governance/proposals', { action: 'lamp.dim', estimated_cost: 500 });
    expect(made.status, made.text).toBe(201);
    const { id } = made.json<{ id: string }>();
    const { page, axe, complaints, context } = await app.open({ path: '/settings?tab=inbox' });
    const nav = page.getByRole('navigation', { name: 'Main' });
    await nav.getByRole('link', { name: /Governance.*1 waits for you/ }).waitFor();
    expect(await axe()).toEqual([]);
    await page.getByRole('link', { name: /^Inbox, 1 unread/ }).waitFor();
    await page.getByRole('link', { name: 'Decision needed: lamp.dim' }).click();
    await page.getByRole('dialog', { name: 'lamp.dim' }).waitFor();
    expect(new URL(page.url()).searchParams.get('proposal')).toBe(id);
    // Another one is decided by somebody else: it counts as read by itself.
    const next = await person.post('/v2/governance/proposals', { action: 'lamp.light', estimated_cost: 500 });
    await page.keyboard.press('Escape');
    await nav.getByRole('link', { name: /Governance.*2 wait for you/ }).waitFor();
    await page.getByRole('link', { name: /^Inbox, 1 unread/ }).waitFor();
    const other = next.json<{ id: string }>().id;
    const voted = await admin.post(`/v2/governance/proposals/${other}/vote`, { vote: 'reject' });
    expect(voted.status, voted.text).toBeLessThan(300);
    await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor();
    await nav.getByRole('link', { name: /Governance.*1 waits for you/ }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  },
);

/** The desktop of a person who allows notifications and looks at another window: no headless browser has one. */
const DESKTOP = `
  window.desktop = [];
  document.hasFocus = () => false;
  window.Notification = class {
    static permission = localStorage.getItem('allowed') ?? 'default';
    static async requestPermission() {
      localStorage.setItem('allowed', 'granted');
      return (this.permission = 'granted');
    }
    constructor(title, options) {
      Object.assign(this, { title, ...options, closed: false });
      window.desktop.push(this);
    }
    close() {
      this.closed = true;
      this.onclose?.();
    }
  };
`;
const desktop = (page: Page): Promise<{ title: string; tag: string; closed: boolean }[]> =>
  page.evaluate('desktop.map(({ title, tag, closed }) => ({ title, tag, closed }))');

it(
  req(
    'CONSOLE-09',
    'who wants them gets notifications of the browser, which lead to what they tell of and go with the decision',
  ),
  async () => {
    const person = await newPerson(app.server, admin);
    const propose = async (action: string): Promise<string> => {
      const made = await person.post('/v2/governance/proposals', { action, estimated_cost: 500 });
      expect(made.status, made.text).toBe(201);
      return made.json<{ id: string }>().id;
    };
    const { page, axe, complaints, context } = await app.open({ path: '/settings?tab=notifications' });
    await page.addInitScript(DESKTOP);
    await page.reload();
    const wanted = page.getByRole('switch', { name: /on the desktop/ });
    await wanted.waitFor();
    await propose('lamp.unasked');
    await page.getByRole('link', { name: /unread/ }).waitFor();
    expect(await desktop(page)).toEqual([]);
    await wanted.click();
    await expect.poll(() => wanted.getAttribute('aria-checked')).toBe('true');
    expect(await axe()).toEqual([]);
    // It is kept in this browser.
    await page.reload();
    await expect.poll(() => wanted.getAttribute('aria-checked')).toBe('true');

    const dimmed = await propose('lamp.dim');
    await expect
      .poll(async () => (await desktop(page)).map(({ title }) => title))
      .toEqual(['Decision needed: lamp.dim']);
    expect(await desktop(page)).toMatchObject([{ title: 'Decision needed: lamp.dim', closed: false }]);
    await page.evaluate('desktop[0].onclick()');
    await page.getByRole('dialog', { name: 'lamp.dim' }).waitFor();
    expect(new URL(page.url()).searchParams.get('proposal')).toBe(dimmed);

    const lit = await propose('lamp.light');
    await expect.poll(async () => (await desktop(page)).length).toBe(2);
    await admin.post(`/v2/governance/proposals/${lit}/vote`, { vote: 'reject' });
    await expect.poll(async () => (await desktop(page))[1]?.closed).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  },
);

it(req('CONSOLE-08', 'on a phone nothing takes the focus by itself, and Enter breaks the line'), async () => {
  await longConversation(admin, ['Is it so?']);
  const { page, context } = await app.open({ device: 'phone' });
  await page.waitForURL('**/chat');
  await page.getByRole('button', { name: 'Conversations' }).tap();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Is it so/ })
    .first()
    .tap();
  await page.getByRole('article').first().waitFor();
  expect(await page.locator('textarea:focus').count()).toBe(0);
  await fieldOf(page).tap();
  await fieldOf(page).pressSequentially('one');
  await page.keyboard.press('Enter');
  await fieldOf(page).pressSequentially('two');
  expect(await fieldOf(page).inputValue()).toBe('one\ntwo');
  await context.close();
});

it(req('CONSOLE-08', 'the page opens in the field, and renaming in the title'), async () => {
  await longConversation(admin, ['Is it so?']);
  const { page, context } = await app.open({ path: '/agents' });
  await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Chat' }).click();
  await page.locator('textarea:focus').waitFor();
  await page
    .getByRole('button', { name: /^More for/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.locator('input[name="title"]:focus').waitFor();
  await context.close();
});
