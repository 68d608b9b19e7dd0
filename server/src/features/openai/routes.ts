import { type AnyRoute, route } from '../../http/route.ts';
import type { Caller } from '../../kernel/caller.ts';
import { CHAT_BODY_BYTES } from '../chat/index.ts';
import { createCompletion } from './completion.ts';
import { createDoor } from './door.ts';
import { createEmbeddings } from './embeddings.ts';
import type { OpenAiDoorOptions } from './options.ts';
import { MODEL_FAMILY, unknownModel } from './request.rules.ts';
import {
  ChatCompletion,
  ChatCompletionRequest,
  EmbeddingList,
  EmbeddingRequest,
  Model,
  ModelList,
  ModelNameParams,
  ModelParams,
} from './schema.ts';
import { TextCompletion, TextCompletionRequest } from './text-completion.schema.ts';
import { createTextCompletion } from './text-completion.ts';

const tag = 'OpenAI compatible';

const modelRoutes = (
  options: OpenAiDoorOptions,
  modelIds: (caller: Caller) => Promise<readonly string[]>,
): AnyRoute[] => {
  const created = Math.floor(options.startedAt / 1000);
  const modelOf = (id: string): Model => ({ id, object: 'model', created, owned_by: MODEL_FAMILY });

  const findModel = async (caller: Caller, id: string): Promise<Model> => {
    if (!(await modelIds(caller)).includes(id)) throw unknownModel(id);
    return modelOf(id);
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
  ];
};

export const openAiRoutes = (options: OpenAiDoorOptions): AnyRoute[] => {
  const door = createDoor(options);

  return [
    ...modelRoutes(options, door.modelIds),
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
      handler: createCompletion({ serve: door.serve }),
    }),
    route({
      method: 'POST',
      path: '/v1/completions',
      surface: 'root',
      operationId: 'createTextCompletion',
      summary: 'Ask an agent by a prompt without turns, as older clients do',
      description:
        'The prompt is the message of a person; otherwise as /v1/chat/completions. With stream the answer is text/event-stream: text_completion objects and [DONE]. echo, suffix, logprobs and more than one prompt or answer are refused.',
      tag,
      access: 'chat:write',
      body: TextCompletionRequest,
      bodyLimitBytes: CHAT_BODY_BYTES,
      unknownFields: 'ignored',
      idempotency: 'own',
      produces: ['application/json', 'text/event-stream'],
      responses: { 200: TextCompletion },
      handler: createTextCompletion({ serve: door.serve }),
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
      handler: createEmbeddings(options),
    }),
  ];
};
