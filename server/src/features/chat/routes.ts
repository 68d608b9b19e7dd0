import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { errorBody } from '../../http/error-body.ts';
import {
  type BindRun,
  fingerprintOf,
  type Idempotency,
  idempotencyKey,
  replayOwner,
  type StoredAnswer,
} from '../../http/idempotency.ts';
import { replayAnswer } from '../../http/mount.ts';
import { prefersWaiting } from '../../http/prefer.ts';
import { type AnyRoute, route, type SignedInInput } from '../../http/route.ts';
import { openSse, type SseStream } from '../../http/sse.ts';
import type { StreamWatch } from '../../http/stream-watch.ts';
import { AppError, type ErrorCode, invalid, isFaultOf, notFound } from '../../kernel/errors.ts';
import type { ActiveRun } from './active-run.ts';
import { faultOf } from './ending.ts';
import { firstAfter, frameOf, type Jump, lastSeen, numberAt, type RunEvent } from './journal.rules.ts';
import type { FollowedRun } from './remote.ts';
import type { LaunchOptions } from './request.ts';
import {
  CHAT_BODY_BYTES,
  ChatRequest,
  ChatResponse,
  EditBody,
  InvokeParams,
  RegenerateBody,
  Run,
  RunParams,
  VersionParams,
} from './schema.ts';
import type { ChatService } from './service.ts';

const tag = 'Chat';

interface ChatRouteOptions {
  chat: ChatService;
  idempotency: Idempotency;
  streams: StreamWatch;
  draining(): boolean;
}

/** A refusal that comes sooner is a plain HTTP error; after that the stream has begun, and it is its `error` event. */
const HEAD_AFTER_MS = 5_000;

interface StoredError {
  code: ErrorCode;
  message: string;
  details: Record<string, unknown>;
}

/** The `error` event carries the body of the prefix by which the client came. */
const renderer =
  (request: FastifyRequest, runId: string) =>
  (event: RunEvent, n: number): string => {
    if (event.event !== 'error') return frameOf(runId, n, event);
    const { code, message, details } = (event as { data: unknown }).data as StoredError;
    const body = errorBody(new AppError(code, message, { details }), request.context.shape, request.id);
    return frameOf(runId, n, event, JSON.stringify(body));
  };

type AnyAsked = SignedInInput<unknown, unknown, unknown>;

interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
}

const errorFrame = ({ request }: Exchange, fault: AppError): string =>
  `event: error\ndata: ${JSON.stringify(errorBody(fault, request.context.shape, request.id))}\n\n`;

const openStream = (options: ChatRouteOptions, exchange: Exchange): SseStream =>
  openSse(exchange.reply, {
    draining: options.draining(),
    watch: options.streams,
    farewell: (fault) => errorFrame(exchange, fault),
  });

type RunSource = { live: FollowedRun } | { finished: RunEvent[]; jumps: Jump[] };

/** Sends a run's events after number `seen`; the run goes on when the reader leaves. */
const streamRun = (
  options: ChatRouteOptions,
  input: Exchange,
  { source, runId, seen }: { source: RunSource; runId: string; seen: number },
  stream: SseStream = openStream(options, input),
): FastifyReply => {
  const { request, reply } = input;
  const render = renderer(request, runId);
  if ('finished' in source) {
    const { finished, jumps } = source;
    const first = firstAfter(seen, finished.length, jumps);
    const frames = function* () {
      for (let i = first; i < finished.length; i++) {
        const event = finished[i];
        if (event !== undefined) yield render(event, numberAt(i, jumps));
      }
    };
    void stream.sendAll(frames());
    return reply;
  }
  const unfollow = source.live.events.follow(
    seen,
    (event, n) => stream.send(render(event, n)),
    () => stream.end(),
  );
  stream.onClose(unfollow);
  return reply;
};

/** What is asked for: by its route, the form of the request and, where it is a version of what was said, what it stands beside. */
interface Question {
  path: string;
  resolve(): Promise<{ request: ChatRequest; again?: LaunchOptions['again'] }>;
}

const launch = async (
  { chat }: ChatRouteOptions,
  input: AnyAsked,
  question: Question,
  how: { streaming: boolean; accepted?: BindRun | undefined },
): Promise<ActiveRun> => {
  const { request, again } = await question.resolve();
  return chat.launch(input.caller, request, {
    requestId: input.requestId,
    streaming: how.streaming,
    wait: prefersWaiting(input.request),
    ...(again === undefined ? {} : { again }),
    ...(how.accepted === undefined ? {} : { accepted: how.accepted }),
  });
};

const answer = async (
  options: ChatRouteOptions,
  input: AnyAsked,
  question: Question,
  accepted?: BindRun,
): Promise<ChatResponse> =>
  options.chat.answer(await launch(options, input, question, { streaming: false, accepted }));

/** The answer in one piece; under a key that of the run which the first request has become. */
const answerOnce = async (
  options: ChatRouteOptions,
  input: AnyAsked,
  question: Question,
): Promise<ChatResponse | FastifyReply> => {
  const { chat, idempotency } = options;
  const { request, reply, caller } = input;
  const key = idempotencyKey(request.headers['idempotency-key']);
  if (key === null) return answer(options, input, question);
  const { params, query } = request;
  const stored = (response: ChatResponse): StoredAnswer => ({
    status: 200,
    headers: {},
    body: String(reply.serialize(response)),
  });
  return idempotency.once<FastifyReply>(
    {
      callerId: replayOwner(caller),
      key,
      fingerprint: fingerprintOf('POST', question.path, { params, query, body: request.body }),
    },
    async (bind) => {
      const response = await answer(options, input, question, bind);
      return { send: () => reply.send(response), answer: stored(response) };
    },
    (replayed) => replayAnswer(reply, replayed),
    async (runId) => {
      const outcome = await chat.outcome(caller, runId);
      if (outcome === null || 'failed' in outcome) return outcome;
      const found = stored(outcome.answer);
      return { send: () => replayAnswer(reply, found), answer: found };
    },
  );
};

const answerStream = async (
  { chat, idempotency }: ChatRouteOptions,
  { request, reply, caller }: AnyAsked,
  { path }: Question,
  start: (accepted?: BindRun) => Promise<ActiveRun>,
  send: (source: RunSource, runId: string) => FastifyReply,
): Promise<FastifyReply> => {
  const key = idempotencyKey(request.headers['idempotency-key']);
  if (key === null) {
    const run = await start();
    return send({ live: run }, run.runId);
  }
  const fingerprint =
    path === '/chat/stream'
      ? fingerprintOf('POST', 'chat/stream', request.body)
      : fingerprintOf('POST', `${path} as a stream`, { params: request.params, body: request.body });
  // The key names the run: its replay is that run's stream from the start.
  const found = async (runId: string) => {
    const source = await chat.follow(caller, runId);
    return {
      send: () => {
        reply.header('idempotent-replayed', 'true');
        return send(source, runId);
      },
      answer: { status: 200, headers: {}, body: runId },
    };
  };
  return idempotency.once<FastifyReply>(
    { callerId: replayOwner(caller), key, fingerprint },
    async (bind) => {
      const run = await start(bind);
      return {
        send: () => send({ live: run }, run.runId),
        answer: { status: 200, headers: {}, body: run.runId },
      };
    },
    async (stored) => (await found(stored.body)).send(),
    found,
  );
};

const stream = async (
  options: ChatRouteOptions,
  input: AnyAsked,
  question: Question,
): Promise<FastifyReply> => {
  const { request, reply } = input;
  // What waits for its conversation's turn, or for a model's choice of the agent, keeps the line open as an answer does.
  const early: { stream?: SseStream } = {};
  const timer = setTimeout(() => {
    early.stream = openStream(options, input);
    early.stream.send(': waiting\n\n');
  }, HEAD_AFTER_MS);
  const start = async (accepted?: BindRun): Promise<ActiveRun> => {
    try {
      return await launch(options, input, question, { streaming: true, accepted });
    } finally {
      clearTimeout(timer);
    }
  };
  const send = (source: RunSource, runId: string): FastifyReply =>
    streamRun(options, input, { source, runId, seen: 0 }, early.stream);
  try {
    return await answerStream(options, input, question, start, send);
  } catch (error) {
    if (early.stream === undefined) throw error;
    const fault = faultOf(error);
    if (fault.code === 'INTERNAL_ERROR') request.log.error(error);
    early.stream.send(errorFrame(input, fault));
    early.stream.end();
    return reply;
  } finally {
    clearTimeout(timer);
  }
};

const plain = (path: string, request: ChatRequest): Question => ({
  path,
  resolve: () => Promise.resolve({ request }),
});

/** In one piece, or as events where the client accepts these alone. */
const answerAsAccepted = (
  options: ChatRouteOptions,
  input: AnyAsked,
  question: Question,
): Promise<ChatResponse | FastifyReply> => {
  if (!/^\s*text\/event-stream\b/i.test(input.request.headers.accept ?? ''))
    return answerOnce(options, input, question);
  options.streams.admit(input.request, input.reply);
  return stream(options, input, question);
};

const REGENERATE = '/conversations/:id/messages/:message_id/regenerate';
const EDIT = '/conversations/:id/messages/:message_id/edit';

/** Versions of what was said: another answer, another question. */
const versionRoutes = (options: ChatRouteOptions): AnyRoute[] => [
  route({
    method: 'POST',
    path: REGENERATE,
    operationId: 'regenerateMessage',
    summary: 'Answer a question once more',
    description:
      'The message is the question, or an answer to it. The new answer stands beside the others and leads the active branch; 409 during a turn. With Accept: text/event-stream the answer comes as the events of chat/stream.',
    tag,
    access: 'chat:write',
    params: VersionParams,
    body: RegenerateBody,
    idempotency: 'own',
    produces: ['application/json', 'text/event-stream'],
    responses: { 200: ChatResponse },
    handler: (input) => {
      const { caller, params, body } = input;
      const resolve = () => options.chat.versions.again(caller, params.id, params.message_id, body);
      return answerAsAccepted(options, input, { path: REGENERATE, resolve });
    },
  }),
  route({
    method: 'POST',
    path: EDIT,
    operationId: 'editMessage',
    summary: 'Ask a question in other words',
    description:
      'The new question stands beside the first, and its branch becomes the active one. With Accept: text/event-stream the answer comes as the events of chat/stream.',
    tag,
    access: 'chat:write',
    params: VersionParams,
    body: EditBody,
    bodyLimitBytes: CHAT_BODY_BYTES,
    idempotency: 'own',
    produces: ['application/json', 'text/event-stream'],
    responses: { 200: ChatResponse },
    handler: (input) => {
      const { caller, params, body } = input;
      const resolve = async () => ({
        request: await options.chat.versions.edited(caller, params.id, params.message_id, body),
      });
      return answerAsAccepted(options, input, { path: EDIT, resolve });
    },
  }),
];

/** Ask: in one piece, as a stream, or one agent directly. */
const askRoutes = (options: ChatRouteOptions): AnyRoute[] => [
  route({
    method: 'POST',
    path: '/chat',
    operationId: 'chat',
    modelNames: { request: 'ChatRequest', response: 'ChatResponse' },
    summary: 'Ask the agents; the whole answer in one piece',
    tag,
    access: 'chat:write',
    body: ChatRequest,
    bodyLimitBytes: CHAT_BODY_BYTES,
    idempotency: 'own',
    responses: { 200: ChatResponse },
    handler: (input) => answerOnce(options, input, plain('/chat', input.body)),
  }),
  route({
    method: 'POST',
    path: '/chat/stream',
    operationId: 'chatStream',
    summary: 'Ask the agents; the answer as Server-Sent Events',
    description:
      'Events: run.started, agent.selected, message.delta, tool.started, tool.completed, proposal.created, proposal.decided; last message.completed (the whole ChatResponse) or error.',
    tag,
    access: 'chat:write',
    body: ChatRequest,
    bodyLimitBytes: CHAT_BODY_BYTES,
    idempotency: 'own',
    produces: 'text/event-stream',
    responses: { 200: Type.Unsafe<string>({ type: 'string' }) },
    handler: (input) => {
      options.streams.admit(input.request, input.reply);
      return stream(options, input, plain('/chat/stream', input.body));
    },
  }),
  route({
    method: 'POST',
    path: '/agents/:id/invoke',
    surface: 'v2',
    operationId: 'invokeAgent',
    summary: 'Ask one agent directly',
    tag: 'Agents',
    access: 'chat:write',
    params: InvokeParams,
    body: ChatRequest,
    bodyLimitBytes: CHAT_BODY_BYTES,
    idempotency: 'own',
    responses: { 200: ChatResponse },
    handler: (input) => {
      const named = input.body.context?.agent_id;
      if (named !== undefined && named !== input.params.id) {
        throw invalid({ field: '/context/agent_id', reason: 'names another agent than the path' });
      }
      const context = { ...input.body.context, agent_id: input.params.id };
      return answerOnce(options, input, plain('/agents/:id/invoke', { ...input.body, context })).catch(
        (error: unknown) => {
          throw isFaultOf(error, '/context/agent_id') ? notFound('agent') : error;
        },
      );
    },
  }),
];

/** Read, follow and stop a run. */
const runRoutes = (options: ChatRouteOptions): AnyRoute[] => [
  route({
    method: 'GET',
    path: '/chat/runs/:id',
    operationId: 'getRun',
    summary: 'State of a run',
    tag,
    access: 'conversations:read',
    params: RunParams,
    responses: { 200: Run },
    handler: ({ caller, params }) => options.chat.getRun(caller, params.id),
  }),
  route({
    method: 'GET',
    path: '/chat/runs/:id/stream',
    operationId: 'followRun',
    summary: 'Events of a run from the start, or after Last-Event-ID',
    tag,
    access: 'conversations:read',
    params: RunParams,
    produces: 'text/event-stream',
    responses: { 200: Type.Unsafe<string>({ type: 'string' }) },
    handler: async (input) => {
      options.streams.admit(input.request, input.reply);
      const source = await options.chat.follow(input.caller, input.params.id);
      const header = input.request.headers['last-event-id'];
      const seen = lastSeen(input.params.id, typeof header === 'string' ? header : undefined);
      return streamRun(options, input, { source, runId: input.params.id, seen });
    },
  }),
  route({
    method: 'POST',
    path: '/chat/runs/:id/cancel',
    operationId: 'cancelRun',
    summary: 'Stop a run; the partial answer is kept',
    tag,
    access: 'chat:write',
    params: RunParams,
    responses: { 202: Run },
    handler: ({ caller, params }) => options.chat.cancel(caller, params.id),
  }),
];

export const chatRoutes = (options: ChatRouteOptions): AnyRoute[] => [
  ...askRoutes(options),
  ...versionRoutes(options),
  ...runRoutes(options),
];
