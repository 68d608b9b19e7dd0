import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Prefixes } from './builtin.ts';
import type { SentenceModelFiles } from './messages.ts';

/** Reads from a folder with a sentence-embedding model how it wants to be used, as sentence-transformers and the hub write it. */

export class OnnxFolderError extends Error {}

const MODEL_FILES = [
  'model.onnx',
  'model_quantized.onnx',
  'model_int8.onnx',
  'onnx/model_quantized.onnx',
  'onnx/model_int8.onnx',
  'onnx/model.onnx',
];
/** Passages are shorter, and attention costs the square of the length. */
const MAX_TOKENS = 512;
const MAX_DIMENSIONS = 4_096;

type Json = Record<string, unknown>;

const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Null where there is no such file. */
const readJson = (folder: string, name: string): Json | null => {
  const file = path.join(folder, name);
  if (!existsSync(file)) return null;
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    throw new OnnxFolderError(`${name} is no JSON`);
  }
  if (!isRecord(value)) throw new OnnxFolderError(`${name} holds no object`);
  return value;
};

const needed = (folder: string, name: string): Json => {
  const value = readJson(folder, name);
  if (value === null) throw new OnnxFolderError(`it has no ${name}`);
  return value;
};

const whole = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;

const poolingOf = (folder: string, names: readonly string[]): 'mean' | 'cls' => {
  const config = readJson(folder, '1_Pooling/config.json');
  if (config === null) return names.some((name) => /(?:^|[/_-])bge[_-]/i.test(name)) ? 'cls' : 'mean';
  if (config.pooling_mode_mean_tokens === true) return 'mean';
  if (config.pooling_mode_cls_token === true) return 'cls';
  throw new OnnxFolderError('its pooling is neither the mean of the tokens nor the first one');
};

const prefixesOf = (folder: string, names: readonly string[]): Prefixes => {
  const config = readJson(folder, 'config_sentence_transformers.json');
  const prompts = isRecord(config?.prompts) ? config.prompts : {};
  const prompt = (...keys: string[]): string | null =>
    keys.map((key) => prompts[key]).find((value): value is string => typeof value === 'string') ?? null;
  const query = prompt('query');
  const document = prompt('document', 'passage');
  if (query !== null || document !== null) return { query: query ?? '', document: document ?? '' };
  // The e5 models say it on their card alone; those made for instructions take a sentence in front.
  const e5 = names.some((name) => /(?:^|[/_-])e5[_-]/i.test(name) && !/instruct/i.test(name));
  return e5 ? { query: 'query: ', document: 'passage: ' } : { query: '', document: '' };
};

/** A word and what follows it are two. */
const spaced = (prefix: string): string => (prefix === '' || /\s$/.test(prefix) ? prefix : `${prefix} `);

/** `set` has what the settings say, which counts before what the folder says. Throws `OnnxFolderError`. */
export const readOnnxFolder = (
  folder: string,
  set: { query: string | null; document: string | null },
): { model: SentenceModelFiles; prefixes: Prefixes } => {
  if (!existsSync(folder)) throw new OnnxFolderError('there is no such folder');
  const file = MODEL_FILES.find((name) => existsSync(path.join(folder, name)));
  if (file === undefined) throw new OnnxFolderError(`it has none of ${MODEL_FILES.join(', ')}`);
  needed(folder, 'tokenizer.json');
  const tokenizer = needed(folder, 'tokenizer_config.json');
  const config = needed(folder, 'config.json');
  const dimensions = whole(config.hidden_size) ?? whole(config.d_model) ?? whole(config.dim);
  if (dimensions === null || dimensions > MAX_DIMENSIONS)
    throw new OnnxFolderError('its config.json has no hidden_size');
  const origin = config._name_or_path;
  const names = [path.basename(folder), ...(typeof origin === 'string' ? [origin] : [])];
  const own = readJson(folder, 'sentence_bert_config.json')?.max_seq_length;
  const positions = whole(config.max_position_embeddings);
  // RoBERTa counts its positions from 2.
  const held = positions === null ? null : positions - (/roberta/i.test(String(config.model_type)) ? 2 : 0);
  const lengths = [whole(own), whole(tokenizer.model_max_length), held];
  const maxTokens = Math.min(MAX_TOKENS, ...lengths.filter((length) => length !== null));
  const known = prefixesOf(folder, names);
  return {
    model: { folder, file, maxTokens, pooling: poolingOf(folder, names), dimensions },
    prefixes: { query: spaced(set.query ?? known.query), document: spaced(set.document ?? known.document) },
  };
};
