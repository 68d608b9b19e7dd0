import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { builtinModelDir, createBuiltinEmbedder, createThreadedEmbedder } from './builtin.ts';
import { readOnnxFolder } from './onnx-folder.ts';
import { loadSentenceModel } from './sentence-model.ts';

/** Folders with sentence-embedding models: how they want to be used is read from their files. */

const NOTHING_SET = { query: null, document: null };
let parent: string;

beforeEach(() => {
  parent = mkdtempSync(path.join(tmpdir(), 'pentarch-onnx-'));
});
afterEach(() => {
  rmSync(parent, { recursive: true });
});

const folderWith = (name: string, files: Readonly<Record<string, unknown>>): string => {
  const folder = path.join(parent, name);
  const all = {
    'tokenizer.json': {},
    'tokenizer_config.json': {},
    'config.json': { hidden_size: 8 },
    'model.onnx': {},
    ...files,
  };
  for (const [file, value] of Object.entries(all)) {
    if (value === null) continue;
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), JSON.stringify(value));
  }
  return folder;
};

describe('a folder', () => {
  it('says its pooling, its length and what stands in front of texts', () => {
    const e5 = readOnnxFolder(
      folderWith('multilingual-e5-small', {
        'config.json': { hidden_size: 384, max_position_embeddings: 514, model_type: 'xlm-roberta' },
        'tokenizer_config.json': { model_max_length: 1e30 },
      }),
      NOTHING_SET,
    );
    expect(e5.model).toMatchObject({ dimensions: 384, maxTokens: 512, pooling: 'mean', file: 'model.onnx' });
    expect(e5.prefixes).toEqual({ query: 'query: ', document: 'passage: ' });
    const bge = readOnnxFolder(
      folderWith('mine', {
        'config.json': { hidden_size: 8, _name_or_path: 'BAAI/bge-small-en-v1.5' },
        'sentence_bert_config.json': { max_seq_length: 128 },
      }),
      { query: 'Search for:', document: null },
    );
    expect(bge.model).toMatchObject({ pooling: 'cls', maxTokens: 128 });
    expect(bge.prefixes).toEqual({ query: 'Search for: ', document: '' });
    const told = readOnnxFolder(
      folderWith('e5-other', {
        '1_Pooling/config.json': { pooling_mode_cls_token: true },
        'config_sentence_transformers.json': { prompts: { query: 'Q: ', passage: 'P: ' } },
      }),
      NOTHING_SET,
    );
    expect(told.model.pooling).toBe('cls');
    expect(told.prefixes).toEqual({ query: 'Q: ', document: 'P: ' });
  });

  it('that lacks something is refused with what it lacks', () => {
    const read = (name: string, files: Readonly<Record<string, unknown>>) => () =>
      readOnnxFolder(folderWith(name, files), NOTHING_SET);
    expect(() => readOnnxFolder(path.join(parent, 'none'), NOTHING_SET)).toThrow('there is no such folder');
    expect(read('a', { 'model.onnx': null })).toThrow('it has none of');
    expect(read('b', { 'tokenizer.json': null })).toThrow('it has no tokenizer.json');
    expect(read('c', { 'config.json': {} })).toThrow('no hidden_size');
    expect(read('d', { '1_Pooling/config.json': { pooling_mode_max_tokens: true } })).toThrow('its pooling');
  });
});

/** The model in this package beside another tokenizer: one of single pieces, as XLM-R has. */
const withPieces = (): string => {
  const folder = path.join(parent, 'pieces');
  mkdirSync(folder);
  for (const name of ['model_int8.onnx', 'config.json'])
    copyFileSync(path.join(builtinModelDir(), name), path.join(folder, name));
  const pieces = [
    '<s>',
    '<pad>',
    '</s>',
    '<unk>',
    '▁',
    '▁der',
    '▁Pegel',
    '▁Pe',
    'gel',
    '▁ist',
    '▁hoch',
    'e',
    'l',
  ];
  const special = (id: number) => ({ id: pieces[id], ids: [id], tokens: [pieces[id]] });
  const tokenizer = {
    added_tokens: [0, 1, 2, 3].map((id) => ({ id, content: pieces[id], special: true, normalized: false })),
    normalizer: { type: 'NFKC' },
    pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', add_prefix_space: true },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '<s>', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '</s>', type_id: 0 } },
      ],
      pair: [],
      special_tokens: { '<s>': special(0), '</s>': special(2) },
    },
    decoder: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always', add_prefix_space: true },
    model: { type: 'Unigram', unk_id: 3, vocab: pieces.map((piece, n) => [piece, -n / 10]) },
  };
  writeFileSync(path.join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  writeFileSync(path.join(folder, 'tokenizer_config.json'), '{"eos_token":"</s>","unk_token":"<unk>"}');
  return folder;
};

describe('models of other folders', () => {
  it('have tokenizers of single pieces as well', async () => {
    const { model } = readOnnxFolder(withPieces(), NOTHING_SET);
    const loaded = await loadSentenceModel(model);
    expect(loaded.tokenIds('der Pegel ist hoch')).toEqual([0, 5, 6, 9, 10, 2]);
    expect(loaded.tokenIds('der 水')).toContain(3);
    const long = loaded.tokenIds('der Pegel '.repeat(2_000));
    expect(long).toHaveLength(model.maxTokens);
    expect([long[0], long.at(-1)]).toEqual([0, 2]);
    const { vector } = await loaded.embed('der Pegel ist hoch');
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  });

  it('give the vectors of the built-in one for its own folder, with a prefix by purpose', async () => {
    const folder = path.join(parent, 'own');
    mkdirSync(folder);
    for (const name of ['model_int8.onnx', 'config.json', 'tokenizer.json', 'tokenizer_config.json'])
      writeFileSync(path.join(folder, name), readFileSync(path.join(builtinModelDir(), name)));
    const read = readOnnxFolder(folder, { query: 'query:', document: null });
    const own = createThreadedEmbedder({ id: 'onnx/own', ...read });
    const builtin = createBuiltinEmbedder();
    try {
      const [question] = (await own.embed(['how high is the water'], undefined, { purpose: 'query' }))
        .vectors;
      const [passage] = (await own.embed(['The gauge rose.'], undefined, { purpose: 'document' })).vectors;
      const same = await builtin.embed(['query: how high is the water', 'The gauge rose.']);
      expect(question).toEqual(same.vectors[0]);
      expect(passage).toEqual(same.vectors[1]);
    } finally {
      await Promise.all([own.close(), builtin.close()]);
    }
  });
});
