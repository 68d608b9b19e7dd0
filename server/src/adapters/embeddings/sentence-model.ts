import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import type { SentenceModelFiles } from './messages.ts';

/**
 * Tokenizers are quadratic on unbroken runs (31 s for 80,000 ideographs), so text is read in slices of this many
 * code units until there are tokens enough.
 */
const SLICE_UNITS = 1024;

export interface SentenceModel {
  /** The normalised vector of one text and the tokens that were read. */
  embed(text: string): Promise<{ vector: Float32Array; tokens: number }>;
  tokenIds(text: string): number[];
}

/** Blocks its thread while it computes: run it in a worker. Throws when the model's files cannot be read. */
export async function loadSentenceModel(model: SentenceModelFiles): Promise<SentenceModel> {
  const json = (name: string): object => JSON.parse(readFileSync(join(model.folder, name), 'utf8'));
  const tokenizer = new Tokenizer(json('tokenizer.json'), json('tokenizer_config.json'));
  const { head, tail } = frameOf(tokenizer);
  const session = await InferenceSession.create(join(model.folder, model.file), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Without these the arena keeps the largest shapes seen for ever.
    enableCpuMemArena: false,
    enableMemPattern: false,
    extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
  });
  const output = OUTPUTS.find((name) => session.outputNames.includes(name)) ?? session.outputNames[0] ?? '';

  function tokenIds(text: string): number[] {
    const room = model.maxTokens - tail.length;
    const ids = [...head];
    for (let start = 0; start < text.length && ids.length < room; ) {
      const end = sliceEnd(text, start);
      ids.push(...tokenizer.encode(text.slice(start, end), { add_special_tokens: false }).ids);
      start = end;
    }
    ids.length = Math.min(ids.length, room);
    ids.push(...tail);
    return ids;
  }

  return {
    tokenIds,
    async embed(text) {
      const ids = tokenIds(text);
      const answer = (await session.run(feedsFor(session.inputNames, ids), [output]))[output];
      if (!(answer?.data instanceof Float32Array))
        throw new Error('the embedding model gave no float32 output');
      const vector = pooled(answer.data, ids.length, answer.dims.length === 2, model);
      return { vector, tokens: ids.length };
    },
  };
}

/** The first that a model has: some give the pooled vector besides. */
const OUTPUTS = ['last_hidden_state', 'token_embeddings', 'sentence_embedding'];

/** The special tokens that the tokenizer puts around a text, whatever they are called. */
function frameOf(tokenizer: Tokenizer): { head: number[]; tail: number[] } {
  const bare: number[] = tokenizer.encode('a', { add_special_tokens: false }).ids;
  const framed: number[] = tokenizer.encode('a').ids;
  const at = framed.findIndex((_, start) => bare.every((id, n) => framed[start + n] === id));
  if (bare.length === 0 || at < 0) throw new Error('the tokenizer gives no tokens');
  return { head: framed.slice(0, at), tail: framed.slice(at + bare.length) };
}

function feedsFor(names: readonly string[], ids: readonly number[]): Record<string, Tensor> {
  const shape = [1, ids.length];
  const known: Record<string, () => Tensor> = {
    input_ids: () => new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
    attention_mask: () => new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
    token_type_ids: () => new Tensor('int64', new BigInt64Array(ids.length), shape),
    position_ids: () =>
      new Tensor(
        'int64',
        BigInt64Array.from(ids, (_, n) => BigInt(n)),
        shape,
      ),
  };
  return Object.fromEntries(
    names.map((name) => {
      const make = known[name];
      if (make === undefined)
        throw new Error(`the embedding model wants an input "${name}" that is not known`);
      return [name, make()];
    }),
  );
}

/** Cuts at white space where there is any in the slice's second half, never inside a surrogate pair. */
function sliceEnd(text: string, start: number): number {
  const hard = start + SLICE_UNITS;
  if (hard >= text.length) return text.length;
  const space = text.lastIndexOf(' ', hard);
  if (space > start + SLICE_UNITS / 2) return space;
  const unit = text.charCodeAt(hard);
  return unit >= 0xdc00 && unit <= 0xdfff ? hard - 1 : hard;
}

/** One vector of the tokens' by the pooling that the model was trained with, of length 1. */
function pooled(
  hidden: Float32Array,
  tokens: number,
  already: boolean,
  { dimensions, pooling }: SentenceModelFiles,
): Float32Array {
  if (hidden.length !== (already ? 1 : tokens) * dimensions)
    throw new Error(`the embedding model gives vectors of another length than ${dimensions}`);
  const vector = new Float32Array(dimensions);
  const rows = already || pooling === 'cls' ? 1 : tokens;
  for (let t = 0; t < rows; t++) {
    const row = t * dimensions;
    for (let d = 0; d < dimensions; d++) vector[d]! += hidden[row + d]!;
  }
  let square = 0;
  for (const value of vector) square += value * value;
  const length = Math.sqrt(square) || 1;
  return vector.map((value) => value / length);
}
