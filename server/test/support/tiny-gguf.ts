import { writeFileSync } from 'node:fs';

/**
 * Writes a tiny llama model with random weights as a GGUF file (version 3): for tests that load a model and run it through;
 * what it says is noise. Its vocabulary is the 256 bytes and printable ASCII.
 */
export interface TinyModel {
  contextTokens: number;
  embedding: number;
  layers: number;
  /** Jinja; default: none. */
  chatTemplate?: string;
}

const HEADS = 4;
const U32 = 4;
const F32 = 6;
const STRING = 8;
const ARRAY = 9;
const ALIGNMENT = 32;

const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
};
const f32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
};
const text = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
};
const list = (type: number, values: readonly Buffer[]): Buffer =>
  Buffer.concat([u32(type), u64(values.length), ...values]);
const padding = (length: number): Buffer => Buffer.alloc((ALIGNMENT - (length % ALIGNMENT)) % ALIGNMENT);

export const writeTinyGguf = (file: string, model: TinyModel): void => {
  const { embedding, layers, contextTokens } = model;
  const feedForward = embedding * 2;
  const bytes = Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`);
  const ascii = Array.from({ length: 95 }, (_, i) => (i === 0 ? '▁' : String.fromCharCode(32 + i)));
  const tokens = ['<unk>', '<s>', '</s>', ...bytes, ...ascii];
  // Unknown, control, byte, normal.
  const typeOf = (i: number): number => (i === 0 ? 2 : i < 3 ? 3 : i < 259 ? 6 : 1);
  const facts: [string, number, Buffer][] = [
    ['general.architecture', STRING, text('llama')],
    ['general.name', STRING, text('tiny')],
    ['llama.context_length', U32, u32(contextTokens)],
    ['llama.embedding_length', U32, u32(embedding)],
    ['llama.block_count', U32, u32(layers)],
    ['llama.feed_forward_length', U32, u32(feedForward)],
    ['llama.attention.head_count', U32, u32(HEADS)],
    ['llama.attention.head_count_kv', U32, u32(HEADS)],
    ['llama.attention.layer_norm_rms_epsilon', F32, f32(1e-5)],
    ['llama.rope.dimension_count', U32, u32(embedding / HEADS)],
    ['llama.vocab_size', U32, u32(tokens.length)],
    ['tokenizer.ggml.model', STRING, text('llama')],
    ['tokenizer.ggml.tokens', ARRAY, list(STRING, tokens.map(text))],
    [
      'tokenizer.ggml.scores',
      ARRAY,
      list(
        F32,
        tokens.map((_, i) => f32(i < 259 ? 0 : -1)),
      ),
    ],
    [
      'tokenizer.ggml.token_type',
      ARRAY,
      list(
        5,
        tokens.map((_, i) => u32(typeOf(i))),
      ),
    ],
    ['tokenizer.ggml.bos_token_id', U32, u32(1)],
    ['tokenizer.ggml.eos_token_id', U32, u32(2)],
    ['tokenizer.ggml.unknown_token_id', U32, u32(0)],
  ];
  if (model.chatTemplate !== undefined)
    facts.push(['tokenizer.chat_template', STRING, text(model.chatTemplate)]);
  const tensors: [string, number[]][] = [
    ['token_embd.weight', [embedding, tokens.length]],
    ['output_norm.weight', [embedding]],
    ['output.weight', [embedding, tokens.length]],
  ];
  for (let i = 0; i < layers; i++) {
    tensors.push(
      [`blk.${i}.attn_norm.weight`, [embedding]],
      [`blk.${i}.attn_q.weight`, [embedding, embedding]],
      [`blk.${i}.attn_k.weight`, [embedding, embedding]],
      [`blk.${i}.attn_v.weight`, [embedding, embedding]],
      [`blk.${i}.attn_output.weight`, [embedding, embedding]],
      [`blk.${i}.ffn_norm.weight`, [embedding]],
      [`blk.${i}.ffn_gate.weight`, [embedding, feedForward]],
      [`blk.${i}.ffn_up.weight`, [embedding, feedForward]],
      [`blk.${i}.ffn_down.weight`, [feedForward, embedding]],
    );
  }
  const countOf = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
  const head = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(facts.length)];
  for (const [key, type, value] of facts) head.push(text(key), u32(type), value);
  let offset = 0;
  for (const [name, shape] of tensors) {
    head.push(text(name), u32(shape.length), ...shape.map(u64), u32(0), u64(offset));
    offset += Math.ceil((countOf(shape) * 4) / ALIGNMENT) * ALIGNMENT;
  }
  const start = Buffer.concat(head);
  const data: Buffer[] = [];
  let state = 1;
  for (const [name, shape] of tensors) {
    const values = new Float32Array(countOf(shape));
    for (let i = 0; i < values.length; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      values[i] = name.includes('norm') ? 1 : (state / 2 ** 32 - 0.5) * 0.2;
    }
    const raw = Buffer.from(values.buffer);
    data.push(raw, padding(raw.length));
  }
  writeFileSync(file, Buffer.concat([start, padding(start.length), ...data]));
};
