import type { Caller } from '../../kernel/caller.ts';
import type { DoorOptions } from './door.ts';

/** `/v1`: agents as models for programs that speak the OpenAI API. */
export interface OpenAiDoorOptions extends DoorOptions {
  /** One vector for each text, on the caller's ledger. */
  embed(
    caller: Caller,
    texts: readonly string[],
    requestId: string,
  ): Promise<{ vectors: Float32Array[]; tokens: number }>;
  embedder: { id: string; dimensions: number };
  /** Epoch ms of the start of the process: what models call their creation. */
  startedAt: number;
}
