import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { longConversation } from '../support/long-conversation.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';

/** The chat in a real browser on a real server, with a model that says what the test tells it. */

let app: ConsoleUnderTest;
let provider: TestProvider;
beforeAll(async () => {
  provider = await startTestProvider();
  app = await startConsole({
    env: {
      MODEL: 'compatible/test-model',
      MODELS: 'compatible/careful-model',
      COMPATIBLE_BASE_URL: provider.url,
      COMPATIBLE_API_KEY: 'x',
    },
  });
});
afterAll(async () => {
  await app?.close();
  await provider?.close();
});

const MARKDOWN = [
  'Here is **all**',
  ' of it:\n\n',
  '| a | b |\n|---|---|\n| 1 | 2 |\n\n',
  '```js\nlet x = 1;\n```',
];

it('answers, renders markdown, and keeps it over a reload', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open();
  await page.waitForURL('**/chat');
  provider.always({ chunks: MARKDOWN });
  await page.getByLabel('Message', { exact: true }).fill('Show me a table');
  await page.keyboard.press('Enter');
  // The first question waits for the embedding model, which is being loaded.
  await page.waitForURL('**/chat?c=*', { timeout: 60_000 });
  await page.getByRole('article').getByRole('table').waitFor();
  await page.getByRole('button', { name: 'Copy answer' }).waitFor();
  expect(await page.getByRole('article').count()).toBe(1);
  expect(await axe()).toEqual([]);
  await screenshot('chat');
  await page.reload();
  await page.getByRole('article').getByRole('table').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it('goes on after a reload and after the network was gone, and loses no character', async () => {
  const { page, context } = await app.open();
  await page.waitForURL('**/chat');
  const pieces = Array.from({ length: 60 }, (_, n) => `piece${n} `);
  provider.always({ chunks: pieces, chunkDelayMs: 150 });
  await page.getByLabel('Message', { exact: true }).fill('/zeus Say much');
  await page.keyboard.press('Enter');
  await page.getByText('piece3 ').waitFor();
  await page.reload();
  await page.getByText('piece8 ').waitFor();
  await context.setOffline(true);
  await page.getByText('You are offline').waitFor();
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Copy answer' }).waitFor({ timeout: 40_000 });
  const said = await page.getByRole('article').locator('p').first().textContent();
  expect(said?.trim()).toBe(pieces.join('').trim());
  await context.close();
});

it('stops, and says that the answer was stopped', async () => {
  const { page, context } = await app.open();
  await page.waitForURL('**/chat');
  provider.always({ chunks: Array.from({ length: 400 }, (_, n) => `word${n} `), chunkDelayMs: 100 });
  await page.getByLabel('Message', { exact: true }).fill('/zeus Never end');
  await page.keyboard.press('Enter');
  await page.getByText('word3 ').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('stopped', { exact: true }).waitFor();
  await context.close();
});

it.each(['light', 'dark'] as const)('is readable on a phone, %s', async (theme) => {
  const { page, axe, screenshot, context } = await app.open({ device: 'phone', theme });
  await page.waitForURL('**/chat');
  await page.getByRole('button', { name: 'Conversations' }).click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Show me/ })
    .first()
    .click();
  await page.getByRole('article').getByRole('table').waitFor();
  expect(await axe()).toEqual([]);
  // With a choice of models beside that of agents, all of the composer is within the screen.
  await page.getByLabel('Model', { exact: true }).waitFor();
  const send = await page.getByRole('button', { name: 'Send', exact: true }).boundingBox();
  const composer = await page.getByRole('form', { name: 'New message' }).boundingBox();
  expect((send?.x ?? 0) + (send?.width ?? 0)).toBeLessThanOrEqual(
    (composer?.x ?? 0) + (composer?.width ?? 0),
  );
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await screenshot(`chat-phone-${theme}`);
  await context.close();
});

it('shows agents on a slash, chosen by keyboard', async () => {
  const { page, context } = await app.open();
  await page.waitForURL('**/chat');
  const field = page.getByLabel('Message', { exact: true });
  await field.fill('/ath');
  await page.getByRole('option', { name: /athena/ }).waitFor();
  await page.keyboard.press('Enter');
  expect(await field.inputValue()).toBe('/athena ');
  await context.close();
});

it('takes no message of who may only read, and says why', async () => {
  const admin = await app.server.signIn();
  const reader = { email: 'reader@example.com', password: 'a long enough password' };
  expect((await admin.post('/v2/users', { ...reader, name: 'R', roles: ['readonly'] })).status).toBe(201);
  const { page, context } = await app.open({ as: reader });
  await page.getByText('Your role may read but not chat').waitFor();
  await context.close();
});

it('copies a block of code as it stands', async () => {
  const { page, complaints, context } = await app.open();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.waitForURL('**/chat');
  provider.always({ chunks: ['Run this:\n\n```js\nlet x = 1;\nlet y = x * 2;\n```\n'] });
  await page.getByLabel('Message', { exact: true }).fill('/zeus How?');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Copy answer' }).waitFor();
  // Shown for a moment: looked for before it comes.
  const copied = page.getByRole('button', { name: 'Copied' }).waitFor();
  await Promise.all([copied, page.getByRole('button', { name: 'Copy code' }).click()]);
  expect(String(await page.evaluate('navigator.clipboard.readText()')).trim()).toBe(
    'let x = 1;\nlet y = x * 2;',
  );
  expect(complaints).toEqual([]);
  await context.close();
});

it('asks the model that was chosen, and again the same', async () => {
  const { page, axe, complaints, context } = await app.open();
  await page.waitForURL('**/chat');
  provider.always({ chunks: ['Carefully said.'] });
  const model = page.getByLabel('Model', { exact: true });
  await expect
    .poll(() => model.locator('option').allTextContents())
    .toEqual(['test-model (default)', 'careful-model']);
  await model.selectOption('careful-model');
  expect(await axe()).toEqual([]);
  await page.getByLabel('Message', { exact: true }).fill('/zeus Is it safe?');
  await page.keyboard.press('Enter');
  await page.getByText('compatible/careful-model').waitFor();
  // The choice stays for the next question, and with the one that was asked.
  expect(await model.inputValue()).toBe('compatible/careful-model');
  await model.selectOption('test-model (default)');
  await page.getByRole('button', { name: 'Ask again' }).click();
  await page.getByText('Version 2 of 2').waitFor();
  await page.getByText('compatible/careful-model').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it('asks again as it was asked: the same agent, the same documents', async () => {
  const { page, complaints, context } = await app.open();
  await page.waitForURL('**/chat');
  provider.always({ chunks: ['Seven.'] });
  await page.getByLabel('Files to attach').setInputFiles({
    name: 'notes.md',
    mimeType: 'text/markdown',
    buffer: Buffer.from('# Notes\n\nThe gate has seven bars.'),
  });
  await page.getByRole('list', { name: 'Attachments' }).getByText('ready').waitFor();
  await page.getByLabel('Message', { exact: true }).fill('/athena How many bars?');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Ask again' }).click();
  await page.getByRole('group', { name: 'Versions of this answer' }).getByText('Version 2 of 2').waitFor();
  await page.getByRole('button', { name: 'Edit message' }).click();
  const words = page.getByLabel('Message in other words');
  expect(await words.inputValue()).toBe('How many bars?');
  await words.fill('How many bars has the gate?');
  await words.press('Enter');
  await page.getByRole('group', { name: 'Versions of this message' }).getByText('Version 2 of 2').waitFor();
  await page.getByRole('button', { name: 'Ask again' }).waitFor();
  const id = new URL(page.url()).searchParams.get('c') ?? '';
  const admin = await app.server.signIn();
  const { items: messages } = (await admin.get(`/v2/conversations/${id}/messages?branches=all`)).json<{
    items: {
      role: string;
      content: string;
      agent_id: string | null;
      attachments: { document_id: string; title: string }[];
      metadata: Record<string, unknown>;
    }[];
  }>();
  const questions = messages.filter((one) => one.role === 'user');
  expect(questions).toHaveLength(2);
  expect(messages.filter((one) => one.role === 'assistant')).toHaveLength(3);
  expect(questions[0]?.metadata).toMatchObject({ agent_id: 'athena' });
  expect(questions[0]).toMatchObject({ content: 'How many bars?', attachments: [{ title: 'Notes' }] });
  expect(questions[1]?.attachments).toEqual(questions[0]?.attachments);
  expect(questions[1]?.metadata).toEqual(questions[0]?.metadata);
  expect(messages.at(-1)?.agent_id).toBe('athena');
  await page.getByRole('list', { name: 'Attached' }).getByText('Notes').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it('takes files that are dropped anywhere in the conversation, and never leaves the page for one', async () => {
  const { page, axe, complaints, context } = await app.open();
  await page.waitForURL('**/chat');
  await page.getByLabel('Message', { exact: true }).waitFor();
  const dropped = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    data.items.add(new File(['# Gate\\n\\nThe gate is green.'], 'gate.md', { type: 'text/markdown' }));
    return data;
  })()`);
  const thread = page.getByRole('log', { name: 'Messages' });
  await thread.dispatchEvent('dragover', { dataTransfer: dropped });
  await page.getByText('Drop the files to attach them').waitFor();
  expect(await axe()).toEqual([]);
  await thread.dispatchEvent('drop', { dataTransfer: dropped });
  await page.getByText('Drop the files to attach them').waitFor({ state: 'detached' });
  await page.getByRole('list', { name: 'Attachments' }).getByText('gate.md').waitFor();
  await page.getByRole('list', { name: 'Attachments' }).getByText('ready').waitFor();
  // Beside it: the browser would open the file in place of the console.
  const taken = await page.evaluate(`['dragover', 'drop'].map((kind) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['x'], 'x.txt'));
    const event = new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer });
    document.querySelector('nav').dispatchEvent(event);
    return event.defaultPrevented;
  })`);
  expect(taken).toEqual([true, true]);
  expect(complaints).toEqual([]);
  await context.close();
});

it('keeps what was not taken, says how long to wait, and what a cost limit means', async () => {
  const { page, axe, screenshot, context } = await app.open();
  await page.waitForURL('**/chat');
  const refuse = (status: number, code: string, message: string, retryAfterS: number) =>
    page.route(
      '**/chat/stream',
      (route) =>
        route.fulfill({
          status,
          headers: { 'retry-after': String(retryAfterS), 'x-api-version': '2' },
          json: { error: { code, message, details: {}, request_id: 'r' } },
        }),
      { times: 1 },
    );
  const field = page.getByLabel('Message', { exact: true });
  await refuse(429, 'RATE_LIMITED', 'too many requests', 3);
  await field.fill('/hermes Write to everybody');
  await page.keyboard.press('Enter');
  await page.getByText('Too many messages at once').waitFor();
  expect(await field.inputValue()).toBe('Write to everybody');
  expect(await page.getByLabel('Agent', { exact: true }).inputValue()).toBe('hermes');
  // Once the time is over it can be sent.
  await page.getByText('Too many messages at once').waitFor({ state: 'detached' });
  await refuse(402, 'COST_EXCEEDED', 'the daily limit of 1 USD is reached', 60);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('alert').getByText('the daily limit of 1 USD is reached').waitFor();
  await page.getByRole('link', { name: 'See costs and limits' }).waitFor();
  expect(await field.inputValue()).toBe('Write to everybody');
  expect(await axe()).toEqual([]);
  await screenshot('chat-limit');
  provider.always({ chunks: ['Done.'] });
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('button', { name: 'Copy answer' }).waitFor();
  await context.close();
});

it('shows its shortcuts on a question mark, and can be without those of a single key', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open();
  await page.waitForURL('**/chat');
  const field = page.getByLabel('Message', { exact: true });
  await field.waitFor();
  await field.pressSequentially('Why?');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(await field.inputValue()).toBe('Why?');
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.getByText('To the message field').waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('shortcuts');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('/');
  await page.locator('textarea:focus').waitFor();

  await page.getByRole('button', { name: /Account/ }).click();
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
  await dialog.getByRole('switch', { name: 'Shortcuts of a single key' }).click();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1 }).focus();
  await page.keyboard.press('?');
  await page.keyboard.press('/');
  expect(await page.getByRole('dialog').count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});

it('goes back beyond the newest two hundred messages', async () => {
  const questions = Array.from({ length: 120 }, (_, n) => `This is question number ${n + 1}.`);
  const id = await longConversation(await app.server.signIn(), questions);
  const { page, complaints, context } = await app.open({ path: `/chat?c=${id}` });
  await page.getByText('This is question number 120.').waitFor();
  expect(await page.getByText('This is question number 20.').count()).toBe(0);
  await page.getByRole('button', { name: 'Show earlier messages' }).click();
  const thread = page.getByRole('log', { name: 'Messages' });
  await thread.getByText('This is question number 1.', { exact: true }).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Show earlier messages' }).waitFor({ state: 'detached' });
  expect(await page.getByRole('article').count()).toBe(120);
  expect(complaints).toEqual([]);
  await context.close();
}, 120_000);
