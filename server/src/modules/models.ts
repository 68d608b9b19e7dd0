import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type BuiltinEmbedder,
  createBuiltinEmbedder,
  createThreadedEmbedder,
} from '../adapters/embeddings/builtin.ts';
import { createGoogleEmbedder } from '../adapters/embeddings/google.ts';
import { OnnxFolderError, readOnnxFolder } from '../adapters/embeddings/onnx-folder.ts';
import { createRemoteEmbedder } from '../adapters/embeddings/remote.ts';
import { retryingEmbedder } from '../adapters/embeddings/retrying.ts';
import {
  COHERE_WIRE,
  type EmbeddingWire,
  MISTRAL_WIRE,
  OPENAI_WIRE,
  VOYAGE_WIRE,
} from '../adapters/embeddings/wires.ts';
import { GGUF_FILE, type PulledModel } from '../adapters/model-files/index.ts';
import { createBuiltinProvider } from '../adapters/models/builtin.ts';
import {
  COMPATIBLE_DIALECT,
  createChatCompletions,
  OPENAI_DIALECT,
} from '../adapters/models/chat-completions/index.ts';
import { detectOllama, listModels } from '../adapters/models/detect.ts';
import {
  checkHead,
  createGgufProvider,
  loadRuntime,
  PACKAGE,
  PACKAGE_VERSION,
} from '../adapters/models/gguf/index.ts';
import { createCompatibleReranker } from '../adapters/reranking/compatible.ts';
import type { Config } from '../config.ts';
import { ConfigError } from '../config.ts';
import {
  createModels,
  createPrices,
  type ModelCallSample,
  type Models,
  parsePriceTable,
  pickDefaultModel,
} from '../features/models/index.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Embedder } from '../kernel/embedder.ts';
import { AppError } from '../kernel/errors.ts';
import type { ModelProvider } from '../kernel/model.ts';
import type { Reranker } from '../kernel/reranker.ts';
import { modelsDir, pulledModel } from './model-files.ts';

/** The part of the composition that builds models and embedders from the settings. */

const OPENAI_URL = 'https://api.openai.com/v1';
const OLLAMA_URL = 'http://127.0.0.1:11434';

const pause = async (delayMs: number, signal: AbortSignal): Promise<void> => {
  await delay(delayMs, undefined, { signal }).catch(() => {});
};

/** Providers of the AI SDK, whose packages are large, are loaded where a key asks for them. */
const providersOf = async (config: Config, ollama: string | null, clock: Clock): Promise<ModelProvider[]> => {
  const silenceMs = config.MODEL_TIMEOUT_S * 1000;
  const timeouts = { firstByteTimeoutMs: silenceMs, idleTimeoutMs: silenceMs };
  const providers: ModelProvider[] = [createBuiltinProvider(clock)];
  if (config.OPENAI_API_KEY !== null) {
    providers.push(
      createChatCompletions({
        name: 'openai',
        baseUrl: config.OPENAI_BASE_URL ?? OPENAI_URL,
        apiKey: config.OPENAI_API_KEY,
        dialect: OPENAI_DIALECT,
        ...timeouts,
      }),
    );
  }
  if (config.ANTHROPIC_API_KEY !== null) {
    const { createAnthropicProvider } = await import('../adapters/models/ai-sdk/index.ts');
    providers.push(
      createAnthropicProvider({
        apiKey: config.ANTHROPIC_API_KEY,
        ...(config.ANTHROPIC_BASE_URL === null ? {} : { baseUrl: config.ANTHROPIC_BASE_URL }),
        ...timeouts,
      }),
    );
  }
  if (config.GOOGLE_GENERATIVE_AI_API_KEY !== null) {
    const { createGoogleProvider } = await import('../adapters/models/ai-sdk/index.ts');
    providers.push(
      createGoogleProvider({
        apiKey: config.GOOGLE_GENERATIVE_AI_API_KEY,
        ...(config.GOOGLE_BASE_URL === null ? {} : { baseUrl: config.GOOGLE_BASE_URL }),
        ...timeouts,
      }),
    );
  }
  if (config.COMPATIBLE_BASE_URL !== null) {
    providers.push(
      createChatCompletions({
        name: 'compatible',
        baseUrl: config.COMPATIBLE_BASE_URL,
        ...(config.COMPATIBLE_API_KEY === null ? {} : { apiKey: config.COMPATIBLE_API_KEY }),
        dialect: COMPATIBLE_DIALECT,
        ...timeouts,
      }),
    );
  }
  if (ollama !== null) {
    providers.push(
      createChatCompletions({ name: 'ollama', baseUrl: `${ollama}/v1`, local: true, ...timeouts }),
    );
  }
  return providers;
};

const GGUF = 'gguf/';
const LOCAL = 'local';

/** What a setting means by `local` or `local/<name>`; null for other ids. Throws `ConfigError` where it was not pulled. */
const pulledOf = (config: Config, setting: string, id: string): PulledModel | null => {
  if (id !== LOCAL && !id.startsWith(`${LOCAL}/`)) return null;
  const name = id === LOCAL ? null : id.slice(LOCAL.length + 1);
  const model = pulledModel(config, 'gguf', name);
  if (model !== null) return model;
  throw new ConfigError(
    name === null
      ? `${setting}="${id}" is wrong: no model was pulled into ${modelsDir(config)}. Get one: pentarch model pull qwen2.5-1.5b ("pentarch model list" shows others)`
      : `${setting}="${id}" is wrong: no model "${name}" was pulled into ${modelsDir(config)} ("pentarch model list" shows what is there)`,
  );
};

/** The name of a model file for the rest of the platform: where it lies is the server's own affair. */
const ggufId = (config: Config, setting: string, id: string): string => {
  if (id.startsWith(GGUF)) return `${GGUF}${path.basename(id)}`;
  const model = pulledOf(config, setting, id);
  return model === null ? id : `${GGUF}${model.name}`;
};

/** A model file that an id of a setting names, or null. */
const ggufFile = (config: Config, setting: string, id: string): { name: string; file: string } | null => {
  const model = pulledOf(config, setting, id);
  if (model !== null) return { name: model.name, file: path.join(modelsDir(config), model.name, GGUF_FILE) };
  if (!id.startsWith(GGUF)) return null;
  const file = path.resolve(id.slice(GGUF.length));
  if (!existsSync(file)) throw new ConfigError(`${setting}="${id}" is wrong: there is no such file`);
  return { name: path.basename(file), file };
};

/** The provider of the model files that the settings name; null without any. */
const ggufProvider = async (config: Config): Promise<ModelProvider | null> => {
  const settings = {
    MODEL: [config.MODEL ?? ''],
    MODEL_FALLBACKS: config.MODEL_FALLBACKS,
    MODELS: config.MODELS,
  };
  const files = new Map<string, string>();
  for (const [setting, ids] of Object.entries(settings)) {
    for (const id of ids) {
      const named = ggufFile(config, setting, id);
      if (named === null) continue;
      const { name, file } = named;
      const other = files.get(name);
      if (other !== undefined && other !== file)
        throw new ConfigError(`${setting}="${id}" is wrong: two model files are called ${name}`);
      files.set(name, file);
    }
  }
  if (files.size === 0) return null;
  const runtime = await loadRuntime().catch((error: unknown) => {
    throw new ConfigError(
      `the package ${PACKAGE} for ${GGUF}… models cannot be used: ${error instanceof Error ? error.message : ''}`,
    );
  });
  if (runtime === null) {
    throw new ConfigError(
      `model files need the package ${PACKAGE}, which is not installed. In the folder of the platform: npm install --no-save ${PACKAGE}@${PACKAGE_VERSION}`,
    );
  }
  try {
    for (const file of files.values()) await checkHead(file);
    return await createGgufProvider({ runtime, files, maxContextTokens: config.CONTEXT_TOKENS });
  } catch (error) {
    throw new ConfigError(
      `a model file of ${[...files.keys()].join(', ')} cannot be loaded: ${error instanceof Error ? error.message : ''}`,
    );
  }
};

/** Models by the settings; the default one is the first found of MODEL, the keys, an Ollama server, `builtin`. */
export const composeModels = async (
  config: Config,
  clock: Clock,
  onCall: (sample: ModelCallSample) => void = () => {},
): Promise<Models> => {
  const ollamaUrl = config.OLLAMA_BASE_URL ?? OLLAMA_URL;
  const wantsOllama = config.OLLAMA_BASE_URL !== null || (config.MODEL?.startsWith('ollama/') ?? false);
  const decided = config.MODEL !== null || config.OPENAI_API_KEY !== null;
  const ollamaModels = decided && !wantsOllama ? null : await detectOllama(ollamaUrl);
  const providers = await providersOf(config, wantsOllama || ollamaModels !== null ? ollamaUrl : null, clock);
  const gguf = await ggufProvider(config);
  if (gguf !== null) providers.push(gguf);
  const defaultModel = pickDefaultModel({
    model: config.MODEL === null ? undefined : ggufId(config, 'MODEL', config.MODEL),
    openaiKey: config.OPENAI_API_KEY !== null,
    anthropicKey: config.ANTHROPIC_API_KEY !== null,
    googleKey: config.GOOGLE_GENERATIVE_AI_API_KEY !== null,
    compatibleModels:
      config.COMPATIBLE_BASE_URL === null || config.MODEL !== null
        ? null
        : await listModels(config.COMPATIBLE_BASE_URL, config.COMPATIBLE_API_KEY ?? undefined),
    ollamaModels,
  });
  const prices = createPrices({
    clock,
    overrides: parsePriceTable(
      config.PRICES_FILE === null ? {} : readJson(config.PRICES_FILE, 'PRICES_FILE'),
    ),
    defaultInput: config.DEFAULT_PRICE_INPUT,
    defaultOutput: config.DEFAULT_PRICE_OUTPUT,
    localProviders: new Set(['builtin', 'ollama', 'gguf']),
    baseUrls: new Map(
      config.COMPATIBLE_BASE_URL === null ? [] : [['compatible', config.COMPATIBLE_BASE_URL]],
    ),
  });
  try {
    const models = createModels({
      providers,
      defaultModel,
      fallbacks: config.MODEL_FALLBACKS.map((id) => ggufId(config, 'MODEL_FALLBACKS', id)),
      offered: config.MODELS.map((id) => ggufId(config, 'MODELS', id)),
      visionModels: config.VISION_MODELS,
      prices,
      windowOf: prices.windowOf,
      contextTokens: config.CONTEXT_TOKENS,
      clock,
      random: Math.random,
      sleep: pause,
      onCall,
    });
    // A name that no provider has ends the start, not the first message.
    if (config.MEMORY_MODEL !== null) models.resolve(config.MEMORY_MODEL, '/MEMORY_MODEL');
    return models;
  } catch (error) {
    if (error instanceof AppError) throw new ConfigError(error.message.replace(/^\//, ''));
    throw error;
  }
};

const readJson = (file: string, setting: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as unknown;
  } catch (error) {
    throw new ConfigError(
      `${setting}="${file}" cannot be read as JSON: ${error instanceof Error ? error.message : ''}`,
    );
  }
};

const ONNX = 'onnx/';
const MULTILINGUAL = 'builtin-multilingual';
const MULTILINGUAL_MODEL = 'multilingual-e5-small';

/** Where the model of an id lies; null for ids of other kinds. A path is a folder, a bare name a pulled model or a folder here. */
const onnxFolder = (config: Config, id: string): string | null => {
  if (id === MULTILINGUAL) {
    const model = pulledModel(config, 'onnx', MULTILINGUAL_MODEL);
    if (model !== null) return path.join(modelsDir(config), model.name);
    throw new ConfigError(
      `EMBEDDING_MODEL="${id}" is wrong: its model is not in ${modelsDir(config)}. Get it: pentarch model pull ${MULTILINGUAL_MODEL}`,
    );
  }
  if (!id.startsWith(ONNX)) return null;
  const named = id.slice(ONNX.length);
  const pulled = pulledModel(config, 'onnx', named);
  return pulled === null ? path.resolve(named) : path.join(modelsDir(config), pulled.name);
};

/** A model of a folder in the same threads as the built-in one; null for other ids. Its id holds no path. */
const onnxEmbedder = (config: Config, id: string): BuiltinEmbedder | null => {
  const folder = onnxFolder(config, id);
  if (folder === null) return null;
  try {
    const { model, prefixes } = readOnnxFolder(folder, {
      query: config.EMBEDDING_QUERY_PREFIX,
      document: config.EMBEDDING_PASSAGE_PREFIX,
    });
    return createThreadedEmbedder({ id: `${ONNX}${path.basename(folder)}`, model, prefixes });
  } catch (error) {
    if (!(error instanceof OnnxFolderError)) throw error;
    throw new ConfigError(`EMBEDDING_MODEL="${id}" is wrong: ${folder}: ${error.message}`);
  }
};

/** The embedder of EMBEDDING_MODEL; `warm` loads it ahead of the first use. */
export const composeEmbedder = (config: Config): { embedder: Embedder; warm(): Promise<void> } => {
  const id = config.EMBEDDING_MODEL;
  if (id === 'builtin') {
    const embedder = createBuiltinEmbedder();
    return { embedder, warm: () => embedder.warm() };
  }
  const onnx = onnxEmbedder(config, id);
  if (onnx !== null) return { embedder: onnx, warm: () => onnx.warm() };
  const embedder = remoteEmbedder(config, id, config.EMBEDDING_DIMENSIONS);
  if (embedder === null) {
    throw new ConfigError(
      `EMBEDDING_MODEL="${id}" is wrong: it must be builtin, builtin-multilingual, onnx/…, openai/…, ollama/…, google/…, mistral/…, cohere/… or voyage/… with its key set, or compatible/… with its address set`,
    );
  }
  return { embedder, warm: () => Promise.resolve() };
};

/** The reranker of RERANK_MODEL; null without one. */
export const composeReranker = (config: Config): Reranker | null => {
  const id = config.RERANK_MODEL;
  if (id === null) return null;
  const model = /^compatible\/(.+)$/.exec(id)?.[1];
  if (model === undefined || config.COMPATIBLE_BASE_URL === null) {
    throw new ConfigError(
      `RERANK_MODEL="${id}" is wrong: it must be compatible/… with COMPATIBLE_BASE_URL set`,
    );
  }
  const { COMPATIBLE_BASE_URL: baseUrl, COMPATIBLE_API_KEY: apiKey } = config;
  return createCompatibleReranker({ id, model, baseUrl, apiKey });
};

/** The embedder of a model that documents were indexed with before; null where the settings have no way to it. */
export const composeEarlierEmbedder = (
  config: Config,
  model: { id: string; dimensions: number },
): Embedder | null => {
  const { OPENAI_API_KEY, OPENAI_BASE_URL } = config;
  if (model.id.startsWith('openai/') && OPENAI_API_KEY === null && OPENAI_BASE_URL === null) return null;
  const embedder = remoteEmbedder(config, model.id, model.dimensions) ?? earlierOnnx(config, model.id);
  if (embedder !== null) return embedder;
  const builtin = createBuiltinEmbedder();
  return builtin.id === model.id ? builtin : null;
};

/** A folder that is gone is no reason not to start: its documents are found by words until they are indexed again. */
const earlierOnnx = (config: Config, id: string): Embedder | null => {
  try {
    return onnxEmbedder(config, id);
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
};

interface EmbeddingService {
  wire: EmbeddingWire;
  baseUrl: string | null;
  apiKey: string | null;
  /** Whether it answers without a key. */
  open?: boolean;
  local?: boolean;
}

const embeddingServices = (config: Config): Readonly<Record<string, EmbeddingService>> => ({
  openai: {
    wire: OPENAI_WIRE,
    baseUrl: config.OPENAI_BASE_URL ?? OPENAI_URL,
    apiKey: config.OPENAI_API_KEY,
    open: true,
  },
  compatible: {
    wire: OPENAI_WIRE,
    baseUrl: config.COMPATIBLE_BASE_URL,
    apiKey: config.COMPATIBLE_API_KEY,
    open: true,
  },
  ollama: {
    wire: OPENAI_WIRE,
    baseUrl: `${config.OLLAMA_BASE_URL ?? OLLAMA_URL}/v1`,
    apiKey: null,
    open: true,
    local: true,
  },
  mistral: {
    wire: MISTRAL_WIRE,
    baseUrl: config.MISTRAL_BASE_URL ?? 'https://api.mistral.ai/v1',
    apiKey: config.MISTRAL_API_KEY,
  },
  cohere: {
    wire: COHERE_WIRE,
    baseUrl: config.COHERE_BASE_URL ?? 'https://api.cohere.com/v2',
    apiKey: config.COHERE_API_KEY,
  },
  voyage: {
    wire: VOYAGE_WIRE,
    baseUrl: config.VOYAGE_BASE_URL ?? 'https://api.voyageai.com/v1',
    apiKey: config.VOYAGE_API_KEY,
  },
});

/** Null when no such provider is set. */
const remoteEmbedder = (config: Config, id: string, dimensions: number): Embedder | null => {
  const [provider = '', ...rest] = id.split('/');
  const model = rest.join('/');
  if (model === '') return null;
  const again = { sleep: (ms: number) => delay(ms), random: Math.random };
  if (provider === 'google') {
    const { GOOGLE_GENERATIVE_AI_API_KEY: apiKey, GOOGLE_BASE_URL: baseUrl } = config;
    if (apiKey === null) return null;
    return retryingEmbedder(createGoogleEmbedder({ id, model, apiKey, baseUrl, dimensions }), again);
  }
  const services = embeddingServices(config);
  const service = Object.hasOwn(services, provider) ? services[provider] : undefined;
  if (service === undefined || service.baseUrl === null) return null;
  if (service.apiKey === null && !service.open) return null;
  const { wire, baseUrl, apiKey, local = false } = service;
  return retryingEmbedder(
    createRemoteEmbedder({ id, model, baseUrl, apiKey, dimensions, wire, local }),
    again,
  );
};
