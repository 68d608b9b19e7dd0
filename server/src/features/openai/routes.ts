import type { FastifyReply } from 'fastify';
import { openAiError } from '../../http/error-body.ts';
import { type AnyRoute, route, type SignedInInput } from '../../http/route.ts';
import type { Caller } from '../../kernel/caller.ts';
import { CHAT_BODY_BYTES } from '../chat/index.ts';
import { completionOf } from './answer.ts';
import { createDoor, type DoorOptions, type DoorWire } from './door.ts';
import { readFormat } from './format.ts';
import { refusal } from './refusal.rules.ts';
import {
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

/** `/v1`: agents as models for programs that speak the OpenAI API. */
export interface OpenAiDoorOptions extends DoorOptions {
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
  const door = createDoor(options);
  const { modelIds } = door;
  const created = Math.floor(options.startedAt / 1000);
  const modelOf = (id: string): Model => ({ id, object: 'model', created, owned_by: MODEL_FAMILY });

  const findModel = async (caller: Caller, id: string): Promise<Model> => {
    if (!(await modelIds(caller)).includes(id)) throw unknownModel(id);
    return modelOf(id);
  };

  const complete = (
    input: SignedInInput<ChatCompletionRequest, unknown, unknown>,
  ): Promise<ChatCompletion | FastifyReply> => {
    const { body, requestId } = input;
    const wire: DoorWire = {
      name: 'v1/chat',
      request: () => ({
        model: body.model,
        read: readCompletion(body, readFormat(body.response_format)),
        maxOutputTokens: body.max_completion_tokens ?? body.max_tokens ?? null,
        sampling: samplingIn(body),
      }),
      answer: (response) => completionOf(response, body.model),
      frames: (runId) =>
        createChunks({
          runId,
          model: body.model,
          created: Math.floor(options.now() / 1000),
          includeUsage: body.stream_options?.include_usage === true,
          requestId,
        }),
      farewell: (fault) => `data: ${JSON.stringify(openAiError(fault, requestId))}\n\n`,
    };
    // Both are what the wire has written.
    return door.serve(input, wire, body.stream === true) as Promise<ChatCompletion | FastifyReply>;
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
      bodyLimitBytes: CHAT_BODY_BYTES,
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
