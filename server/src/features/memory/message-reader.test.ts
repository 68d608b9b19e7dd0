import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import { extract } from './extract.ts';
import { createMessageReader, type MessageReader, type Unread } from './message-reader.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'pentarch-reader-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A program that never comes back from the text `stuck`, dies of `dead`, and answers all others. */
const program = (): URL => {
  const file = path.join(folder, 'program.mjs');
  writeFileSync(
    file,
    `import { parentPort } from 'node:worker_threads';
const read = (text) => {
  if (text === 'stuck') /^(a|a)*$/.test('a'.repeat(60) + 'b');
  if (text === 'dead') throw new Error('the program failed');
  return [{ kind: 'replace', before: text, after: text }];
};
parentPort.on('message', (texts) => parentPort.postMessage(texts.map(read)));
parentPort.postMessage('ready');
`,
  );
  return pathToFileURL(file);
};

let reader: MessageReader;
afterEach(() => reader.close());

describe('the thread that reads messages', () => {
  it('finds what the patterns find', async () => {
    reader = createMessageReader();
    const text = 'I work at Acme. My favourite colour is blue. Always answer in German.';
    expect(await reader.read(text)).toEqual(extract(text));
    expect(extract(text)).toHaveLength(3);
  });

  it(req('MEM-07', 'gives up a message at its deadline, says so, and reads the next ones'), async () => {
    const unread: Unread[] = [];
    reader = createMessageReader({
      program: program(),
      deadlineMs: 200,
      onUnread: (reason) => unread.push(reason),
    });
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    const answers = await Promise.all(['first', 'stuck', 'next'].map((text) => reader.read(text)));
    clearInterval(timer);
    expect(answers.map((found) => found.length)).toEqual([1, 0, 1]);
    expect(unread).toEqual(['deadline']);
    // The event loop had its turns meanwhile.
    expect(turns).toBeGreaterThan(3);
  });

  it('loses none of those that go with one that is stuck or ends the thread', async () => {
    const unread: Unread[] = [];
    reader = createMessageReader({
      program: program(),
      deadlineMs: 200,
      onUnread: (reason) => unread.push(reason),
    });
    await reader.read('first');
    const texts = ['a', 'b', 'stuck', 'c', 'dead', 'd', 'e'];
    const answers = await Promise.all(texts.map((text) => reader.read(text)));
    expect(answers).toEqual(
      texts.map((text) =>
        text === 'stuck' || text === 'dead' ? [] : [{ kind: 'replace', before: text, after: text }],
      ),
    );
    expect(unread).toEqual(['deadline', 'failed']);
  });

  it('outlives a thread that fails', async () => {
    const unread: Unread[] = [];
    reader = createMessageReader({ program: program(), onUnread: (reason) => unread.push(reason) });
    expect(await reader.read('dead')).toEqual([]);
    expect(await reader.read('next')).toHaveLength(1);
    expect(unread).toEqual(['failed']);
  });

  it('lets no more than so many wait', async () => {
    const unread: Unread[] = [];
    reader = createMessageReader({
      program: program(),
      maxWaiting: 2,
      onUnread: (reason) => unread.push(reason),
    });
    const answers = await Promise.all(['1', '2', '3', '4'].map((text) => reader.read(text)));
    expect(answers.map((found) => found.length)).toEqual([1, 1, 1, 0]);
    expect(unread).toEqual(['crowded']);
  });

  it('closes while a message is being read, which then teaches nothing', async () => {
    reader = createMessageReader({ program: program(), deadlineMs: 600_000 });
    await reader.read('first');
    const stuck = reader.read('stuck');
    const behind = reader.read('next');
    await reader.close();
    expect(await Promise.all([stuck, behind])).toEqual([[], []]);
    expect(await reader.read('later')).toEqual([]);
  });
});
