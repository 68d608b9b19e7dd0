import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { capEntries, capPrompt, capResult, modelText } from './results.ts';
import { createSecretBox } from './secret-box.ts';

const text = (value: string) => ({
  content: [{ type: 'text', text: value }],
  structured: undefined,
  isError: false,
});

describe('caps of results', () => {
  it('leave small results as they are', () => {
    const result = {
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', data: 'AA==', mimeType: 'image/png' },
      ],
      structured: { n: 1 },
      isError: false,
    };
    expect(capResult(result)).toEqual({ ...result, truncated: false });
  });

  it('cut text at a character, say so, and stay within the limit', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 300, maxLength: 600 }), (value) => {
        const capped = capResult(text(value), 256);
        const kept = String(capped.content[0]?.text);
        expect(kept.isWellFormed()).toBe(true);
        expect(value.startsWith(kept.replace(/\n\[truncated: [^\]]*\]$/, ''))).toBe(true);
        if (capped.truncated) expect(Buffer.byteLength(kept)).toBeLessThan(256 + 64);
      }),
    );
  });

  it('leave out binary blocks that do not fit, and structured content too', () => {
    const image = { type: 'image', data: 'A'.repeat(1_000), mimeType: 'image/png' };
    const capped = capResult(
      { content: [image], structured: { big: 'x'.repeat(1_000) }, isError: false },
      500,
    );
    expect(capped).toMatchObject({
      truncated: true,
      content: [{ type: 'text', text: expect.stringMatching(/left out: image/) }],
    });
    expect(capped.structured).toBeUndefined();
  });
});

describe('the cap holds for the whole result', () => {
  const encoded = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
  it.each([
    ['empty blocks', Array.from({ length: 200_000 }, () => ({ type: 'text', text: '' }))],
    ['small blocks', Array.from({ length: 200_000 }, () => ({ type: 'text', text: 'some words' }))],
    [
      'pictures',
      Array.from({ length: 5_000 }, () => ({ type: 'image', data: 'A'.repeat(900), mimeType: 'x' })),
    ],
    ['controls', [{ type: 'text', text: '\u0000'.repeat(3_000_000) }]],
    ['half characters', [{ type: 'text', text: '\ud83d'.repeat(3_000_000) }]],
    ['pairs', [{ type: 'text', text: '\u{1f600}'.repeat(1_000_000) }]],
    ['long names of kinds', Array.from({ length: 50 }, () => ({ type: 'x'.repeat(100_000) }))],
    ['large parts beside a text', [{ type: 'text', text: 'x', _meta: { a: 'y'.repeat(2_000_000) } }]],
  ])('%s', (_name, content) => {
    const capped = capResult({ content, structured: undefined, isError: false });
    expect(capped.truncated).toBe(true);
    expect(capped.content.length).toBeLessThanOrEqual(1_001);
    expect(encoded(capped.content)).toBeLessThan(1024 * 1024 + 8_192);
  });

  it('content and structured content together', () => {
    const half = 'x'.repeat(700_000);
    const capped = capResult({ content: text(half).content, structured: { half }, isError: false });
    expect(capped).toMatchObject({ truncated: true, structured: undefined });
    expect(capped.content).toEqual(text(half).content);
  });

  it('and says how many blocks are missing', () => {
    const content = Array.from({ length: 1_500 }, () => ({ type: 'text', text: 'a' }));
    const capped = capResult({ content, structured: undefined, isError: false });
    expect(capped.content.at(-1)?.text).toBe('[left out: 500 more blocks, over the limit of the result]');
  });
});

describe('text for a model', () => {
  it('names what is no text, and drops what nobody can see', () => {
    const content = [
      { type: 'text', text: 'a\u{e0041}b\u200b' },
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'file:///x', text: 'inside' } },
    ];
    expect(modelText({ content, structured: undefined, isError: false })).toBe(
      'ab\n[image image/png]\ninside',
    );
  });

  it('gives structured content where there is no text', () => {
    expect(modelText({ content: [], structured: { n: 1 }, isError: false })).toBe('{"n":1}');
  });

  it('is cut and marked', () => {
    expect(modelText(text('x'.repeat(100_000)))).toMatch(
      /^x{65536}\n\[truncated: 65536 of 100000 characters\]$/,
    );
  });
});

describe('secret box', () => {
  const box = createSecretBox(Buffer.alloc(32, 1));
  it('opens what it sealed, in its place and with its key only', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (value, place) => {
        const sealed = box.seal(value, place);
        expect(box.open(sealed, place)).toBe(value);
        expect(() => box.open(sealed, `${place}!`)).toThrow();
        expect(() => createSecretBox(Buffer.alloc(32, 2)).open(sealed, place)).toThrow();
      }),
    );
  });

  it('refuses what was altered', () => {
    const sealed = box.seal('text', 'place');
    const flipped = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA');
    expect(() => box.open(flipped, 'place')).toThrow();
    expect(() => createSecretBox(Buffer.alloc(16))).toThrow(/32 bytes/);
  });
});

describe('resources, prompts and listings', () => {
  const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

  it('go on as they are when they are small', () => {
    const contents = [
      { uri: 'a', text: 'x' },
      { uri: 'b', blob: 'AAEC' },
    ];
    expect(capEntries(contents)).toEqual({ items: contents, truncated: false });
    const prompt = { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] };
    expect(capPrompt(prompt)).toEqual({ ...prompt, truncated: false });
  });

  it('are cut, marked and never over the limit', () => {
    const text = capEntries([{ uri: 'a', text: 'é'.repeat(5_000) }], 2_000);
    expect(text.truncated).toBe(true);
    expect(text.items[0]?.text).toMatch(/\[truncated: \d+ of 10000 bytes\]$/);
    const blob = capEntries([{ uri: 'a', blob: 'A'.repeat(5_000) }], 2_000);
    expect(blob).toEqual({
      items: [{ uri: 'a', text: expect.stringMatching(/^\[left out: \d+ bytes/) }],
      truncated: true,
    });
    const many = capEntries(
      Array.from({ length: 1_000 }, (_, i) => ({ uri: `x://${i}`, text: 'y'.repeat(50) })),
      2_000,
    );
    expect(many.truncated).toBe(true);
    const listing = capEntries(
      [
        { uri: 'a', name: 'n'.repeat(5_000) },
        { uri: 'b', name: 'b' },
      ],
      2_000,
    );
    expect(listing).toEqual({ items: [{ uri: 'b', name: 'b' }], truncated: true });
    const prompt = capPrompt(
      {
        description: 'd',
        messages: Array.from({ length: 5 }, () => ({
          role: 'user',
          content: { type: 'text', text: 'z'.repeat(900) },
        })),
      },
      2_000,
    );
    expect(prompt).toMatchObject({ description: 'd', truncated: true });
    for (const one of [text.items, blob.items, many.items, prompt.messages])
      expect(bytes(one)).toBeLessThanOrEqual(2_000 + 2);
  });
});
