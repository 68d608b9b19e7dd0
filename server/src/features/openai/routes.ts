import type { FastifyReply } from 'fastify';
import { openAiError } from '../../http/error-body.ts';
import {
  type BindRun,
  fingerprintOf,
  type Idempotency,
  idempotencyKey,
  replayOwner,
} from '../../http/idempotency.ts';
import { replayAnswer } from '../../http/mount.ts';
import { type AnyRoute, route, type SignedInInput } from '../../http/route.ts';
import { openSse } from '../../http/sse.ts';
import type { StreamWatch } from '../../http/stream-watch.ts';
import type { Caller } from '../../kernel/caller.ts';
import type { AgentService } from '../agents/index.ts';
import {
  type ActiveRun,
  type ChatService,
  DECISION_GRACE_MS,
  type FollowedRun,
  type GivenInput,
  type RunEvent,
} from '../chat/index.ts';
import { completionOf } from './answer.ts';
import { materialOf, materialTools, materialTurn } from './material.ts';
import { refusal } from './refusal.rules.ts';
import {
  agentOfModel,
  EMBEDDING_MODEL,
  MODEL_FAMILY,
  readCompletion,
  readInputs,
  samplingIn,
  unknownModel,
} from './request.rules.ts';
import {
  ChatCompletion,
  ChatCompletionRequest,
  EmbeddingList,
  EmbeddingRequest,
  MAX_INPUTS,
  Model,
  ModelList,
  ModelNameParams,
  ModelParams,
} from './schema.ts';
import { createChunks } from './stream.ts';
import { lastResults, resultsText } from './tools.rules.ts';

/** `/v1`: agents as models for programs that speak the OpenAI API. */
export interface OpenAiDoorOptions {
  chat: ChatService;
  agents: Pick<AgentService, 'effective'>;
  idempotency: Idempotency;
  /** One vector for each text, on the caller's ledger. */
  embed(
    caller: Caller,
    texts: readonly string[],
    requestId: string,
  ): Promise<{ vectors: Float32Array[]; tokens: number }>;
  embedder: { id: string; dimensions: number };
  /** Epoch ms of the start of the process: what models call their creation. */
  startedAt: number;
  now(): number;
  streams: StreamWatch;
  draining(): boolean;
}

const tag = 'OpenAI compatible';

const base64 = (vector: Float32Array): string => {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, i) => {
    bytes.writeFloatLE(value, i * 4);
  });
  return bytes.toString('base64');
};

export const openAiRoutes = (options: OpenAiDoorOptions): AnyRoute[] => {
  const { chat, agents, idempotency } = options;
  const created = Math.floor(options.startedAt / 1000);
  const modelOf = (id: string): Model => ({ id, object: 'model', created, owned_by: MODEL_FAMILY });

  const modelIds = async (caller: Caller): Promise<string[]> => {
    const enabled = [...(await agents.effective(caller.tenantId)).values()].filter((agent) => agent.enabled);
    return [
      MODEL_FAMILY,
      ...enabled.map((agent) => `${MODEL_FAMILY}/${agent.definition.id}`),
      EMBEDDING_MODEL,
    ];
  };

  const findModel = async (caller: Caller, id: string): Promise<Model> => {
    if (!(await modelIds(caller)).includes(id)) throw unknownModel(id);
    return modelOf(id);
  };

  const launch = async (
    input: SignedInInput<ChatCompletionRequest, unknown, unknown>,
    streaming: boolean,
    accepted?: BindRun,
  ): Promise<ActiveRun> => {
    const { body, caller } = input;
    const how = {
      requestId: input.requestId,
      streaming,
      wait: true,
      ...(accepted === undefined ? {} : { accepted }),
    };
    const read = readCompletion(body);
    const agentId = agentOfModel(body.model);
    if (agentId === undefined || body.model === EMBEDDING_MODEL) throw unknownModel(body.model);
    if (agentId !== null) await findModel(caller, body.model);
    const cap = body.max_completion_tokens ?? body.max_tokens;
    const results = lastResults(read.exchange);
    const handed = read.exchange.length === 0 ? null : await chat.handedRun(caller, Object.keys(results));
    const given: GivenInput = {
      history: read.history.map(materialTurn),
      metadata: read.metadata,
      ...(read.client === null ? {} : { client: materialTools(read.client) }),
      ...(handed === null
        ? read.exchange.length === 0
          ? {}
          : { exchange: materialOf(read.exchange) }
        : { continues: { runId: handed.runId, results } }),
      ...(read.instructions === null ? {} : { instructions: read.instructions }),
      ...(cap === undefined || cap === null ? {} : { maxOutputTokens: cap }),
      sampling: samplingIn(body),
    };
    if (handed !== null) {
      // The results go to the agent that has asked for them, and stand in its conversation.
      const request = {
        message: resultsText(read.exchange),
        conversation_id: handed.conversationId,
        parent_message_id: handed.answerId,
        context: { agent_id: handed.agentId },
      };
      return chat.launch(caller, request, { ...how, given });
    }
    return chat.launch(
      caller,
      {
        message: read.message,
        ...(read.conversationId === null ? {} : { conversation_id: read.conversationId }),
        ...(agentId === null ? {} : { context: { agent_id: agentId } }),
      },
      { ...how, given },
    );
  };

  /** Sends a run's events as chunks; the run goes on when the reader leaves. */
  const sendChunks = (
    input: SignedInInput<ChatCompletionRequest, unknown, unknown>,
    source: { live: FollowedRun } | { finished: RunEvent[] },
    runId: string,
  ): FastifyReply => {
    const { reply, body } = input;
    const stream = openSse(reply, {
      draining: options.draining(),
      watch: options.streams,
      farewell: (fault) => `data: ${JSON.stringify(openAiError(fault, input.requestId))}\n\n`,
    });
    const chunks = createChunks({
      runId,
      model: body.model,
      created: Math.floor(options.now() / 1000),
      includeUsage: body.stream_options?.include_usage === true,
      requestId: input.requestId,
    });
    if ('finished' in source) {
      stream.send(source.finished.map((event) => chunks.take(event)).join(''));
      stream.end();
      return reply;
    }
    let timer: NodeJS.Timeout | null = null;
    let leave = (): void => {};
    const waitNoLonger = (): void => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    };
    const giveUp = (): void => {
      leave();
      stream.send(chunks.waiting());
      stream.end();
    };
    leave = source.live.events.follow(
      0,
      (event) => {
        const frames = chunks.take(event);
        if (frames !== '') stream.send(frames);
        if (chunks.open.size === 0) waitNoLonger();
        else timer ??= setTimeout(giveUp, DECISION_GRACE_MS);
      },
      () => {
        waitNoLonger();
        stream.end();
      },
    );
    stream.onClose(() => {
      waitNoLonger();
      leave();
    });
    return reply;
  };

  const complete = async (
    input: SignedInInput<ChatCompletionRequest, unknown, unknown>,
  ): Promise<ChatCompletion | FastifyReply> => {
    const { body, caller, request, reply } = input;
    const streaming = body.stream === true;
    if (streaming) options.streams.admit(request, reply);
    const key = idempotencyKey(request.headers['idempotency-key']);
    if (key === null) {
      const run = await launch(input, streaming);
      if (streaming) return sendChunks(input, { live: run }, run.runId);
      return completionOf(await chat.answer(run), body.model);
    }
    const claim = { callerId: replayOwner(caller), key, fingerprint: fingerprintOf('POST', 'v1/chat', body) };
    if (!streaming) {
      return idempotency.once<FastifyReply>(
        claim,
        async (bind) => {
          const answer = completionOf(await chat.answer(await launch(input, false, bind)), body.model);
          const text = JSON.stringify(answer);
          return { send: () => reply.send(answer), answer: { status: 200, headers: {}, body: text } };
        },
        (stored) => replayAnswer(reply, stored),
        async (runId) => {
          const outcome = await chat.outcome(caller, runId);
          if (outcome === null || 'failed' in outcome) return outcome;
          const text = JSON.stringify(completionOf(outcome.answer, body.model));
          const answer = { status: 200, headers: {}, body: text };
          return { send: () => replayAnswer(reply, answer), answer };
        },
      );
    }
    // The key names the run: its replay is that run's stream from the start.
    return idempotency.once<FastifyReply>(
      claim,
      async (bind) => {
        const run = await launch(input, true, bind);
        return {
          send: () => sendChunks(input, { live: run }, run.runId),
          answer: { status: 200, headers: {}, body: run.runId },
        };
      },
      async (stored) => {
        reply.header('idempotent-replayed', 'true');
        return sendChunks(input, await chat.follow(caller, stored.body), stored.body);
      },
      async (runId) => {
        const source = await chat.follow(caller, runId);
        return {
          send: () => {
            reply.header('idempotent-replayed', 'true');
            return sendChunks(input, source, runId);
          },
          answer: { status: 200, headers: {}, body: runId },
        };
      },
    );
  };

  const embed = async (input: SignedInInput<EmbeddingRequest, unknown, unknown>) => {
    const { body, caller } = input;
    if (body.model !== EMBEDDING_MODEL && body.model !== options.embedder.id) throw unknownModel(body.model);
    const texts = readInputs(body.input, MAX_INPUTS);
    const { dimensions } = options.embedder;
    if ((body.dimensions ?? dimensions) !== dimensions) {
      throw refusal('dimensions', `this model has ${dimensions} dimensions and no others`, 'invalid_value');
    }
    const { vectors, tokens } = await options.embed(caller, texts, input.requestId);
    return {
      object: 'list',
      data: vectors.map((vector, index) => ({
        object: 'embedding',
        index,
        embedding: body.encoding_format === 'base64' ? base64(vector) : [...vector],
      })),
      model: body.model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    };
  };

  return [
    route({
      method: 'GET',
      path: '/v1/models',
      surface: 'root',
      operationId: 'listOpenAiModels',
      summary: 'Agents as models: pentarch, pentarch/athena, …',
      tag,
      access: 'agents:read',
      responses: { 200: ModelList },
      handler: async ({ caller }) => ({ object: 'list', data: (await modelIds(caller)).map(modelOf) }),
    }),
    route({
      method: 'GET',
      path: '/v1/models/:id',
      surface: 'root',
      operationId: 'getOpenAiModel',
      summary: 'One model; a slash in its name may be sent as it is or as %2F',
      tag,
      access: 'agents:read',
      params: ModelParams,
      responses: { 200: Model },
      handler: ({ caller, params }) => findModel(caller, params.id),
    }),
    route({
      method: 'GET',
      path: `/v1/models/${MODEL_FAMILY}/:name`,
      surface: 'root',
      operationId: 'getOpenAiModelByName',
      summary: 'One model of the agents by its name',
      tag,
      access: 'agents:read',
      params: ModelNameParams,
      responses: { 200: Model },
      handler: ({ caller, params }) => findModel(caller, `${MODEL_FAMILY}/${params.name}`),
    }),
    route({
      method: 'POST',
      path: '/v1/chat/completions',
      surface: 'root',
      operationId: 'createChatCompletion',
      summary: 'Ask an agent in the form of the OpenAI API',
      description:
        'The history comes with the request, or with metadata.conversation_id from the store. Each call is a run with conversation, ledger and governance like any other. With stream the answer is text/event-stream: chat.completion.chunk objects and [DONE].',
      tag,
      access: 'chat:write',
      body: ChatCompletionRequest,
      unknownFields: 'ignored',
      idempotency: 'own',
      produces: ['application/json', 'text/event-stream'],
      responses: { 200: ChatCompletion },
      handler: complete,
    }),
    route({
      method: 'POST',
      path: '/v1/embeddings',
      surface: 'root',
      operationId: 'createEmbeddings',
      summary: 'Vectors of texts by the embedding model of the platform',
      tag,
      access: 'chat:write',
      body: EmbeddingRequest,
      unknownFields: 'ignored',
      responses: { 200: EmbeddingList },
      handler: embed,
    }),
  ];
};
