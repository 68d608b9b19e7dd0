import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ClientOptions } from '../src/index.ts';

/** The vectors that all clients share, and a `fetch` that plays answers. */

const FOLDER = path.join(import.meta.dirname, '..', '..', 'vectors');

/** The shape is that of the file named, which the test that reads it states. */
export const readVectors = <T>(name: string): T =>
  JSON.parse(readFileSync(path.join(FOLDER, name), 'utf8')) as T;

export interface PlayedAnswer {
  lost?: boolean;
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** Breaks the connection after the body. */
  cut?: boolean;
}

export interface SeenRequest {
  method: string;
  target: string;
  headers: Headers;
  body: string | null;
}

export interface ExpectedError {
  kind: 'api' | 'connection' | 'protocol' | 'oauth';
  status?: number;
  code?: string;
  requestId?: string;
  retryAfterS?: number | null;
}

const streamOf = (body: string, cut: boolean): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull(controller) {
      if (body !== '') controller.enqueue(new TextEncoder().encode(body));
      body = '';
      if (!cut) controller.close();
      else if (controller.desiredSize === 1) controller.error(new TypeError('terminated'));
    },
  });

export interface Played {
  options: Pick<ClientOptions, 'baseUrl' | 'fetch' | 'sleep' | 'random'>;
  requests: SeenRequest[];
  waitsMs: number[];
}

export const play = (answers: readonly PlayedAnswer[]): Played => {
  const left = [...answers];
  const requests: SeenRequest[] = [];
  const waitsMs: number[] = [];
  return {
    requests,
    waitsMs,
    options: {
      baseUrl: 'http://api.invalid',
      random: () => 0,
      sleep: async (ms) => {
        waitsMs.push(ms);
      },
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const url = new URL(request.url);
        const body = request.body === null ? null : await request.text();
        requests.push({
          method: request.method,
          target: url.pathname + url.search,
          headers: request.headers,
          body,
        });
        const answer = left.shift();
        if (answer === undefined) throw new Error('a request more than was expected');
        if (answer.lost === true) throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
        const { status = 200, headers = {}, body: text = '', cut = false } = answer;
        return new Response(streamOf(text, cut), { status, headers });
      },
    },
  };
};
