import { LRUCache } from 'lru-cache';
import type { Scope } from '../../kernel/caller.ts';
import type { EmbeddingPayer } from '../../kernel/embedder.ts';
import { AppError } from '../../kernel/errors.ts';
import { ModelError } from '../../kernel/model.ts';
import type { ChargedEmbedder } from './embedding.ts';
import type { EmbeddingModel, QueryVector } from './passage-index.ts';
import type { KnowledgeStore } from './store.ts';

/** Queries as vectors. */

export interface QueryVectorDeps {
  store: KnowledgeStore;
  embedder: ChargedEmbedder;
  model: EmbeddingModel;
  /** The embedder of a model that documents were indexed with before; null where the settings no longer allow it. */
  earlierEmbedder(model: EmbeddingModel): ChargedEmbedder | null;
  warn(fault: unknown, message: string): void;
}

/** Whose search it is, and the run that pays for it where there is one. */
export type PayingScope = Scope & Pick<EmbeddingPayer, 'run'>;

/** What a search does where no limit leaves room for its models. */
export type OnRefusal = 'throw' | 'words';

export const refusedCost = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'COST_EXCEEDED';

export const createQueryVectors = (deps: QueryVectorDeps) => {
  const { store, embedder, model } = deps;
  const known = new LRUCache<string, Float32Array>({ max: 500 });

  /** Null when the provider is away: words alone still answer. A refused cost is hidden only from an agent's search. */
  const vectorOf = async (
    scope: PayingScope,
    query: string,
    by: ChargedEmbedder,
    of: EmbeddingModel,
    onRefusal: OnRefusal,
  ): Promise<QueryVector | null> => {
    const key = `${of.n}\n${query}`;
    const before = known.get(key);
    if (before !== undefined) return { model: of, vector: before };
    try {
      const [vector] = await by.embed(scope, [query], { urgent: true, purpose: 'query' });
      if (vector === undefined) return null;
      known.set(key, vector);
      return { model: of, vector };
    } catch (error) {
      if (refusedCost(error) && onRefusal === 'words') return null;
      if (!(error instanceof ModelError)) throw error;
      deps.warn(error, 'the query could not be embedded: searching by words alone');
      return null;
    }
  };

  /** By the present model, and by each that some documents still have the vectors of. */
  return async (scope: PayingScope, query: string, onRefusal: OnRefusal): Promise<QueryVector[]> => {
    const earlier = await store.earlierModels(model);
    const found = await Promise.all([
      vectorOf(scope, query, embedder, model, onRefusal),
      ...earlier.map((one) => {
        const by = deps.earlierEmbedder(one);
        return by === null ? null : vectorOf(scope, query, by, one, onRefusal);
      }),
    ]);
    return found.filter((one) => one !== null);
  };
};
