import { createCanvas } from '@napi-rs/canvas';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { req } from '../requirements.ts';
import { type ConsoleUnderTest, startConsole } from '../support/console.ts';
import { startTestProvider, type TestProvider } from '../support/provider.ts';

/** A picture in a question: chosen, seen by the model, and shown under the question, also after a reload. */

let app: ConsoleUnderTest;
let provider: TestProvider;
beforeAll(async () => {
  provider = await startTestProvider();
  app = await startConsole({
    env: {
      MODEL: 'compatible/seeing',
      VISION_MODELS: 'compatible/seeing',
      COMPATIBLE_BASE_URL: provider.url,
      COMPATIBLE_API_KEY: 'x',
    },
  });
});
afterAll(async () => {
  await app?.close();
  await provider?.close();
});
beforeEach(() => {
  provider.reset();
  provider.always(() => ({ text: 'A red square.' }));
});

const png = (side: number): Buffer => {
  const canvas = createCanvas(side, side);
  const context = canvas.getContext('2d');
  context.fillStyle = 'red';
  context.fillRect(0, 0, side, side);
  return canvas.toBuffer('image/png');
};

/** Width of the picture's own pixels once it is drawn. */
const drawn = (page: Page) =>
  expect
    .poll(
      () =>
        page
          .getByRole('list', { name: 'Pictures' })
          .getByRole('img', { name: 'square.png' })
          .evaluateAll((images) => images.map((image) => Number(Reflect.get(image, 'naturalWidth')))),
      { timeout: 60_000 },
    )
    .toEqual([32]);

it(req('PIC-18', 'is chosen, shown to the model, and shown under its question'), async () => {
  const { page, axe, complaints, screenshot } = await app.open();
  await page.waitForURL('**/chat');
  await page
    .getByLabel('Files to attach')
    .setInputFiles({ name: 'square.png', mimeType: 'image/png', buffer: png(32) });
  await page
    .getByRole('list', { name: 'Attachments' })
    .filter({ hasText: 'square.png' })
    .getByText('ready')
    .waitFor();
  await page.getByLabel('Message', { exact: true }).fill('What is this?');
  await page.keyboard.press('Enter');
  await page.getByText('A red square.').waitFor();
  await drawn(page);
  const sent = JSON.stringify(provider.requests.map(({ body }) => body.messages));
  expect(sent).toContain(`data:image/png;base64,${'iVBORw0KGgo'}`);
  expect(await axe()).toEqual([]);
  await page.reload();
  await page.getByText('A red square.').waitFor();
  await drawn(page);
  await screenshot('chat-picture');
  expect(complaints).toEqual([]);
});
