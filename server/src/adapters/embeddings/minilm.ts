import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { MINILM_DIMENSIONS } from './messages.ts';

/** The trained length of the model; longer inputs only cost time. Both special tokens count. */
const MAX_TOKENS = 256;
/**
 * Tokenizers are quadratic on unbroken runs (31 s for 80,000 ideographs), so text is read in slices of this many
 * code units until there are tokens enough.
 */
const SLICE_UNITS = 1024;

export interface MiniLm {
  /** The normalised vector of one text and the tokens that were read. */
  embed(text: string): Promise<{ vector: Float32Array; tokens: number }>;
  tokenIds(text: string): number[];
}

/** Blocks its thread while it computes: run it in a worker. Throws when the model's files cannot be read. */
export async function loadMiniLm(modelDir: string): Promise<MiniLm> {
  const json = (name: string): object => JSON.parse(readFileSync(join(modelDir, name), 'utf8'));
  const tokenizer = new Tokenizer(json('tokenizer.json'), json('tokenizer_config.json'));
  const cls = tokenizer.token_to_id('[CLS]');
  const sep = tokenizer.token_to_id('[SEP]');
  if (cls === undefined || sep === undefined) throw new Error('the tokenizer lacks [CLS] or [SEP]');
  const session = await InferenceSession.create(join(modelDir, 'model_int8.onnx'), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // Without these the arena keeps the largest shapes seen for ever.
    enableCpuMemArena: false,
    enableMemPattern: false,
    extra: { session: { intra_op: { allow_spinning: '0' }, inter_op: { allow_spinning: '0' } } },
  });

  function tokenIds(text: string): number[] {
    const ids: number[] = [cls ?? 0];
    for (let start = 0; start < text.length && ids.length < MAX_TOKENS - 1; ) {
      const end = sliceEnd(text, start);
      ids.push(...tokenizer.encode(text.slice(start, end), { add_special_tokens: false }).ids);
      start = end;
    }
    ids.length = Math.min(ids.length, MAX_TOKENS - 1);
    ids.push(sep ?? 0);
    return ids;
  }

  return {
    tokenIds,
    async embed(text) {
      const ids = tokenIds(text);
      const shape = [1, ids.length];
      const output = await session.run({
        input_ids: new Tensor('int64', BigInt64Array.from(ids, BigInt), shape),
        attention_mask: new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape),
        token_type_ids: new Tensor('int64', new BigInt64Array(ids.length), shape),
      });
      const hidden = output[session.outputNames[0] ?? '']?.data;
      if (!(hidden instanceof Float32Array)) throw new Error('the embedding model gave no float32 output');
      return { vector: meanPool(hidden, ids.length), tokens: ids.length };
    },
  };
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

/** Mean over the tokens, then to length 1 (the pooling that the model was trained with). */
function meanPool(hidden: Float32Array, tokens: number): Float32Array {
  const vector = new Float32Array(MINILM_DIMENSIONS);
  for (let t = 0; t < tokens; t++) {
    const row = t * MINILM_DIMENSIONS;
    for (let d = 0; d < MINILM_DIMENSIONS; d++) vector[d]! += hidden[row + d]!;
  }
  let square = 0;
  for (const value of vector) square += value * value;
  const length = Math.sqrt(square) || 1;
  return vector.map((value) => value / length);
}
