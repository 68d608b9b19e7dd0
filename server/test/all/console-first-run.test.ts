import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';

/** The first minutes of somebody with a fresh platform and no model key. */

let app: ConsoleUnderTest;
beforeAll(async () => {
  app = await startConsole();
});
afterAll(() => app?.close());

it('says what is missing, loads a sample, asks of it, and opens the cited passage', async () => {
  const { page, axe, complaints, screenshot, context } = await app.open();
  await page.waitForURL('**/chat');
  const setUp = page.getByRole('list', { name: 'What is set up' });
  await setUp.getByText('No language model yet').waitFor();
  await setUp.getByText('No documents yet').waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('chat-first-run');

  await page.getByRole('button', { name: 'Load a sample document' }).click();
  const questions = page.getByRole('region', { name: 'Questions on the sample document' });
  await questions.getByRole('button').nth(2).waitFor();
  expect(await questions.getByRole('button').count()).toBe(3);
  await setUp.getByText('Documents are there').waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('chat-sample');

  await questions.getByRole('button', { name: 'When does the kitchen close on Sundays?' }).click();
  await page.getByRole('button', { name: 'Copy answer' }).waitFor();
  expect(await page.getByRole('article').textContent()).toContain('16:30');
  await page.getByRole('list', { name: 'Sources' }).getByRole('button').first().click();
  const passage = page.getByRole('dialog').filter({ hasText: 'Lighthouse Café' });
  await passage.getByText('on Sundays already at 16:30').first().waitFor();
  expect(await axe()).toEqual([]);
  await screenshot('chat-citation');
  expect(complaints).toEqual([]);
  await context.close();
});

it.each(['light', 'dark'] as const)('has the other questions on a phone, %s', async (theme) => {
  const { page, axe, complaints, screenshot, context } = await app.open({ device: 'phone', theme });
  await page.waitForURL('**/chat');
  const questions = page.getByRole('region', { name: 'Questions on the sample document' });
  const question = questions.getByRole('button', { name: /larger refunds/ });
  await question.waitFor();
  expect(await axe()).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
  await screenshot(`chat-first-run-phone-${theme}`);
  await question.click();
  await page.getByRole('article').getByText('Yasemin Kaya').first().waitFor();
  await page.getByRole('button', { name: 'Copy answer' }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

it('offers nothing to load to who may only read', async () => {
  const admin = await app.server.signIn();
  const reader = { email: 'reader@example.com', password: 'a long enough password' };
  await admin.post('/v2/users', { ...reader, name: 'Reader', roles: ['readonly'] });
  const { page, axe, context } = await app.open({ as: reader });
  await page.getByText('Documents that others share').waitFor();
  expect(await page.getByRole('button', { name: 'Load a sample document' }).count()).toBe(0);
  expect(await axe()).toEqual([]);
  await context.close();
});
