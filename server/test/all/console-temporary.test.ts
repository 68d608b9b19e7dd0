import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { startTestProvider, type TestProvider, type TestRequest } from '../support/provider.ts';

/** Temporary chats in the console: what they send, that the browser keeps nothing of them, and what is said when one ends. */

let app: ConsoleUnderTest;
let provider: TestProvider;
let admin: Client;
beforeAll(async () => {
  provider = await startTestProvider();
  app = await startConsole({
    files: { GOVERNANCE_FILE: { policies: { files: { tools: { read_file: { approval: 'human' } } } } } },
    env: {
      MODEL: 'compatible/test-model',
      COMPATIBLE_BASE_URL: provider.url,
      MCP_BUILTIN: 'on',
      TOOL_TOKENS: '0',
      MAX_MESSAGE_CHARS: '2000',
    },
  });
  admin = await app.server.signIn();
});
afterAll(async () => {
  await app?.close();
  await provider?.close();
});
beforeEach(() => {
  provider.reset();
  provider.always((request: TestRequest) => ({
    text: `Heard: ${String(request.body.messages?.at(-1)?.content).split('\n').at(-1)}`,
  }));
});

const field = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const say = async (page: Page, message: string): Promise<void> => {
  await field(page).fill(message);
  await page.getByRole('button', { name: 'Send' }).click();
};
const begin = async (page: Page): Promise<void> => {
  await page.getByRole('switch', { name: 'Temporary chat' }).click();
  await page.getByRole('heading', { name: 'Temporary chat', level: 1 }).waitFor();
};
const leaving = (page: Page) => page.getByRole('alertdialog', { name: 'Leave the temporary chat?' });
const answer = (page: Page, text: string) => page.getByRole('article').getByText(text);

/** All that the browser keeps of the page beside what is drawn. */
const kept = (page: Page): Promise<string> =>
  page.evaluate(`(async () => {
    const found = [location.href, JSON.stringify(history.state), JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage }), document.title];
    for (const { name } of await indexedDB.databases()) {
      const db = await new Promise((resolve, reject) => {
        const opened = indexedDB.open(name);
        opened.onsuccess = () => resolve(opened.result);
        opened.onerror = () => reject(opened.error);
      });
      for (const store of db.objectStoreNames)
        found.push(await new Promise((resolve) => {
          const all = db.transaction(store).objectStore(store).getAll();
          all.onsuccess = () => resolve(JSON.stringify(all.result));
        }));
      db.close();
    }
    for (const name of await caches.keys())
      for (const asked of await (await caches.open(name)).keys()) found.push(asked.url);
    return found.join('\\n');
  })()`);

it(
  req('CONSOLE-10', 'is begun by a switch, brings along what was said, and is kept neither here nor there'),
  async () => {
    const { page, axe, complaints, screenshot, context } = await app.open({ path: '/chat' });
    const bodies: Record<string, unknown>[] = [];
    const keys: (string | undefined)[] = [];
    page.on('request', (request) => {
      if (!request.url().endsWith('/chat/stream')) return;
      bodies.push(request.postDataJSON());
      keys.push(request.headers()['idempotency-key']);
    });
    await field(page).fill('Where is the plimfex?');
    await expect.poll(() => kept(page)).toContain('plimfex');
    await begin(page);
    // What was written has come along, and is no longer a draft that the browser keeps.
    expect(await field(page).inputValue()).toBe('Where is the plimfex?');
    expect(await kept(page)).not.toContain('plimfex');
    await page.getByText('Nothing that is said in it is stored').waitFor();
    expect(await page.getByRole('button', { name: 'Attach files' }).count()).toBe(0);
    expect(await axe()).toEqual([]);
    await screenshot('chat-temporary-new');
    await page.getByRole('button', { name: 'Send' }).click();
    await answer(page, 'Heard: Where is the plimfex?').waitFor();
    await say(page, 'And the vorlomax?');
    await answer(page, 'Heard: And the vorlomax?').waitFor();
    expect(bodies).toEqual([
      { message: 'Where is the plimfex?', store: false, context: {} },
      {
        message: 'And the vorlomax?',
        store: false,
        context: {},
        history: [
          { role: 'user', content: 'Where is the plimfex?' },
          { role: 'assistant', content: 'Heard: Where is the plimfex?' },
        ],
      },
    ]);
    expect(keys).toEqual([undefined, undefined]);
    for (const name of ['Ask again', 'Edit message', 'Good answer', 'More'])
      expect(await page.getByRole('log').getByRole('button', { name, exact: true }).count()).toBe(0);
    expect(await page.getByRole('switch', { name: 'Temporary chat' }).count()).toBe(0);
    const all = await admin.get('/api/v1/conversations');
    expect(all.json<{ total: number }>().total).toBe(0);
    expect(await kept(page)).not.toMatch(/plimfex|vorlomax/);
    expect(await axe()).toEqual([]);
    await screenshot('chat-temporary');
    // A reload asks first, and forgets.
    const asked = page.waitForEvent('dialog').then(async (dialog) => {
      expect(dialog.type()).toBe('beforeunload');
      await dialog.accept();
    });
    await page.reload();
    await asked;
    await page.getByRole('heading', { name: 'New conversation' }).waitFor();
    expect(await field(page).inputValue()).toBe('');
    expect(await page.getByText('plimfex').count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  },
);

it(req('CONSOLE-10', 'asks before it is left, to a page, a conversation or a new chat'), async () => {
  const stored = await admin.post('/api/v1/chat', { message: 'A stored one', context: { agent_id: 'zeus' } });
  expect(stored.status).toBe(200);
  const { page, axe, complaints, context } = await app.open({ path: '/chat' });
  await begin(page);
  await say(page, 'Hello');
  await answer(page, 'Heard: Hello').waitFor();
  await page.getByRole('link', { name: 'Knowledge' }).click();
  await leaving(page).waitFor();
  expect(await axe()).toEqual([]);
  await leaving(page).getByRole('button', { name: 'Cancel' }).click();
  await leaving(page).waitFor({ state: 'detached' });
  await answer(page, 'Heard: Hello').waitFor();
  await page
    .getByRole('complementary')
    .getByRole('button', { name: /^A stored one/ })
    .click();
  await leaving(page).getByRole('button', { name: 'Leave and forget' }).click();
  await page.getByRole('heading', { name: 'A stored one', level: 1 }).waitFor();
  await answer(page, 'Heard: A stored one').waitFor();
  expect(await page.getByText('Heard: Hello').count()).toBe(0);
  await page.getByRole('button', { name: 'New chat', exact: true }).click();
  // By the composer as well.
  await page.getByRole('form').getByRole('button', { name: 'Temporary chat' }).click();
  await say(page, 'Again');
  await answer(page, 'Heard: Again').waitFor();
  await page.getByRole('button', { name: 'New chat', exact: true }).click();
  await leaving(page).getByRole('button', { name: 'Leave and forget' }).click();
  await page.getByRole('heading', { name: 'New conversation' }).waitFor();
  expect(await page.getByText('Heard: Again').count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});

it(req('CONSOLE-10', 'is stopped, and gone on with'), async () => {
  const { page, context } = await app.open({ path: '/chat' });
  await begin(page);
  provider.script({ chunks: ['One ', 'two ', 'three'], hangAfter: 2 });
  await say(page, '/zeus Count');
  await answer(page, 'One two').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('stopped', { exact: true }).waitFor();
  await say(page, 'Go on');
  await answer(page, 'Heard: Go on').waitFor();
  expect(JSON.stringify(provider.requests.at(-1)?.body.messages)).toContain('One two');
  await context.close();
});

it(req('CONSOLE-10', 'says plainly what it cannot do'), async () => {
  const { page, axe, context } = await app.open({ path: '/chat', device: 'phone', theme: 'dark' });
  await begin(page);
  const call = { id: 'c1', name: 'files__read_file', arguments: '{"path":"a.txt"}' };
  provider.script({ toolCalls: [call] }, { text: 'It was not read.' });
  await say(page, '/hephaestus Read it');
  await answer(page, 'It was not read.').waitFor();
  await page.getByText('One that needs an approval cannot wait for it in a temporary chat').waitFor();
  // Refused before anything was spent: it stands in the field again.
  const long = 'long '.repeat(500);
  await say(page, long);
  await page.getByRole('alert').getByText('The input was refused').waitFor();
  expect((await field(page).inputValue()).trim()).toBe(long.trim());
  await page.route('**/chat/stream', (route) =>
    route.fulfill({
      status: 422,
      contentType: 'application/json',
      body: JSON.stringify({
        error: {
          code: 'VALIDATION_ERROR',
          message: 'the request is invalid',
          details: { fields: [{ field: '/history', reason: 'must NOT have more than 1000 items' }] },
          request_id: 'r1',
        },
      }),
    }),
  );
  await say(page, 'One more');
  await page.getByRole('alert').getByText('This chat has become too long to continue.').waitFor();
  expect(await field(page).inputValue()).toBe('One more');
  expect(await axe()).toEqual([]);
  await page.unroute('**/chat/stream');
  await page.getByRole('button', { name: 'Send' }).click();
  await answer(page, 'Heard: One more').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await context.close();
});

it(req('CONSOLE-10', 'fits a phone in both themes'), async () => {
  for (const theme of ['light', 'dark'] as const) {
    const { page, axe, screenshot, context } = await app.open({ path: '/chat', device: 'phone', theme });
    await begin(page);
    expect(await axe()).toEqual([]);
    await screenshot(`chat-temporary-phone-${theme}-new`);
    await say(page, 'How long may I rest?');
    await answer(page, 'Heard: How long may I rest?').waitFor();
    expect(await axe()).toEqual([]);
    await screenshot(`chat-temporary-phone-${theme}`);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await context.close();
  }
});
