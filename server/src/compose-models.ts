import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { createBuiltinEmbedder } from './adapters/embeddings/builtin.ts';
import { createCompatibleEmbedder } from './adapters/embeddings/openai-compatible.ts';
import { createAnthropicProvider, createGoogleProvider } from './adapters/models/ai-sdk/index.ts';
import { createBuiltinModel } from './adapters/models/builtin/builtin.ts';
import {
  COMPATIBLE_DIALECT,
  createChatCompletions,
  OPENAI_DIALECT,
} from './adapters/models/chat-completions/index.ts';
import { detectOllama, listModels } from './adapters/models/detect.ts';
import type { Config } from './config.ts';
import { ConfigError } from './config.ts';
import {
  createModels,
  createPrices,
  type Models,
  parsePriceTable,
  pickDefaultModel,
} from './features/models/index.ts';
import type { Clock } from './kernel/clock.ts';
import type { Embedder } from './kernel/embedder.ts';
import { AppError } from './kernel/errors.ts';
import type { ModelProvider } from './kernel/model.ts';

/** The part of the composition that builds models and embedders from the settings. */

const OPENAI_URL = 'https://api.openai.com/v1';
const OLLAMA_URL = 'http://127.0.0.1:11434';

const pause = async (delayMs: number, signal: AbortSignal): Promise<void> => {
  await delay(delayMs, undefined, { signal }).catch(() => {});
};

const providersOf = (config: Config, ollama: string | null, clock: Clock): ModelProvider[] => {
  const silenceMs = config.MODEL_TIMEOUT_S * 1000;
  const timeouts = { firstByteTimeoutMs: silenceMs, idleTimeoutMs: silenceMs };
  const providers: ModelProvider[] = [createBuiltinModel(clock)];
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
    providers.push(
      createAnthropicProvider({
        apiKey: config.ANTHROPIC_API_KEY,
        ...(config.ANTHROPIC_BASE_URL === null ? {} : { baseUrl: config.ANTHROPIC_BASE_URL }),
        ...timeouts,
      }),
    );
  }
  if (config.GOOGLE_GENERATIVE_AI_API_KEY !== null) {
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

/** Models by the settings; the default one is the first found of MODEL, the keys, an Ollama server, `builtin`. */
export const composeModels = async (config: Config, clock: Clock): Promise<Models> => {
  const ollamaUrl = config.OLLAMA_BASE_URL ?? OLLAMA_URL;
  const wantsOllama = config.OLLAMA_BASE_URL !== null || (config.MODEL?.startsWith('ollama/') ?? false);
  const decided = config.MODEL !== null || config.OPENAI_API_KEY !== null;
  const ollamaModels = decided && !wantsOllama ? null : await detectOllama(ollamaUrl);
  const providers = providersOf(config, wantsOllama || ollamaModels !== null ? ollamaUrl : null, clock);
  const defaultModel = pickDefaultModel({
    model: config.MODEL ?? undefined,
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
      fallbacks: config.MODEL_FALLBACKS,
      offered: config.MODELS,
      prices,
      clock,
      random: Math.random,
      sleep: pause,
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

/** The embedder of EMBEDDING_MODEL; `warm` loads it ahead of the first use. */
export const composeEmbedder = (config: Config): { embedder: Embedder; warm(): Promise<void> } => {
  const id = config.EMBEDDING_MODEL;
  if (id === 'builtin') {
    const embedder = createBuiltinEmbedder();
    return { embedder, warm: () => embedder.warm() };
  }
  const [provider, ...rest] = id.split('/');
  const model = rest.join('/');
  const target =
    provider === 'openai'
      ? { baseUrl: config.OPENAI_BASE_URL ?? OPENAI_URL, apiKey: config.OPENAI_API_KEY }
      : provider === 'compatible' && config.COMPATIBLE_BASE_URL !== null
        ? { baseUrl: config.COMPATIBLE_BASE_URL, apiKey: config.COMPATIBLE_API_KEY }
        : provider === 'ollama'
          ? { baseUrl: `${config.OLLAMA_BASE_URL ?? OLLAMA_URL}/v1`, apiKey: null }
          : null;
  if (target === null || model === '') {
    throw new ConfigError(
      `EMBEDDING_MODEL="${id}" is wrong: it must be builtin, openai/…, ollama/… or compatible/… with its address set`,
    );
  }
  const embedder = createCompatibleEmbedder({
    id,
    model,
    baseUrl: target.baseUrl,
    apiKey: target.apiKey,
    dimensions: config.EMBEDDING_DIMENSIONS,
    local: provider === 'ollama',
  });
  return { embedder, warm: () => Promise.resolve() };
};
