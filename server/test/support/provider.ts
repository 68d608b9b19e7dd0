/**
 * The OpenAI-compatible test provider of every suite and bench, on plain node:http. Without a script it answers
 * each call with the same fixed answer from pre-rendered buffers; with one, each call does what the test says.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  JSON_HEADERS,
  playJson,
  playStream,
  type Sent,
  SSE_HEADERS,
  sendJson,
  type TestOutcome,
} from './provider-play.ts';
import { strictFault } from './provider-strict.ts';
import {
  type ChunkHead,
  chunkEvent,
  completionBody,
  DONE,
  defaultChunks,
  deltasOf,
  type TestChatBody,
  type TestReply,
  type TestUsage,
  usageEvent,
  usageOnWire,
} from './provider-wire.ts';

export type { TestOutcome } from './provider-play.ts';
export type { TestChatBody, TestReply, TestToolCall, TestUsage } from './provider-wire.ts';

export interface TestRequest {
  index: number;
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: TestChatBody;
  /** How the call ended: fulfilled once its socket was answered, cut or left. */
  ended: Promise<TestOutcome>;
}

/** What the provider itself counted for one call: a ledger must agree with it. */
export interface MeterEntry extends Required<TestUsage> {
  index: number;
  kind: 'chat' | 'embedding';
  model: string;
  /** False where the provider did not tell these counts to the client. */
  reported: boolean;
  outcome: TestOutcome;
}

export type TestStep = TestReply | ((request: TestRequest) => TestReply | undefined);

export interface TestProviderOptions {
  port?: number;
  /** Tokens of the default answer (50), and how they are sent. */
  tokens?: number;
  /** Pause between tokens of the default stream; 0: no pause. 50 is 20 tokens a second. */
  intervalMs?: number;
  /** Number of writes for a default stream without pause (1). */
  writes?: number;
  /** Prompt tokens that the default answer reports (20). */
  promptTokens?: number;
  /** Pause before the first byte of the default answer. */
  firstByteDelayMs?: number;
  /** False: bodies are neither parsed nor kept and nothing is metered by call (bench). */
  record?: boolean;
  models?: readonly string[];
  embeddingDimensions?: number;
  /** Refuses with 400 what the strictest providers would (`provider-strict.ts`). */
  strict?: boolean;
  /** Answers 401 to any other bearer token. */
  apiKey?: string;
}

export interface TestProvider {
  /** Base address, ends in `/v1`. */
  readonly url: string;
  readonly port: number;
  readonly requests: TestRequest[];
  /** What was refused, with `strict`. */
  readonly refusals: readonly string[];
  readonly meter: MeterEntry[];
  /** Calls that are being answered now, and the most there ever were at once. */
  readonly live: number;
  readonly peak: number;
  /** Queues one reply for each of the next chat calls. */
  script(...steps: TestStep[]): void;
  /** What every chat call does once the queue is empty; undefined: the default answer again. */
  always(step: TestStep | undefined): void;
  /** What every embedding call reports as its tokens; undefined: what was counted. */
  embeddingTokens(tokens: number | undefined): void;
  /** Fulfilled when so many requests have come since the start. */
  seen(count: number): Promise<void>;
  /** Forgets requests, meter and script. */
  reset(): void;
  close(): Promise<void>;
}

const STREAM_MARK = /"stream"\s*:\s*true/;

/** About four characters a token, the whole prompt with its tools: enough for a meter that is told to the client. */
const countPrompt = (body: TestChatBody): number =>
  Math.max(1, Math.ceil(JSON.stringify([body.messages ?? body.input ?? '', body.tools ?? []]).length / 4));

/** A deterministic unit vector for a text. */
const embed = (text: string, dimensions: number): number[] => {
  let state = 2166136261;
  for (let i = 0; i < text.length; i++) state = Math.imul(state ^ text.charCodeAt(i), 16777619);
  const raw = Array.from({ length: dimensions }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2147483648;
  });
  const norm = Math.hypot(...raw) || 1;
  return raw.map((value) => value / norm);
};

const readBody = async (incoming: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
};

/** Parsed body; what is not an object counts as an empty one, so that a broken request is still recorded. */
const parseBody = (text: string): TestChatBody => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as TestChatBody) : {};
  } catch {
    return {};
  }
};

/** Pre-rendered default answers: one JSON body, and the stream's writes. */
const renderDefault = (tokens: number, promptTokens: number, writes: number, perToken: boolean) => {
  const head: ChunkHead = { id: 'chatcmpl-default', model: 'test-model' };
  const reply: TestReply = { chunks: defaultChunks(tokens) };
  const usage = usageOnWire({ inputTokens: promptTokens, outputTokens: tokens });
  const events = deltasOf(reply).map((delta, index) =>
    chunkEvent(head, index === 0 ? { role: 'assistant', ...delta } : delta),
  );
  const tail = chunkEvent(head, {}, 'stop') + usageEvent(head, usage) + DONE;
  const perWrite = perToken ? 1 : Math.max(1, Math.ceil(events.length / writes));
  const stream: Buffer[] = [];
  for (let start = 0; start < events.length; start += perWrite) {
    const last = start + perWrite >= events.length;
    const text = events.slice(start, start + perWrite).join('') + (last && !perToken ? tail : '');
    stream.push(Buffer.from(text));
  }
  if (perToken || stream.length === 0) stream.push(Buffer.from(tail));
  return { json: Buffer.from(completionBody(head, reply, usage)), stream };
};

/** Starts the provider on a free port of 127.0.0.1. */
export const startTestProvider = async (options: TestProviderOptions = {}): Promise<TestProvider> => {
  const tokens = options.tokens ?? 50;
  const promptTokens = options.promptTokens ?? 20;
  const intervalMs = options.intervalMs ?? 0;
  const record = options.record ?? true;
  const models = options.models ?? ['test-model'];
  const rendered = renderDefault(tokens, promptTokens, options.writes ?? 1, intervalMs > 0);
  const requests: TestRequest[] = [];
  const refusals: string[] = [];
  const meter: MeterEntry[] = [];
  const queue: TestStep[] = [];
  let standing: TestStep | undefined;
  let waiters: { count: number; done: () => void }[] = [];
  let total = 0;
  let live = 0;
  let peak = 0;

  const measure = (
    request: TestRequest,
    usage: TestUsage,
    outcome: TestOutcome,
    reported: boolean,
    kind: 'chat' | 'embedding',
  ): void => {
    meter.push({
      index: request.index,
      kind,
      model: request.body.model ?? '',
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
      cachedInputTokens: usage.cachedInputTokens ?? 0,
      cacheWriteTokens: usage.cacheWriteTokens ?? 0,
      reasoningTokens: usage.reasoningTokens ?? 0,
      reported,
      outcome,
    });
  };

  /** The pre-rendered answer. Resolves with how it ended. */
  const playDefault = (response: ServerResponse, stream: boolean): Promise<Sent> =>
    new Promise((done) => {
      let sent = 0;
      let timer: NodeJS.Timeout | undefined;
      response.once('close', () => {
        clearInterval(timer);
        done({ outcome: response.writableFinished ? 'complete' : 'left', chunks: Math.min(sent, tokens) });
      });
      const start = (): void => {
        if (!stream) {
          sent = tokens;
          response.writeHead(200, { ...JSON_HEADERS, 'content-length': rendered.json.length });
          response.end(rendered.json);
          return;
        }
        response.writeHead(200, SSE_HEADERS);
        if (intervalMs === 0) {
          for (const part of rendered.stream) response.write(part);
          sent = tokens;
          response.end();
          return;
        }
        const next = (): void => {
          const part = rendered.stream[sent++];
          if (sent >= rendered.stream.length) {
            clearInterval(timer);
            response.end(part);
          } else response.write(part);
        };
        timer = setInterval(next, intervalMs);
        next();
      };
      if (options.firstByteDelayMs === undefined) start();
      else timer = setTimeout(start, options.firstByteDelayMs);
    });

  const playScripted = async (
    request: TestRequest,
    response: ServerResponse,
    reply: TestReply,
  ): Promise<TestOutcome> => {
    const { body } = request;
    const head: ChunkHead = {
      id: `chatcmpl-${request.index}`,
      model: reply.model ?? body.model ?? 'test-model',
    };
    const counted: TestUsage = { inputTokens: countPrompt(body), outputTokens: deltasOf(reply).length };
    const usage = typeof reply.usage === 'object' ? reply.usage : counted;
    const stream = body.stream === true;
    const wanted = !stream || reply.alwaysUsage === true || body.stream_options?.include_usage === true;
    const onWire = reply.rawUsage ?? (reply.usage === 'none' || !wanted ? undefined : usageOnWire(usage));
    if (reply.hold !== undefined) await reply.hold;
    if (reply.firstByteDelayMs !== undefined) await sleep(reply.firstByteDelayMs);
    if (reply.error !== undefined) {
      const { status, body: errorBody, headers } = reply.error;
      const text =
        typeof errorBody === 'string'
          ? errorBody
          : JSON.stringify(errorBody ?? { error: { message: `status ${status}` } });
      sendJson(response, status, text, headers);
      return 'error';
    }
    if (response.destroyed) {
      measure(request, { inputTokens: usage.inputTokens, outputTokens: 0 }, 'left', false, 'chat');
      return 'left';
    }
    const play = stream ? playStream : playJson;
    const sent = await play(response, reply, head, onWire);
    if (sent.outcome === 'complete') measure(request, usage, 'complete', onWire !== undefined, 'chat');
    else measure(request, { ...counted, outputTokens: sent.chunks }, sent.outcome, false, 'chat');
    return sent.outcome;
  };

  const chat = async (request: TestRequest, response: ServerResponse): Promise<TestOutcome> => {
    const fault = options.strict === true ? strictFault(request.body) : null;
    if (fault !== null) {
      refusals.push(fault);
      sendJson(response, 400, JSON.stringify({ error: { message: fault, type: 'invalid_request_error' } }));
      return 'error';
    }
    const step = queue.shift() ?? standing;
    const reply = typeof step === 'function' ? step(request) : step;
    if (reply !== undefined) {
      const bare =
        reply.chunks === undefined &&
        reply.text === undefined &&
        reply.toolCalls === undefined &&
        reply.rawDeltas === undefined;
      return playScripted(request, response, bare ? { ...reply, chunks: defaultChunks(tokens) } : reply);
    }
    const sent = await playDefault(response, request.body.stream === true);
    const usage = { inputTokens: promptTokens, outputTokens: sent.chunks };
    measure(request, usage, sent.outcome, sent.outcome === 'complete', 'chat');
    return sent.outcome;
  };

  let embeddingTokens: number | undefined;
  const embeddings = (request: TestRequest, response: ServerResponse): TestOutcome => {
    const { input, dimensions, model } = request.body;
    const texts = Array.isArray(input) ? input : [input ?? ''];
    const usage = { inputTokens: countPrompt(request.body), outputTokens: 0 };
    sendJson(
      response,
      200,
      JSON.stringify({
        object: 'list',
        model: model ?? 'test-embedding',
        data: texts.map((text, index) => ({
          object: 'embedding',
          index,
          embedding: embed(text, dimensions ?? options.embeddingDimensions ?? 64),
        })),
        usage: {
          prompt_tokens: embeddingTokens ?? usage.inputTokens,
          total_tokens: embeddingTokens ?? usage.inputTokens,
        },
      }),
    );
    measure(request, usage, 'complete', true, 'embedding');
    return 'complete';
  };

  const route = async (
    method: string,
    path: string,
    request: TestRequest,
    response: ServerResponse,
  ): Promise<TestOutcome> => {
    const given = request.headers.authorization;
    if (options.apiKey !== undefined && given !== `Bearer ${options.apiKey}`) {
      sendJson(response, 401, JSON.stringify({ error: { message: 'Incorrect API key provided' } }));
      return 'error';
    }
    if (method === 'POST' && path === '/v1/chat/completions') return chat(request, response);
    if (method === 'POST' && path === '/v1/embeddings') return embeddings(request, response);
    if (method === 'GET' && path === '/v1/models') {
      const data = models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'test' }));
      sendJson(response, 200, JSON.stringify({ object: 'list', data }));
      return 'complete';
    }
    if (method === 'GET' && path === '/api/tags') {
      sendJson(response, 200, JSON.stringify({ models: models.map((name) => ({ name, model: name })) }));
      return 'complete';
    }
    sendJson(response, 404, JSON.stringify({ error: { message: 'no such address' } }));
    return 'error';
  };

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readBody(incoming);
    const method = incoming.method ?? '';
    const path = (incoming.url ?? '').split('?')[0] ?? '';
    if (!record && path === '/v1/chat/completions') {
      await playDefault(response, STREAM_MARK.test(text));
      return;
    }
    const settled = Promise.withResolvers<TestOutcome>();
    const request: TestRequest = {
      index: total++,
      method,
      path,
      headers: incoming.headers,
      body: parseBody(text),
      ended: settled.promise,
    };
    requests.push(request);
    const due = waiters.filter((waiter) => waiter.count <= total);
    waiters = waiters.filter((waiter) => waiter.count > total);
    for (const waiter of due) waiter.done();
    try {
      settled.resolve(await route(method, path, request, response));
    } catch (error) {
      settled.resolve('error');
      // A script that throws is a fault of the test: say so instead of hanging.
      if (!response.headersSent)
        sendJson(response, 599, JSON.stringify({ error: { message: String(error) } }));
      else response.destroy();
    }
  };

  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    live++;
    peak = Math.max(peak, live);
    response.once('close', () => {
      live--;
    });
    // Only a request that broke off before its end rejects: there is nobody left to answer.
    handle(incoming, response).catch(() => response.destroy());
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done, fail) => {
    server.once('error', fail);
    server.listen(options.port ?? 0, '127.0.0.1', done);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the test provider has no port');

  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    port: address.port,
    requests,
    refusals,
    meter,
    get live() {
      return live;
    },
    get peak() {
      return peak;
    },
    script: (...steps) => {
      queue.push(...steps);
    },
    embeddingTokens: (tokens) => {
      embeddingTokens = tokens;
    },
    always: (step) => {
      standing = step;
    },
    seen: (count) =>
      total >= count ? Promise.resolve() : new Promise((done) => waiters.push({ count, done })),
    reset: () => {
      requests.length = 0;
      refusals.length = 0;
      meter.length = 0;
      queue.length = 0;
      standing = undefined;
      total = 0;
      peak = live;
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        for (const socket of sockets) socket.destroy();
      }),
  };
};
