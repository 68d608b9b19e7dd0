import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { startTestProvider, type TestProvider, type TestRequest } from '../support/provider.ts';

/** Versions of messages in the console: asked for, edited, picked, gone on from; in another tab, over a reload, on a phone. */

let app: ConsoleUnderTest;
let provider: TestProvider;
let admin: Client;
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
  admin = await app.server.signIn();
});
afterAll(async () => {
  await app?.close();
  await provider?.close();
});
let tries = 0;
beforeEach(() => {
  provider.reset();
  tries = 0;
  provider.always(echo);
});

const lastOf = (request: TestRequest): string =>
  String(request.body.messages?.at(-1)?.content).split('\n').at(-1) ?? '';
const echo = (request: TestRequest) => {
  tries += 1;
  return { text: `${lastOf(request)}! ${tries}` };
};
/** A conversation of three turns: "one! 1", "two! 2", "three! 3". */
const threeTurns = async (): Promise<string> => {
  let id: string | undefined;
  for (const message of ['one', 'two', 'three']) {
    const answer = await admin.post('/v2/chat', {
      message,
      context: { agent_id: 'zeus' },
      ...(id === undefined ? {} : { conversation_id: id }),
    });
    expect(answer.status, answer.text).toBe(200);
    id = answer.json<{ conversation_id: string }>().conversation_id;
  }
  return id ?? '';
};
const thread = (page: Page) => page.getByRole('log', { name: 'Messages' });
const answers = (page: Page): Promise<string[]> => page.getByRole('article').locator('p').allTextContents();
const versionsOf = (page: Page, what: 'message' | 'answer') =>
  page.getByRole('group', { name: `Versions of this ${what}` });
const nth = (page: Page, n: number) => page.getByRole('article').nth(n);

it(
  req(
    'CONSOLE-05',
    'an answer is asked for again in its place, and every version stays reachable by keyboard',
  ),
  async () => {
    const id = await threeTurns();
    const { page, axe, complaints, screenshot, context } = await app.open({ path: `/chat?c=${id}` });
    await nth(page, 2).getByText('three! 3').waitFor();
    expect(await versionsOf(page, 'answer').count()).toBe(0);
    await nth(page, 1).getByRole('button', { name: 'Ask again' }).click();
    await nth(page, 1).getByText('two! 4').waitFor();
    const versions = versionsOf(page, 'answer');
    await versions.getByText('Version 2 of 2').waitFor();
    // What followed the first version belongs to its branch.
    await expect.poll(() => answers(page)).toEqual(['one! 1', 'two! 4']);
    expect(await axe()).toEqual([]);
    await screenshot('chat-versions');
    await versions.getByRole('button', { name: 'Previous version' }).focus();
    await page.keyboard.press('Enter');
    await versions.getByText('Version 1 of 2').waitFor();
    await expect.poll(() => answers(page)).toEqual(['one! 1', 'two! 2', 'three! 3']);
    // The focus has stayed, so that one goes on by keys.
    await page.keyboard.press('ArrowRight');
    await versions.getByText('Version 2 of 2').waitFor();
    expect(await versions.getByRole('button', { name: 'Next version' }).getAttribute('aria-disabled')).toBe(
      'true',
    );
    await page.reload();
    await nth(page, 1).getByText('two! 4').waitFor();
    expect(await answers(page)).toEqual(['one! 1', 'two! 4']);
    expect(complaints).toEqual([]);
    await context.close();
  },
);

it(req('CONSOLE-05', 'another agent or model is asked from the menu of the answer'), async () => {
  const id = await threeTurns();
  const { page, axe, screenshot, context } = await app.open({ path: `/chat?c=${id}` });
  await nth(page, 2).getByText('three! 3').waitFor();
  const more = nth(page, 2).getByRole('button', { name: 'More for this answer' });
  await more.click();
  await page.getByRole('menuitem', { name: 'careful-model' }).waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('chat-answer-menu');
  await page.getByRole('menuitem', { name: 'careful-model' }).click();
  await nth(page, 2).getByText('three! 4').waitFor();
  await nth(page, 2).getByText('compatible/careful-model').waitFor();
  await more.click();
  await page.getByRole('menuitem', { name: 'Athena' }).click();
  await nth(page, 2).getByText('three! 5').waitFor();
  await nth(page, 2).locator('strong').getByText('Athena').waitFor();
  await versionsOf(page, 'answer').getByText('Version 3 of 3').waitFor();
  await context.close();
});

it(
  req('CONSOLE-05', 'a question is edited in its place; what is written stays until its run has begun'),
  async () => {
    const id = await threeTurns();
    const { page, axe, complaints, screenshot, context } = await app.open({ path: `/chat?c=${id}` });
    await nth(page, 2).getByText('three! 3').waitFor();
    const edit = page.getByRole('button', { name: 'Edit message' });
    const editor = page.getByRole('form', { name: 'Edit message' });
    const words = editor.getByLabel('Message in other words');
    await edit.nth(1).click();
    expect(await words.inputValue()).toBe('two');
    await editor.locator('textarea:focus').waitFor();
    await words.fill('two in other words');
    expect(await axe()).toEqual([]);
    await screenshot('chat-edit');
    // Over a reload.
    await page.reload();
    await nth(page, 2).getByText('three! 3').waitFor();
    await edit.nth(1).click();
    expect(await words.inputValue()).toBe('two in other words');
    // Over a refusal.
    const refusal = { code: 'CONFLICT', message: 'this conversation is busy', details: {}, request_id: 'r' };
    await page.route(
      '**/edit',
      (route) =>
        route.fulfill({ status: 409, contentType: 'application/json', body: JSON.stringify(refusal) }),
      { times: 1 },
    );
    await words.press('Enter');
    await page.getByText('this conversation is busy').first().waitFor();
    expect(await words.inputValue()).toBe('two in other words');
    await editor.getByRole('button', { name: 'Send' }).click();
    await nth(page, 1).getByText('two in other words! 4').waitFor();
    await expect.poll(() => answers(page)).toEqual(['one! 1', 'two in other words! 4']);
    const versions = versionsOf(page, 'message');
    await versions.getByText('Version 2 of 2').waitFor();
    await versions.getByRole('button', { name: 'Previous version' }).click();
    await versions.getByText('Version 1 of 2').waitFor();
    await expect.poll(() => answers(page)).toEqual(['one! 1', 'two! 2', 'three! 3']);
    // Esc gives it up, and the focus goes back.
    await edit.nth(1).click();
    expect(await words.inputValue()).toBe('two');
    await words.fill('never sent');
    await page.keyboard.press('Escape');
    expect(await editor.count()).toBe(0);
    await page.locator('button[aria-label="Edit message"]:focus').waitFor();
    expect(complaints.filter((one) => !one.includes('409'))).toEqual([]);
    await context.close();
  },
);

it(
  req('CONSOLE-05', 'a conversation is gone on with elsewhere from any message, and the first stays'),
  async () => {
    const id = await threeTurns();
    const { page, context } = await app.open({ path: `/chat?c=${id}` });
    await nth(page, 2).getByText('three! 3').waitFor();
    await nth(page, 1).getByRole('button', { name: 'More for this answer' }).click();
    await page.getByRole('menuitem', { name: 'Continue in a new chat' }).click();
    await page.waitForURL((url) => url.searchParams.get('c') !== id && url.searchParams.has('c'));
    await expect.poll(() => answers(page)).toEqual(['one! 1', 'two! 2']);
    await page.getByLabel('Message', { exact: true }).fill('/zeus four');
    await page.keyboard.press('Enter');
    await nth(page, 2).getByText('four! 4').waitFor();
    const { messages } = (await admin.get(`/v2/conversations/${id}`)).json<{ messages: unknown[] }>();
    expect(messages).toHaveLength(6);
    await context.close();
  },
);

const PIECES = Array.from({ length: 40 }, (_, n) => `piece${n} `);

it(
  req('CONSOLE-05', 'an answer that is being given again goes on over a reload, and is seen in another tab'),
  async () => {
    const id = await threeTurns();
    const { page, context } = await app.open({ path: `/chat?c=${id}` });
    await nth(page, 2).getByText('three! 3').waitFor();
    const other = await context.newPage();
    await other.goto(page.url());
    await nth(other, 2).getByText('three! 3').waitFor();
    const door = Promise.withResolvers<void>();
    provider.always({ chunks: PIECES, chunkDelayMs: 20, hold: door.promise });
    await nth(page, 1).getByRole('button', { name: 'Ask again' }).click();
    // Nothing of the branch before stands below what is being written.
    await expect.poll(() => page.getByText('three! 3').count()).toBe(0);
    await expect.poll(() => other.getByText('three! 3').count()).toBe(0);
    await page.reload();
    await page.getByText('is answering').waitFor();
    expect(await page.getByText('three! 3').count()).toBe(0);
    door.resolve();
    for (const one of [page, other]) {
      await versionsOf(one, 'answer').getByText('Version 2 of 2').waitFor();
      await expect.poll(() => answers(one)).toEqual(['one! 1', PIECES.join('').trim()]);
    }
    await context.close();
  },
);

it(
  req('CONSOLE-05', 'a version that fails before its first word leaves the answer that was there'),
  async () => {
    const id = await threeTurns();
    const { page, context } = await app.open({ path: `/chat?c=${id}` });
    await nth(page, 2).getByText('three! 3').waitFor();
    provider.always(() => ({ error: { status: 400, body: { error: { message: 'no' } } } }));
    await nth(page, 1).getByRole('button', { name: 'Ask again' }).click();
    await thread(page).getByRole('alert').waitFor();
    expect(await answers(page)).toEqual(['one! 1', 'two! 2', 'three! 3']);
    provider.always(echo);
    await thread(page).getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => answers(page)).toEqual(['one! 1', 'two! 4']);
    await context.close();
  },
);

it.each(['light', 'dark'] as const)(
  req('CONSOLE-05', 'on a phone all of it is within reach of a thumb, %s'),
  async (theme) => {
    const id = await threeTurns();
    const { page, axe, screenshot, context } = await app.open({
      device: 'phone',
      theme,
      path: `/chat?c=${id}`,
    });
    await nth(page, 2).getByText('three! 3').waitFor();
    await nth(page, 2).getByRole('button', { name: 'Ask again' }).click();
    const versions = versionsOf(page, 'answer');
    await versions.getByText('Version 2 of 2').waitFor();
    const previous = versions.getByRole('button', { name: 'Previous version' });
    const box = await previous.boundingBox();
    expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
    expect(await axe()).toEqual([]);
    await screenshot(`chat-versions-phone-${theme}`);
    await previous.tap();
    await versions.getByText('Version 1 of 2').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await context.close();
  },
);
