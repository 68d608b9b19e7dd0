/**
 * The part of node-llama-cpp 3.21 that is used. It is an optional peer: not installed with the platform, so its types are not
 * there either, and what `import` gives is looked at before it is believed.
 */
export type ChatItem =
  | { type: 'system' | 'user'; text: string }
  | { type: 'model'; response: (string | FunctionCallItem)[] };

/** A call of an earlier step with what it gave. */
export interface FunctionCallItem {
  type: 'functionCall';
  name: string;
  params: unknown;
  result: unknown;
}

export type Functions = Record<string, { description: string; params: Record<string, unknown> }>;

export interface GenerateOptions {
  onTextChunk(text: string): void;
  signal: AbortSignal;
  stopOnAbortSignal: true;
  maxTokens: number;
  temperature: number;
  functions?: Functions;
  documentFunctionParams?: true;
  maxParallelFunctionCalls?: number;
}

export interface LlamaChat {
  generateResponse(
    history: ChatItem[],
    options: GenerateOptions,
  ): Promise<{
    response: string;
    functionCalls?: readonly { functionName: string; params: unknown }[] | undefined;
    metadata: { stopReason: string };
  }>;
  dispose(): void;
}

interface Disposable {
  dispose(): Promise<void>;
}

export interface LlamaContext extends Disposable {
  readonly contextSize: number;
  getSequence(): unknown;
}

export interface LlamaModel extends Disposable {
  /** Window that the model was trained for, in tokens. */
  readonly trainContextSize: number;
  /** What stands in the head of the file. */
  readonly fileInfo?: { metadata?: { tokenizer?: { chat_template?: unknown } } };
  tokenize(text: string): readonly number[];
  createContext(options: { contextSize: { max: number }; threads: number }): Promise<LlamaContext>;
}

export interface Llama extends Disposable {
  loadModel(options: { modelPath: string }): Promise<LlamaModel>;
}

export interface LlamaRuntime {
  getLlama(options: {
    build: 'never';
    progressLogs: false;
    logLevel: 'error';
    skipDownload: true;
    maxThreads: number;
  }): Promise<Llama>;
  LlamaChat: new (options: { contextSequence: unknown }) => LlamaChat;
}

export const PACKAGE = 'node-llama-cpp';
export const PACKAGE_VERSION = '3.21.1';

const isRuntime = (value: unknown): value is LlamaRuntime =>
  typeof value === 'object' &&
  value !== null &&
  'getLlama' in value &&
  typeof value.getLlama === 'function' &&
  'LlamaChat' in value &&
  typeof value.LlamaChat === 'function';

/** Null where the package is not installed. Throws where it is there and cannot be used. */
export const loadRuntime = async (name: string = PACKAGE): Promise<LlamaRuntime | null> => {
  let loaded: unknown;
  try {
    loaded = await import(name);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ERR_MODULE_NOT_FOUND' && error instanceof Error && error.message.includes(`'${name}'`))
      return null;
    throw error;
  }
  if (!isRuntime(loaded)) throw new Error(`the package ${name} is not of the version ${PACKAGE_VERSION}`);
  return loaded;
};
