import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import type { EmbeddingThreadData, FromEmbeddingThread, ToEmbeddingThread } from './messages.ts';
import { createTextQueue } from './queue.ts';
import { loadSentenceModel, type SentenceModel } from './sentence-model.ts';

/** The embedding thread: loads the model, then embeds one text after the other in the order of its queue. */

interface Answer {
  vectors: Float32Array;
  tokens: number;
  missing: number;
}

const port = parentPort;
if (!port) throw new Error('this file runs in a worker thread');
const { model: files, background }: EmbeddingThreadData = workerData;

/** Linux knows priorities of single threads: one that helps out takes the time that nobody else wants. */
const giveWay = (): void => {
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (thread > 0) setPriority(thread, 10);
  } catch {
    // Elsewhere it is a thread like the others.
  }
};
if (background) giveWay();

const queue = createTextQueue();
const answers = new Map<number, Answer>();
let running = false;

const post = (message: FromEmbeddingThread, transfer: ArrayBuffer[] = []) =>
  port.postMessage(message, transfer);

const model = loadSentenceModel(files);
model.then(
  () => post({ type: 'ready' }),
  // The owner sees the thread die with this error.
  (error: unknown) => {
    throw error;
  },
);

port.on('message', (message: ToEmbeddingThread) => {
  if (message.type === 'close') {
    queue.clear();
    answers.clear();
    port.close();
    return;
  }
  if (message.type === 'cancel') {
    queue.cancel(message.id);
    answers.delete(message.id);
    return;
  }
  answers.set(message.id, {
    vectors: new Float32Array(message.texts.length * files.dimensions),
    tokens: 0,
    missing: message.texts.length,
  });
  queue.add(message);
  if (!running) void drain();
});

async function drain(): Promise<void> {
  running = true;
  const loaded = await model;
  for (let item = queue.take(); item; item = queue.take()) {
    await embedOne(loaded, item.id, item.index, item.text);
    // Lets messages in, so that an urgent request is seen before the next text.
    await new Promise((resolve) => setImmediate(resolve));
  }
  running = false;
}

async function embedOne(loaded: SentenceModel, id: number, index: number, text: string): Promise<void> {
  try {
    const { vector, tokens } = await loaded.embed(text);
    const answer = answers.get(id);
    if (!answer) return;
    answer.vectors.set(vector, index * files.dimensions);
    answer.tokens += tokens;
    answer.missing -= 1;
    if (answer.missing > 0) return;
    answers.delete(id);
    const { buffer } = answer.vectors;
    post(
      { type: 'done', id, vectors: answer.vectors, tokens: answer.tokens },
      buffer instanceof ArrayBuffer ? [buffer] : [],
    );
  } catch (error) {
    queue.cancel(id);
    answers.delete(id);
    post({ type: 'failed', id, message: error instanceof Error ? error.message : String(error) });
  }
}
