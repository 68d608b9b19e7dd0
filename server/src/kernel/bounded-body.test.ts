import { expect, it } from 'vitest';
import { BodyTooLarge, bytesWithin, headOf, textWithin } from './bounded-body.ts';

/** A body without end, which counts what is read of it. */
const endless = () => {
  const seen = { parts: 0, isEnded: false };
  async function* parts() {
    try {
      for (;;) {
        seen.parts++;
        yield new Uint8Array(1_000).fill(97);
      }
    } finally {
      seen.isEnded = true;
    }
  }
  return { seen, body: parts() };
};

it('reads what is within the bound whole', async () => {
  const response = new Response('é'.repeat(10));
  expect(await textWithin(response.body, 20)).toBe('é'.repeat(10));
  expect(await textWithin(null, 0)).toBe('');
});

it('stops at the bound of a body that never ends', async () => {
  const { seen, body } = endless();
  await expect(bytesWithin(body, 2_500)).rejects.toBeInstanceOf(BodyTooLarge);
  expect(seen).toEqual({ parts: 3, isEnded: true });
});

it('gives the beginning of a body that never ends, and ends it', async () => {
  const { seen, body } = endless();
  expect((await headOf(body, 1_500)).length).toBe(1_500);
  expect(seen).toEqual({ parts: 2, isEnded: true });
});
