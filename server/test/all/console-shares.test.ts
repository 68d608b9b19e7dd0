import { afterAll, beforeAll, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { type ConsoleUnderTest, fillSignIn, startConsole } from '../support/console.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';

/** Conversations that are shared in the console, and the page that shows them to others. */

let app: ConsoleUnderTest;
let provider: TestProvider;
beforeAll(async () => {
  provider = await startTestProvider();
  app = await startConsole({
    env: { MODEL: 'compatible/test-model', COMPATIBLE_BASE_URL: provider.url, SHARE_LINKS: 'on' },
  });
});
afterAll(async () => {
  await app?.close();
  await provider?.close();
});

const HOSTILE = [
  'The **tide** turns at noon.',
  '<script>window.broken = 1</script><img src=x onerror="window.broken = 2">',
  '[press](javascript:window.broken=3) ![pixel](https://elsewhere.example/p.png)',
].join('\n\n');

it(
  req('SHARE-05', 'a link is made, opened without a sign-in, does nothing but show, and is ended'),
  async () => {
    provider.always({ text: HOSTILE });
    const admin = await app.server.signIn();
    await admin.post('/api/v1/chat', { message: 'When does the tide turn?', context: { agent_id: 'zeus' } });
    const { page, axe, complaints, screenshot, context } = await app.open({ path: '/chat' });
    await page.getByRole('button', { name: 'More for When does the tide turn?' }).click();
    await page.getByRole('menuitem', { name: 'Share' }).click();
    const dialog = page.getByRole('dialog', { name: 'Share the conversation' });
    await dialog.getByText('It is not shared yet.').waitFor();
    await dialog.getByLabel('Who can read it').selectOption('link');
    await dialog.getByRole('button', { name: 'Make a link' }).click();
    const url = (await dialog.getByRole('status').locator('code').textContent()) ?? '';
    expect(url).toMatch(/\/share#[\w-]{43}$/);
    await dialog.getByText('Anybody with the link').waitFor();
    expect(await axe()).toEqual([]);
    await screenshot('share-dialog');

    const link = new URL(url);
    const reader = await app.open({ path: link.pathname + link.hash, as: null });
    await reader.page.getByRole('heading', { name: 'When does the tide turn?' }).waitFor();
    await reader.page.locator('strong', { hasText: 'tide' }).waitFor();
    await reader.page.getByText('Zeus').waitFor();
    expect(await reader.page.evaluate('window.broken')).toBeUndefined();
    expect(await reader.page.locator('main a[href^="javascript"]').count()).toBe(0);
    expect(await reader.page.locator('main img').count()).toBe(0);
    expect(await reader.axe()).toEqual([]);
    await reader.screenshot('share');
    expect(reader.complaints).toEqual([]);

    await dialog.getByRole('button', { name: 'End this share' }).click();
    await dialog.getByText('It is not shared yet.').waitFor();
    expect(await dialog.getByText(link.hash.slice(1)).count()).toBe(0);
    await reader.page.reload();
    // Nothing there without a sign-in any more: the browser is asked for one.
    await reader.page.getByLabel('Password').waitFor();
    expect(complaints).toEqual([]);
    await reader.context.close();
    await context.close();
  },
);

it(req('SHARE-02', 'what is shared in the tenant is shown after the sign-in, also on a phone'), async () => {
  provider.always({ text: 'By the north gate.' });
  const admin = await app.server.signIn();
  const chatted = await admin.post('/api/v1/chat', {
    message: 'Where is the key?',
    context: { agent_id: 'zeus' },
  });
  const { conversation_id: id } = chatted.json<{ conversation_id: string }>();
  const made = await admin.post(`/api/v1/conversations/${id}/shares`, { audience: 'tenant' });
  const link = new URL(made.json<{ url: string }>().url);
  const colleague = { email: 'colleague@example.com', password: 'a long enough password' };
  await admin.post('/v2/users', { ...colleague, name: 'Colleague', roles: ['readonly'] });
  const { page, axe, context } = await app.open({
    device: 'phone',
    path: link.pathname + link.hash,
    as: null,
  });
  await fillSignIn(page, colleague);
  await page.getByText('By the north gate.').waitFor();
  await page.getByRole('heading', { name: 'Where is the key?' }).waitFor();
  expect(await axe()).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await admin.delete(`/api/v1/conversations/${id}?permanent=true`);
  await page.reload();
  await page.getByText('There is nothing to read here').waitFor();
  await context.close();
});
