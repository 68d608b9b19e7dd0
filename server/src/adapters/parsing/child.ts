import { type ParsedDocument, ParseError } from '../../kernel/parser.ts';
import { ownDataKib } from '../child-memory.ts';
import type { FromChild, ToChild } from './messages.ts';
import { recognizePage } from './ocr-page.ts';
import { importDocument, parseDocument } from './parse.ts';
import { WantedPages } from './pdf.ts';
import { sniff } from './sniff.ts';

/** The process that touches uploaded bytes: no secrets in its environment, limits set by its owner. */

/** What a document may hold in words: beyond that, the process that asked would need gigabytes for it. */
const MAX_TEXT_CHARACTERS = 128 * 1024 * 1024;
const TOO_MUCH_TEXT: FromChild = {
  type: 'fault',
  fault: 'too_large',
  message: 'the file holds more text than can be kept',
};
const sizeOf = ({ blocks, title }: ParsedDocument): number =>
  blocks.reduce((sum, { text }) => sum + text.length + 100, title?.length ?? 0);

const send = (message: FromChild): void => {
  process.send?.(message);
};

const TELL_MS = 250;
let toldAt = 0;

/** Some of them: each is a message. */
const onPage = (done: number, of: number): void => {
  if (performance.now() - toldAt < TELL_MS) return;
  toldAt = performance.now();
  send({ type: 'pages', done, of });
};

async function answer(job: ToChild): Promise<FromChild> {
  if (job.kind === 'recognize')
    return { type: 'recognized', runs: await recognizePage(job.bytes, job.page, job.settings) };
  if (job.kind === 'sniff') return { type: 'sniffed', name: (await sniff(job.bytes, job.hints)).type };
  const document =
    job.kind === 'import'
      ? importDocument(job.answer, job.type)
      : await parseDocument(job.bytes, job.hints, { recognition: job.recognition, onPage });
  return sizeOf(document) > MAX_TEXT_CHARACTERS ? TOO_MUCH_TEXT : { type: 'parsed', document };
}

process.on('message', (job: ToChild) => {
  answer(job).then(send, (error: unknown) =>
    send(
      error instanceof WantedPages
        ? { type: 'wanted', pages: [...error.pages] }
        : { type: 'fault', ...describe(error) },
    ),
  );
});
process.on('disconnect', () => process.exit(0));
send({ type: 'ready', dataKib: ownDataKib() });

function describe(error: unknown): { fault: ParseError['fault']; message: string } {
  if (error instanceof ParseError) return { fault: error.fault, message: error.message };
  const text = error instanceof Error ? error.message : '';
  if (/allocation failed|out of memory|Invalid (string|array|typed array) length/i.test(text)) {
    return { fault: 'too_large', message: 'the file needs more memory than is allowed' };
  }
  if (/call stack/i.test(text)) return { fault: 'broken', message: 'the document is nested too deeply' };
  return { fault: 'broken', message: 'the file is damaged and cannot be read' };
}
