import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import type { Client } from '../support/client.ts';
import { type ConsoleUnderTest, signInBeside, startConsole } from '../support/console.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';

/** What a person has written survives: a session that has ended, a refused request, a broken answer. */

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
      ALLOW_SELF_APPROVAL: 'on',
    },
  });
  admin = await app.server.signIn();
});
afterAll(async () => {
  await app?.close();
  await provider?.close();
});
beforeEach(() => provider.reset());

/** As from another device: everywhere but where the test itself is signed in. */
const endSessions = async (): Promise<void> => {
  const { items } = (await admin.get('/v2/users/me/sessions')).json<{ items: { id: string }[] }>();
  const own = (await admin.get('/v2/auth/me')).json<{ session_id: string }>().session_id;
  for (const { id } of items) if (id !== own) await admin.delete(`/v2/users/me/sessions/${id}`);
};

const fieldOf = (page: Page) => page.getByLabel('Message', { exact: true });
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' });

const signIn = (page: Page): Promise<void> =>
  signInBeside(page, dialogOf(page).getByRole('button', { name: 'Sign in again' }), app.server.admin);

const sockets = (page: Page): { count: number } => {
  const seen = { count: 0 };
  page.on('websocket', () => {
    seen.count += 1;
  });
  return seen;
};

describe('a session that has ended', () => {
  it(
    req(
      'CONSOLE-01',
      'a message sent then comes back into its field, and is sent after signing in beside the page',
    ),
    async () => {
      const { page, axe, screenshot, context } = await app.open();
      await page.waitForURL('**/chat');
      await fieldOf(page).fill('/zeus Do not lose me');
      await endSessions();
      await page.keyboard.press('Enter');
      await dialogOf(page).waitFor();
      expect(await axe()).toEqual([]);
      await screenshot('session-ended');
      expect(await fieldOf(page).inputValue()).toBe('Do not lose me');
      provider.script({ chunks: ['Kept.'] });
      await signIn(page);
      await dialogOf(page).waitFor({ state: 'detached' });
      expect(await fieldOf(page).inputValue()).toBe('Do not lose me');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('article').getByText('Kept.').waitFor();
      expect(await fieldOf(page).inputValue()).toBe('');
      await context.close();
    },
  );

  it(req('CONSOLE-01', 'also over a reload before signing in again'), async () => {
    const { page, context } = await app.open();
    await page.waitForURL('**/chat');
    await fieldOf(page).fill('Written before the reload');
    await endSessions();
    await page.keyboard.press('Enter');
    await dialogOf(page).waitFor();
    await page.reload();
    await dialogOf(page).waitFor();
    await signIn(page);
    await fieldOf(page).waitFor();
    expect(await fieldOf(page).inputValue()).toBe('Written before the reload');
    await context.close();
  });

  it(
    req('CONSOLE-02', 'a tab that is left open asks no more, and hears again after signing in'),
    async () => {
      const { page, context } = await app.open({ path: '/agents' });
      await page.getByRole('button', { name: /^Zeus/ }).waitFor();
      const opened = sockets(page);
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await endSessions();
      await dialogOf(page).waitFor();
      // The closed socket is followed by one refused renewal; whatever else was under way has an answer by then.
      await page.waitForLoadState('networkidle');
      const before = { sockets: opened.count, asked: asked.length };
      expect(before.sockets).toBeLessThanOrEqual(1);
      // Longer than any of the page's own intervals up to then.
      await page.clock.install();
      await page.clock.runFor(180_000);
      expect({ sockets: opened.count, asked: asked.length }).toEqual(before);
      await context.close();
    },
  );

  it(req('CONSOLE-01', 'a form that is being filled in stays filled in'), async () => {
    const { page, context } = await app.open({ path: '/tasks' });
    await page.getByRole('button', { name: 'New task' }).first().click();
    const form = page.getByRole('dialog', { name: /task/i });
    await form.getByLabel(/What/).first().fill('Sweep the lamp room every evening');
    await endSessions();
    await dialogOf(page).waitFor();
    await signIn(page);
    await dialogOf(page).waitFor({ state: 'detached' });
    expect(await form.getByLabel(/What/).first().inputValue()).toBe('Sweep the lamp room every evening');
    await context.close();
  });
});

/** Uploads that are under way stop at the door until the session has ended. */
const holdUploads = async (page: Page): Promise<{ held: number; release(): void }> => {
  const door = Promise.withResolvers<void>();
  const state = { held: 0, release: () => door.resolve() };
  await page.route('**/knowledge/documents', async (route) => {
    if (route.request().method() === 'POST') {
      state.held += 1;
      await door.promise;
    }
    await route.continue();
  });
  return state;
};
/** Names of the files that the browser has kept. */
const keptIn = (page: Page): Promise<string[]> =>
  page.evaluate(`new Promise((resolve) => {
    indexedDB.open('pentarch.files').onsuccess = ({ target }) => {
      const all = target.result.transaction('files').objectStore('files').getAll();
      all.onsuccess = () => resolve(all.result.map(({ name }) => name));
    };
  })`);
const fileNamed = (name: string) => ({ name, mimeType: 'text/markdown', buffer: Buffer.from(`# ${name}`) });

describe('files and comments of a session that ends in the middle', () => {
  it(req('CONSOLE-01', 'files on their way are sent by themselves after signing in again'), async () => {
    const { page, context } = await app.open({ path: '/knowledge' });
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    const uploads = await holdUploads(page);
    const names = ['one.md', 'two.md', 'three.md'];
    await page.getByTestId('files').setInputFiles(names.map(fileNamed));
    await expect.poll(() => uploads.held).toBe(2);
    await endSessions();
    uploads.release();
    await dialogOf(page).waitFor();
    // By their place in the page: what stands behind the dialog has no role just now.
    const rows = page.locator('li').filter({ hasText: /(one|two|three)\.md/ });
    await expect.poll(() => rows.filter({ hasText: 'waiting' }).count()).toBe(3);
    expect(await page.getByText('0 of 3 finished').count()).toBe(1);
    await signIn(page);
    await dialogOf(page).waitFor({ state: 'detached' });
    await page.getByText('3 of 3 finished').waitFor();
    expect(await rows.filter({ hasText: 'ready' }).count()).toBe(3);
    await context.close();
  });

  it(req('CONSOLE-01', 'files of a message too, and the message goes with them'), async () => {
    const { page, context } = await app.open();
    await page.waitForURL('**/chat');
    await fieldOf(page).fill('/zeus What stands in it?');
    const uploads = await holdUploads(page);
    await page
      .getByRole('form', { name: 'New message' })
      .locator('input[type=file]')
      .setInputFiles([fileNamed('attached.md')]);
    await expect.poll(() => uploads.held).toBe(1);
    await endSessions();
    uploads.release();
    await dialogOf(page).waitFor();
    const attachments = page.locator('[aria-label=Attachments]');
    await attachments.getByText('waits for your sign-in').waitFor();
    await signIn(page);
    await dialogOf(page).waitFor({ state: 'detached' });
    await attachments.getByText('ready').waitFor();
    provider.script({ chunks: ['A title.'] });
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('article').getByText('A title.').waitFor();
    await page.getByRole('list', { name: 'Attached' }).getByRole('link').waitFor();
    await context.close();
  });

  it.each([
    ['on its way', false],
    ['that waits for a sign-in', true],
  ])(
    req('CONSOLE-01', 'a file of a message goes on after a reload, %s, and leaves nothing behind'),
    async (_state, ends) => {
      const { page, context } = await app.open();
      await page.waitForURL('**/chat');
      await fieldOf(page).fill('/zeus What stands in it?');
      const uploads = await holdUploads(page);
      await page
        .getByRole('form', { name: 'New message' })
        .locator('input[type=file]')
        .setInputFiles([fileNamed(`kept-${ends}.md`)]);
      await expect.poll(() => uploads.held).toBe(1);
      const attachments = page.locator('[aria-label=Attachments]');
      if (ends) {
        await endSessions();
        uploads.release();
        await dialogOf(page).waitFor();
        await attachments.getByText('waits for your sign-in').waitFor();
        await page.reload();
        await dialogOf(page).waitFor();
        await signIn(page);
        await dialogOf(page).waitFor({ state: 'detached' });
      } else {
        await page.reload();
        await expect.poll(() => uploads.held).toBe(2);
        uploads.release();
      }
      await attachments.getByText('ready').waitFor();
      expect(await fieldOf(page).inputValue()).toBe('/zeus What stands in it?');
      provider.script({ chunks: ['A title.'] });
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('article').getByText('A title.').waitFor();
      await page.getByRole('list', { name: 'Attached' }).getByRole('link').waitFor();
      await expect.poll(() => keptIn(page)).toEqual([]);
      await context.close();
    },
  );

  it(req('CONSOLE-01', 'a file that the browser has not kept is named after a reload'), async () => {
    const { page, context } = await app.open();
    await page.waitForURL('**/chat');
    const uploads = await holdUploads(page);
    await page
      .getByRole('form', { name: 'New message' })
      .locator('input[type=file]')
      .setInputFiles([fileNamed('gone.md')]);
    await expect.poll(() => uploads.held).toBe(1);
    await page.evaluate(`new Promise((resolve) => {
      indexedDB.open('pentarch.files').onsuccess = ({ target }) => {
        const transaction = target.result.transaction('files', 'readwrite');
        transaction.objectStore('files').clear();
        transaction.oncomplete = resolve;
      };
    })`);
    await page.reload();
    await page.locator('[aria-label=Attachments]').getByText('Choose it again, or remove it.').waitFor();
    await page.getByRole('button', { name: 'Remove gone.md' }).click();
    expect(await page.locator('[aria-label=Attachments]').count()).toBe(0);
    uploads.release();
    await context.close();
  });

  it(req('CONSOLE-01', 'documents on their way go on after a reload'), async () => {
    const { page, context } = await app.open({ path: '/knowledge' });
    await page.getByRole('button', { name: 'Choose files' }).waitFor();
    const uploads = await holdUploads(page);
    const names = ['four.md', 'five.md', 'six.md'];
    await page.getByTestId('files').setInputFiles(names.map(fileNamed));
    await expect.poll(() => uploads.held).toBe(2);
    await page.reload();
    await expect.poll(() => uploads.held).toBe(4);
    uploads.release();
    await page.getByText('3 of 3 finished').waitFor();
    const rows = page.locator('li').filter({ hasText: /(four|five|six)\.md/ });
    await expect.poll(() => rows.filter({ hasText: 'ready' }).count()).toBe(3);
    await expect.poll(() => keptIn(page)).toEqual([]);
    await page.unroute('**/knowledge/documents');
    const again = await holdUploads(page);
    await page.getByTestId('files').setInputFiles([fileNamed('seven.md')]);
    await expect.poll(() => again.held).toBe(1);
    expect(await keptIn(page)).toEqual(['seven.md']);
    again.release();
    await context.close();
  });

  it(req('CONSOLE-01', 'a comment on an answer stays over the end, a reload and a refusal'), async () => {
    const { page, context } = await app.open();
    await page.waitForURL('**/chat');
    provider.script({ chunks: ['Perhaps.'] });
    await fieldOf(page).fill('/zeus Is it so?');
    await page.keyboard.press('Enter');
    await page.getByRole('article').getByText('Perhaps.').waitFor();
    await page.getByRole('button', { name: 'Bad answer' }).click();
    const comment = page.getByLabel('Why? (optional; Enter sends it)');
    await comment.fill('It is no answer at all');
    await endSessions();
    await dialogOf(page).waitFor();
    await page.reload();
    await dialogOf(page).waitFor();
    await signIn(page);
    await dialogOf(page).waitFor({ state: 'detached' });
    await comment.waitFor();
    expect(await comment.inputValue()).toBe('It is no answer at all');
    const refusal = { code: 'CONFLICT', message: 'not just now', details: {}, request_id: 'r' };
    await page.route(
      '**/feedback',
      (route) =>
        route.fulfill({ status: 409, contentType: 'application/json', body: JSON.stringify(refusal) }),
      { times: 1 },
    );
    await comment.press('Enter');
    await page.getByText('not just now').first().waitFor();
    expect(await comment.inputValue()).toBe('It is no answer at all');
    await comment.press('Enter');
    await page.getByText('Thank you').waitFor();
    await page.reload();
    await page.getByRole('article').getByText('Perhaps.').waitFor();
    expect(await comment.count()).toBe(0);
    await context.close();
  });

  it(req('CONSOLE-01', 'the reason of a vote stays over the end and a reload'), async () => {
    const made = await admin.post('/v2/governance/proposals', { action: 'lamp.dim', estimated_cost: 500 });
    const { id } = made.json<{ id: string }>();
    const { page, context } = await app.open({ path: `/governance?proposal=${id}` });
    const reason = page.getByLabel('Reason');
    await reason.fill('Ships come in late today');
    await endSessions();
    await dialogOf(page).waitFor();
    await page.reload();
    await dialogOf(page).waitFor();
    await signIn(page);
    await dialogOf(page).waitFor({ state: 'detached' });
    await reason.waitFor();
    expect(await reason.inputValue()).toBe('Ships come in late today');
    await context.close();
  });
});

describe('a message that is refused', () => {
  it(req('CONSOLE-01', 'comes back with its agent, before what was written meanwhile'), async () => {
    const { page, context } = await app.open();
    await page.waitForURL('**/chat');
    const held = Promise.withResolvers<void>();
    await page.route('**/chat/stream', async (route) => {
      await held.promise;
      await route.fulfill({
        status: 500,
        contentType: 'application/json',
        body: JSON.stringify({
          error: { code: 'INTERNAL_ERROR', message: 'no', details: {}, request_id: 'r' },
        }),
      });
    });
    await fieldOf(page).fill('/hermes First thought');
    await page.keyboard.press('Enter');
    await fieldOf(page).fill('Second thought');
    held.resolve();
    await page.getByText('Your message was not taken.').waitFor();
    expect(await fieldOf(page).inputValue()).toBe('First thought\n\nSecond thought');
    expect(await page.getByLabel('Agent', { exact: true }).inputValue()).toBe('hermes');
    await page.reload();
    await fieldOf(page).waitFor();
    expect(await fieldOf(page).inputValue()).toBe('First thought\n\nSecond thought');
    await context.close();
  });

  it(
    req('CONSOLE-01', 'whose run has begun unseen is taken once, also when it is sent again after a reload'),
    async () => {
      const { page, context } = await app.open();
      await page.waitForURL('**/chat');
      provider.always({ chunks: ['Once.'] });
      // The request arrives, its answer never does.
      await page.route('**/chat/stream', async (route) => {
        await route.fetch();
      });
      const taken = page.waitForRequest('**/chat/stream');
      await fieldOf(page).fill('/zeus Count me once');
      await page.keyboard.press('Enter');
      await taken;
      await expect.poll(() => provider.requests.length).toBe(1);
      await page.reload();
      await fieldOf(page).waitFor();
      expect(await fieldOf(page).inputValue()).toBe('Count me once');
      // Only now: the door's end lets go what still waits at it, and the page would hear of its run.
      await page.unroute('**/chat/stream');
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('article').getByText('Once.').waitFor();
      expect(provider.requests.length).toBe(1);
      await context.close();
    },
  );
});

describe('an answer that is not whole', () => {
  it(req('CONSOLE-03', 'says so after a reload, with why, and can be asked for again'), async () => {
    const { page, axe, complaints, screenshot, context } = await app.open();
    await page.waitForURL('**/chat');
    provider.script({ chunks: ['Half ', 'an answer', ' and more'], resetAfter: 2 });
    await fieldOf(page).fill('/zeus Tell me');
    await page.keyboard.press('Enter');
    await page.getByText('failed: this is not the whole answer').waitFor();
    await page.reload();
    const answer = page.getByRole('article');
    await answer.getByText('Half an answer').waitFor();
    await answer.getByText('failed: this is not the whole answer').waitFor();
    await screenshot('chat-failed');
    expect(await axe()).toEqual([]);
    provider.script({ chunks: ['Whole.'] });
    await answer.getByRole('button', { name: 'Ask again' }).click();
    await page.getByText('Whole.').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it(
    req('CONSOLE-03', 'that has no word stands at its question, also once others have followed'),
    async () => {
      const { page, context } = await app.open();
      await page.waitForURL('**/chat');
      provider.script({ chunks: [], finishReason: null });
      await fieldOf(page).fill('/zeus Say nothing');
      await page.keyboard.press('Enter');
      await page.getByText('no answer', { exact: true }).waitFor();
      provider.always({ chunks: ['Here I am.'] });
      await fieldOf(page).fill('/zeus And now?');
      await page.keyboard.press('Enter');
      await page.getByRole('article').getByText('Here I am.').waitFor();
      await page.reload();
      await page.getByRole('article').getByText('Here I am.').waitFor();
      expect(await page.getByText('no answer', { exact: true }).count()).toBe(1);
      await context.close();
    },
  );
});
