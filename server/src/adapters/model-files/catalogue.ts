/**
 * A short list of models that are known to be of use here. Sizes and checksums are not in it: the hub says them at the time of
 * the pull (decision 0234).
 */
export interface CatalogueEntry {
  name: string;
  kind: 'gguf' | 'onnx';
  /** At the hub, as owner/name. */
  repo: string;
  /** For `gguf` the model file; for `onnx` the hub's listing decides. */
  file: string | null;
  licence: string;
  /** One line for people who choose. */
  about: string;
}

export const CATALOGUE: readonly CatalogueEntry[] = [
  {
    name: 'qwen2.5-0.5b',
    kind: 'gguf',
    repo: 'Qwen/Qwen2.5-0.5B-Instruct-GGUF',
    file: 'qwen2.5-0.5b-instruct-q4_k_m.gguf',
    licence: 'Apache-2.0',
    about: 'tries the setup on any machine; makes things up',
  },
  {
    name: 'qwen2.5-1.5b',
    kind: 'gguf',
    repo: 'Qwen/Qwen2.5-1.5B-Instruct-GGUF',
    file: 'qwen2.5-1.5b-instruct-q4_k_m.gguf',
    licence: 'Apache-2.0',
    about: 'short answers from documents with 4 GB of memory; many languages',
  },
  {
    name: 'smollm2-1.7b',
    kind: 'gguf',
    repo: 'HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF',
    file: 'smollm2-1.7b-instruct-q4_k_m.gguf',
    licence: 'Apache-2.0',
    about: 'as the one before, in English only',
  },
  {
    name: 'qwen3-4b',
    kind: 'gguf',
    repo: 'Qwen/Qwen3-4B-GGUF',
    file: 'Qwen3-4B-Q4_K_M.gguf',
    licence: 'Apache-2.0',
    about: 'calls tools and answers from documents with 8 GB of memory; many languages',
  },
  {
    name: 'qwen3-8b',
    kind: 'gguf',
    repo: 'Qwen/Qwen3-8B-GGUF',
    file: 'Qwen3-8B-Q4_K_M.gguf',
    licence: 'Apache-2.0',
    about: 'the best of this list, with 12 GB of memory and patience or a graphics card',
  },
  {
    name: 'multilingual-e5-small',
    kind: 'onnx',
    repo: 'Xenova/multilingual-e5-small',
    file: null,
    licence: 'MIT',
    about: 'search by meaning in some 100 languages (EMBEDDING_MODEL=builtin-multilingual)',
  },
];
