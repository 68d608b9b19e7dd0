/** Reads the body of a streamed answer as its bytes come: from a read of the socket to the text that came in it. */
import type { Accumulator } from './accumulate.ts';
import { createLineReader, eachData } from './sse.ts';
import { learnTemplate, type TextTemplate, textByTemplate, textOfRun } from './template.ts';

/** `done`: the provider said that nothing more follows. */
export type StreamState = 'open' | 'done' | 'failed' | 'garbage';

export interface StreamReader {
  readonly state: StreamState;
  /** Returns the text that this read brought. After any state but `open` nothing more is read. */
  push(bytes: Buffer): string;
  /** The body ended: reads a last line that had no line feed. */
  end(): string;
}

/** A stream whose chunks never share their ends (random padding) is not tried again and again. */
const MAX_LEARNED = 8;
const MAX_LINE_BYTES = 16 * 1024 * 1024;
/** Of a whole answer: no model writes that much, and all of it is kept. */
const MAX_STREAM_BYTES = 256 * 1024 * 1024;

export const createStreamReader = (accumulator: Accumulator): StreamReader => {
  const { answer } = accumulator;
  const lines = createLineReader(MAX_LINE_BYTES);
  let state: StreamState = 'open';
  let template: TextTemplate | undefined;
  let learned = 0;
  let sizeBytes = 0;
  let fresh = '';

  const readParsed = (payload: string): void => {
    let value: unknown;
    try {
      value = JSON.parse(payload);
    } catch {
      state = 'garbage';
      return;
    }
    const before = answer.content.length;
    if (accumulator.read(value) === 'failed') {
      state = 'failed';
      return;
    }
    if (answer.content.length === before) return;
    fresh += answer.content.slice(before);
    if (learned < MAX_LEARNED) {
      learned++;
      template = learnTemplate(payload) ?? template;
    }
  };

  const onData = (payload: string): void => {
    if (state !== 'open') return;
    // A chunk after the finish reason may only bring usage; the template stands for text of an open answer.
    if (template !== undefined) {
      const text = textByTemplate(payload, template);
      if (text !== undefined) {
        fresh += text;
        answer.content += text;
        return;
      }
    }
    if (payload === '[DONE]') {
      state = 'done';
      return;
    }
    readParsed(payload);
  };

  const take = (text: string): string => {
    fresh = '';
    if (text === '') return '';
    eachData(text, onData, (start) => {
      if (template === undefined || state !== 'open') return start;
      const run = textOfRun(text, start, template);
      fresh += run.text;
      answer.content += run.text;
      return run.next;
    });
    return fresh;
  };

  return {
    get state() {
      return state;
    },
    push: (bytes) => {
      if (state !== 'open') return '';
      sizeBytes += bytes.length;
      if (sizeBytes > MAX_STREAM_BYTES) {
        state = 'garbage';
        return '';
      }
      try {
        return take(lines.push(bytes));
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        state = 'garbage';
        return '';
      }
    },
    end: () => (state === 'open' ? take(lines.rest()) : ''),
  };
};
