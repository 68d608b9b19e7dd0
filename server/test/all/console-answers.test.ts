import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';

/** What an answer of a model looks like in the console: code in its colours, formulas as they are set. */

let app: ConsoleUnderTest;
let provider: TestProvider;
let admin: Client;
beforeAll(async () => {
  provider = await startTestProvider();
  app = await startConsole({
    env: {
      MODEL: 'compatible/test-model',
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
beforeEach(() => provider.reset());

const PYTHON = [
  'def area(r: float) -> float:',
  '    # of a circle',
  `    return 3.14159 * r ** 2  # ${'π'.repeat(120)}`,
].join('\n');
const ANSWER = [
  'The area is \\(\\pi r^2\\), which costs $5 or $6:',
  '',
  '\\[',
  'A = \\int_0^r 2\\pi x\\,dx',
  '\\]',
  '',
  '```python',
  PYTHON,
  '```',
  '',
  '```klingon',
  'nuqneH <b>bold</b>',
  '```',
  '',
  'and $\\href{javascript:alert(1)}{x}$, $\\frac{1}{$ as it is.',
].join('\n');

const conversation = async (): Promise<string> => {
  provider.script({ text: ANSWER });
  const answer = await admin.post('/v2/chat', { message: 'The area?', context: { agent_id: 'zeus' } });
  expect(answer.status, answer.text).toBe(200);
  return answer.json<{ conversation_id: string }>().conversation_id;
};
const block = (page: Page, name: string) => page.getByRole('figure', { name, exact: true });
/** How many colours the code on the page has: one of a language that is not known has no pieces. */
const colours = (page: Page): Promise<number> =>
  page.evaluate(
    "new Set([...document.querySelectorAll('figure code span')].map((one) => getComputedStyle(one).color)).size",
  );

it(
  req('CONSOLE-11', 'code has the name of its language, its colours, and is wrapped and copied'),
  async () => {
    const id = await conversation();
    const { page, context, complaints, axe, screenshot } = await app.open({ path: `/chat?c=${id}` });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const python = block(page, 'Python');
    await expect.poll(() => colours(page), { timeout: 30_000 }).toBeGreaterThan(3);
    expect(await python.locator('code').textContent()).toBe(PYTHON);

    const wraps = python.getByRole('button', { name: 'Wrap lines' });
    const width = () => python.locator('pre').evaluate((pre) => pre.scrollWidth - pre.clientWidth);
    expect(await width()).toBeGreaterThan(0);
    await wraps.click();
    expect(await wraps.getAttribute('aria-pressed')).toBe('true');
    expect(await width()).toBe(0);

    // Shown for a moment: looked for before it comes.
    const copied = python.getByRole('button', { name: 'Copied' }).waitFor();
    await Promise.all([copied, python.getByRole('button', { name: 'Copy code' }).click()]);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(PYTHON);

    // A language that nobody knows has its name, one colour, and no markup.
    expect(await block(page, 'klingon').locator('code').textContent()).toBe('nuqneH <b>bold</b>');
    expect(await block(page, 'klingon').locator('b').count()).toBe(0);
    await page.mouse.move(0, 0);
    await screenshot('chat-code');
    expect(await axe()).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

it(
  req('CONSOLE-11', 'formulas are set, without a style or link of the model’s; prices stay prices'),
  async () => {
    const id = await conversation();
    const { page, complaints } = await app.open({ path: `/chat?c=${id}`, theme: 'dark' });
    const answer = page.getByRole('article').last();
    await expect.poll(() => answer.locator('.katex').count(), { timeout: 30_000 }).toBe(3);
    expect(await answer.locator('.katex-display').count()).toBe(1);
    // What readers of the screen are told of it.
    expect(await answer.locator('.katex-display math annotation').textContent()).toBe(
      'A = \\int_0^r 2\\pi x\\,dx',
    );
    expect(await answer.textContent()).toContain('which costs $5 or $6:');
    expect(await answer.textContent()).toContain('\\frac{1}{ as it is.');
    expect(await answer.locator('a[href^="javascript"]').count()).toBe(0);
    expect(complaints).toEqual([]);
  },
);

it('both fit on a phone, in the dark as well', async () => {
  const id = await conversation();
  for (const theme of ['light', 'dark'] as const) {
    const { page, axe, complaints } = await app.open({ path: `/chat?c=${id}`, device: 'phone', theme });
    await expect.poll(() => colours(page), { timeout: 30_000 }).toBeGreaterThan(3);
    await expect.poll(() => page.locator('.katex').count(), { timeout: 30_000 }).toBeGreaterThan(1);
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    expect(await axe()).toEqual([]);
    expect(complaints).toEqual([]);
  }
}, 120_000);

it('an answer that is too deep to be drawn is shown all the same, and the page stands', async () => {
  // Emphasis within emphasis: as deep as a page draws, or deeper.
  const deep = `${'*a _b '.repeat(1_000)}${'c_ d*'.repeat(1_000)}`;
  provider.script({ text: deep });
  const answer = await admin.post('/v2/chat', { message: 'Deep?', context: { agent_id: 'zeus' } });
  expect(answer.status, answer.text).toBe(200);
  const { conversation_id: id } = answer.json<{ conversation_id: string }>();
  const { page } = await app.open({ path: `/chat?c=${id}` });
  await expect.poll(() => page.getByRole('article').last().textContent(), { timeout: 60_000 }).toContain('c');
  await page.getByLabel('Message', { exact: true }).fill('still here');
}, 120_000);
