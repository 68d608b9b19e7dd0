/** How the test provider plays a scripted reply on a response: with its delays, cuts and faults. */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChunkHead,
  chunkEvent,
  completionBody,
  DONE,
  deltasOf,
  event,
  finishOf,
  type TestReply,
  textChunks,
  usageEvent,
} from './provider-wire.ts';

/** `left`: the client went away before the end. `cut`: the script reset the socket. */
export type TestOutcome = 'complete' | 'error' | 'cut' | 'left';

export const JSON_HEADERS = { 'content-type': 'application/json' };
export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};

export const sendJson = (
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
) => {
  response.writeHead(status, { ...JSON_HEADERS, 'content-length': Buffer.byteLength(body), ...headers });
  response.end(body);
};

export interface Sent {
  outcome: TestOutcome;
  /** Text and tool-call deltas that left, for the meter of a call that broke off. */
  chunks: number;
}

/** Plays a scripted reply as a stream. */
export const playStream = async (
  response: ServerResponse,
  reply: TestReply,
  head: ChunkHead,
  usage: Record<string, unknown> | undefined,
): Promise<Sent> => {
  let left = false;
  response.once('close', () => {
    left = !response.writableFinished;
  });
  const gone = () => left || response.destroyed;
  const write = async (text: string): Promise<void> => {
    if (reply.splitBytes === undefined) {
      response.write(text);
      return;
    }
    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length && !gone(); start += reply.splitBytes) {
      const part = bytes.subarray(start, start + reply.splitBytes);
      await new Promise<void>((done) => response.write(part, () => setImmediate(done)));
    }
  };
  const deltas = deltasOf(reply);
  const closed = new Promise<void>((done) => response.once('close', done));
  let chunks = 0;
  for (let index = 0; index <= deltas.length; index++) {
    if (gone()) return { outcome: 'left', chunks };
    if (reply.hangAfter === index) {
      if (index > 0) response.flushHeaders();
      await closed;
      return { outcome: 'left', chunks };
    }
    if (reply.resetAfter === index) {
      // What was written must have left the process: a reset throws away what still waits to be sent.
      if (index > 0) await sleep(5);
      response.socket?.resetAndDestroy();
      return { outcome: 'cut', chunks };
    }
    if (!response.headersSent) {
      response.writeHead(200, SSE_HEADERS);
      response.flushHeaders();
      for (const comment of reply.comments ?? []) await write(`: ${comment}\n\n`);
    }
    if (reply.errorChunkAfter === index) {
      await write(event({ error: { message: 'the engine failed', type: 'server_error', code: 502 } }));
      response.end();
      return { outcome: 'error', chunks };
    }
    if (reply.endAfter === index) {
      response.end();
      return { outcome: 'error', chunks };
    }
    if (reply.garbageAfter === index) await write('data: {"choices":[{"delta":{"content":\n\n');
    const delta = deltas[index];
    if (delta === undefined) break;
    if (index > 0 && reply.chunkDelayMs !== undefined) await sleep(reply.chunkDelayMs);
    await reply.chunkHold?.(index);
    if (gone()) return { outcome: 'left', chunks };
    await write(chunkEvent(head, index === 0 ? { role: 'assistant', ...delta } : delta));
    chunks++;
  }
  await write(chunkEvent(head, {}, finishOf(reply)));
  if (usage !== undefined) await write(usageEvent(head, usage));
  await write(DONE);
  response.end();
  await closed;
  return { outcome: response.writableFinished ? 'complete' : 'left', chunks };
};

/** Plays a scripted reply as one JSON body. */
export const playJson = async (
  response: ServerResponse,
  reply: TestReply,
  head: ChunkHead,
  usage: Record<string, unknown> | undefined,
): Promise<Sent> => {
  const chunks = textChunks(reply).length + (reply.toolCalls?.length ?? 0);
  const closed = new Promise<void>((done) => response.once('close', done));
  if (reply.chunkDelayMs !== undefined) await sleep(reply.chunkDelayMs * chunks);
  if (response.destroyed) return { outcome: 'left', chunks: 0 };
  if (reply.hangAfter !== undefined) {
    await closed;
    return { outcome: 'left', chunks: 0 };
  }
  if (reply.resetAfter !== undefined) {
    response.socket?.resetAndDestroy();
    return { outcome: 'cut', chunks: 0 };
  }
  if (reply.errorChunkAfter !== undefined) {
    sendJson(response, 200, JSON.stringify({ error: { message: 'the engine failed', code: 502 } }));
    return { outcome: 'error', chunks: 0 };
  }
  const body = completionBody(head, reply, usage);
  if (reply.garbageAfter !== undefined || reply.endAfter !== undefined) {
    sendJson(response, 200, body.slice(0, Math.floor(body.length / 2)));
    return { outcome: 'error', chunks: 0 };
  }
  if (reply.splitBytes === undefined) sendJson(response, 200, body);
  else {
    const bytes = Buffer.from(body);
    response.writeHead(200, JSON_HEADERS);
    for (let start = 0; start < bytes.length; start += reply.splitBytes) {
      const part = bytes.subarray(start, start + reply.splitBytes);
      await new Promise<void>((done) => response.write(part, () => setImmediate(done)));
    }
    response.end();
  }
  await closed;
  return { outcome: response.writableFinished ? 'complete' : 'left', chunks };
};
