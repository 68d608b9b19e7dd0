import { afterAll, describe, expect, test, vi } from 'vitest';
import { req } from '../../../test/requirements.ts';
import {
  linesFrom,
  makePicture,
  makeScan,
  makeTiff,
  type ScanLine,
  turnedJpeg,
} from '../../../test/support/scan.ts';
import type { PageMemory } from '../../kernel/parser.ts';
import { missingLanguages } from './ocr-engine.ts';
import { createDocumentParser } from './parser.ts';
import { createRecognizer, type RecognizerOptions } from './recognizer.ts';

// Machines under test are slow.
vi.setConfig({ testTimeout: 600_000 });

const PROSE = [
  'The keeper of the northern light counts the boats at dusk.',
  'When the fog comes in, he sounds the horn three times and',
  'waits for an answer from the mole.',
];
const WHOLE = PROSE.join(' ');
const prose = linesFrom(140, PROSE);
const hints = { filename: 'scan.pdf', declaredType: null, tenantId: 't' };

function countingMemory() {
  const pages = new Map<string, string>();
  const memory: PageMemory = {
    get: async (key) => pages.get(JSON.stringify(key)) ?? null,
    put: async (key, text) => {
      pages.set(JSON.stringify(key), text);
    },
  };
  return { memory, pages };
}
const reader = (more: Partial<RecognizerOptions> = {}) =>
  createDocumentParser({
    recognizer: createRecognizer({
      settings: { languages: ['eng'], dataDir: null },
      force: false,
      memory: countingMemory().memory,
      // Machines under test are slow; nobody waits here.
      timeoutMs: 300_000,
      ...more,
    }),
  });

describe('scanned pages', () => {
  const parser = reader();
  afterAll(() => parser.close());

  test('headings, paragraphs, and tables with their empty cells', async () => {
    const rows = [
      ['Item', 'Ordered', 'Delivered', 'Remark'],
      ['Bolts', '450', '', 'late'],
      ['Nuts', '', '156', 'urgent'],
      ['Washers', '780', '778', 'fine'],
    ];
    const table = rows.flatMap((row, r) =>
      row.map((text, c): ScanLine => ({ x: 72 + c * 120, y: 320 + r * 20, text })),
    );
    const heading = { x: 72, y: 90, text: 'Rules of the harbour', size: 24 };
    const document = await parser.parse(makeScan([{ lines: [heading, ...prose, ...table] }]), hints);
    expect(document).toMatchObject({ title: 'Rules of the harbour', pageCount: 1 });
    expect(document).not.toHaveProperty('unreadPages');
    expect(document.blocks).toEqual([
      { kind: 'heading', text: 'Rules of the harbour', page: 1, level: 1 },
      { kind: 'text', text: WHOLE, page: 1 },
      {
        kind: 'table',
        text: 'Item | Ordered | Delivered | Remark\nBolts | 450 |  | late\nNuts |  | 156 | urgent\nWashers | 780 | 778 | fine',
        page: 1,
      },
    ]);
  });

  test('masks of one bit, pages on their side, a stamp over the picture; a page without text stays unread', async () => {
    const document = await parser.parse(
      makeScan([
        { lines: prose, mask: true },
        { lines: prose, turned: true },
        { lines: prose, text: 'Stamped 4711' },
        { lines: [] },
      ]),
      hints,
    );
    expect(document.unreadPages).toEqual([4]);
    for (const page of [1, 2, 3]) expect(document.blocks).toContainEqual({ kind: 'text', text: WHOLE, page });
    expect(document.blocks).toContainEqual({ kind: 'text', text: 'Stamped 4711', page: 3 });
  });
});

describe('files that are pictures', () => {
  const heading = { x: 72, y: 90, text: 'Rules of the harbour', size: 24 };
  const page = { lines: [heading, ...prose] };
  const parser = reader();
  const plain = createDocumentParser();
  afterAll(() => Promise.all([parser.close(), plain.close()]));
  const named = (filename: string) => ({ filename, declaredType: null, tenantId: 't' });

  test.each(['png', 'jpeg', 'webp'] as const)(
    `${req('KNOW-38', 'the text of a picture is read where text recognition is on')}: %s`,
    async (type) => {
      const document = await parser.parse(makePicture(type, page), named(`photo.${type}`));
      expect(document).toMatchObject({ contentType: `image/${type}`, title: heading.text, pageCount: 1 });
      expect(document.blocks).toEqual([
        { kind: 'heading', text: heading.text, page: 1, level: 1 },
        { kind: 'text', text: WHOLE, page: 1 },
      ]);
    },
  );

  test('each page of a TIFF is one of the document; one without text is named', async () => {
    const bytes = makeTiff([page, { lines: [] }, { lines: prose }]);
    const document = await parser.parse(bytes, named('fax.tif'));
    expect(document).toMatchObject({ contentType: 'image/tiff', pageCount: 3, unreadPages: [2] });
    expect(document.blocks).toContainEqual({ kind: 'text', text: WHOLE, page: 3 });
  });

  test.each(['old JPEG', 'JPEG', 'Deflate', 'Deflate of differences', 'Zstandard'] as const)(
    'a TIFF may be packed as %s',
    async (packing) => {
      const bytes = makeTiff([{ lines: prose }, { lines: prose }], packing);
      const document = await parser.parse(bytes, named('fax.tif'));
      expect(document.blocks.map((b) => [b.text, b.page])).toEqual([
        [WHOLE, 1],
        [WHOLE, 2],
      ]);
    },
  );

  test('a TIFF whose data is damaged is refused as such, and one of its pages is named', async () => {
    const whole = makeTiff([{ lines: prose }, { lines: prose }], 'Deflate');
    const first = whole.slice();
    first.fill(0, 8, 400);
    expect(await parser.parse(first, named('fax.tif'))).toMatchObject({ pageCount: 2, unreadPages: [1] });
    const both = makeTiff([{ lines: prose }], 'Deflate').slice();
    both.fill(0, 8, 400);
    await expect(parser.parse(both, named('fax.tif'))).rejects.toMatchObject({ fault: 'broken' });
  });

  test('a photo is read as its camera was held', async () => {
    const lying = makePicture('jpeg', { ...page, turned: true });
    const document = await parser.parse(turnedJpeg(lying, 6), named('IMG_0001.jpg'));
    expect(document.blocks.map((b) => b.text)).toEqual([heading.text, WHOLE]);
  });

  test('is refused where recognition is off, where it holds no text, and where it is damaged', async () => {
    const off = { fault: 'unsupported_type', message: expect.stringContaining('OCR') };
    const bytes = makePicture('png', page);
    await expect(plain.parse(bytes, named('photo.png'))).rejects.toMatchObject(off);
    const empty = makePicture('png', { lines: [] });
    await expect(parser.parse(empty, named('sky.png'))).rejects.toMatchObject({ fault: 'no_text' });
    const half = bytes.subarray(0, 200);
    const damaged = { fault: 'broken', message: expect.stringContaining('incomplete') };
    await expect(parser.parse(half, named('half.png'))).rejects.toMatchObject(damaged);
    const jpeg = makePicture('jpeg', page);
    const cut = jpeg.subarray(0, jpeg.length / 2);
    await expect(parser.parse(cut, named('half.jpg'))).rejects.toMatchObject(damaged);
    const webp = makePicture('webp', page);
    await expect(parser.parse(webp.subarray(0, 400), named('half.webp'))).rejects.toMatchObject(damaged);
    // Only its mark of the end is missing.
    const unmarked = await parser.parse(jpeg.subarray(0, -2), named('unmarked.jpg'));
    expect(unmarked.blocks).toContainEqual({ kind: 'text', text: WHOLE, page: 1 });
    const tiff = makeTiff([page]).slice();
    tiff.fill(0xff, 4, 8);
    await expect(parser.parse(tiff, named('fax.tif'))).rejects.toMatchObject({ fault: 'broken' });
  });
});

test('who ends the reading waits for no further page; what is done is kept, and reading goes on from there', async () => {
  const { memory, pages } = countingMemory();
  const bytes = makeScan([{ lines: prose }, { lines: prose }, { lines: prose }]);
  const parser = reader({ memory });
  try {
    const ending = new AbortController();
    const onPages = (): void => {
      if (pages.size === 1) ending.abort(new Error('taken back'));
    };
    const first = parser.parse(bytes, { ...hints, signal: ending.signal, onPages });
    await expect(first).rejects.toThrow('taken back');
    expect([1, 2]).toContain(pages.size);
    pages.set([...pages.keys()][0] ?? '', JSON.stringify([]));
    const second = await parser.parse(bytes, hints);
    expect(pages.size).toBe(3);
    // The first page was not looked at again.
    expect(second.unreadPages).toEqual([1]);
  } finally {
    await parser.close();
  }
});

test('a page that takes too long or too much is unread, and the rest is read', async () => {
  const bytes = makeScan([{ lines: prose, text: 'The tide gauge stands at the mole.' }]);
  for (const limit of [{ timeoutMs: 1 }, { memoryMib: 40 }]) {
    const parser = reader(limit);
    try {
      const document = await parser.parse(bytes, hints);
      expect(document.blocks.map((b) => b.text)).toEqual(['The tide gauge stands at the mole.']);
    } finally {
      await parser.close();
    }
  }
});

test('where it is forced, words of the picture stand in place of those behind it', async () => {
  const bad = 'Tne keeqer '.repeat(11);
  const forcing = reader({ force: true });
  const usual = reader();
  try {
    const bytes = makeScan([{ lines: prose, text: bad }]);
    expect((await forcing.parse(bytes, hints)).blocks.map((b) => b.text)).toEqual([WHOLE]);
    expect((await usual.parse(bytes, hints)).blocks.map((b) => b.text)).toEqual([bad.trim()]);
  } finally {
    await Promise.all([forcing.close(), usual.close()]);
  }
});

test('languages without data are told', () => {
  expect(missingLanguages({ languages: ['eng', 'tlh', '../eng'], dataDir: '/nowhere' })).toEqual([
    'tlh',
    '../eng',
  ]);
});
