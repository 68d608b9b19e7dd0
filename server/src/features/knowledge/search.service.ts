import { LRUCache } from 'lru-cache';
import type { Scope } from '../../kernel/caller.ts';
import { AppError } from '../../kernel/errors.ts';
import { ModelError } from '../../kernel/model.ts';
import type { ToolPassage } from '../../kernel/tools.ts';
import type { ChargedEmbedder } from './embedding.ts';
import type { EmbeddingModel, PassageIndex } from './passage-index.ts';
import type { Passage, SearchFilters, SearchMemories } from './ports.ts';
import { clamp01, highlight, rankPassages } from './rules.ts';
import type { KnowledgeStore } from './store.ts';
import { queryTerms } from './terms.rules.ts';

export interface SearchDeps {
  store: KnowledgeStore;
  index: PassageIndex;
  embedder: ChargedEmbedder;
  model: EmbeddingModel;
  searchMemories: SearchMemories | null;
  warn(fault: unknown, message: string): void;
}

export interface SearchHit {
  passage: Passage;
  score: number;
  highlights: string[];
}

export type SearchResult =
  | { type: 'document'; hit: SearchHit }
  | {
      type: 'memory';
      score: number;
      id: string;
      title: string;
      content: string;
      metadata: Record<string, unknown>;
      highlights: string[];
    };

/** Places that each ranking gives: enough for `limit` documents with several passages each. */
const depthFor = (limit: number): number => Math.max(200, limit * 4);

export type SearchService = ReturnType<typeof createSearchService>;

/** Hybrid search: BM25 and vectors, joined by reciprocal rank. */
export const createSearchService = (deps: SearchDeps) => {
  const { store, index, embedder, model } = deps;
  const vectors = new LRUCache<string, Float32Array>({ max: 500 });

  /** Null when the provider is away: words alone still answer. A refused cost is hidden only from an agent's search. */
  const vectorOf = async (
    scope: Scope,
    query: string,
    onRefusal: 'throw' | 'words',
  ): Promise<Float32Array | null> => {
    const known = vectors.get(query);
    if (known !== undefined) return known;
    try {
      const [vector] = await embedder.embed(scope, [query], { urgent: true });
      if (vector === undefined) return null;
      vectors.set(query, vector);
      return vector;
    } catch (error) {
      const refused = error instanceof AppError && error.code === 'COST_EXCEEDED';
      if (refused && onRefusal === 'words') return null;
      if (!(error instanceof ModelError)) throw error;
      deps.warn(error, 'the query could not be embedded: searching by words alone');
      return null;
    }
  };

  /**
   * Up to `limit` passages, best first. `score`: the fused rank (1 = first in both lists) times the strength of the best
   * match (the highest cosine or share of the query's words found), so that an answer that knows nothing scores low
   * as a whole while its order stays that of the ranks.
   */
  const passages = async (
    scope: Scope,
    query: string,
    limit: number,
    filters: SearchFilters | null,
    onRefusal: 'throw' | 'words' = 'throw',
  ): Promise<SearchHit[]> => {
    const terms = queryTerms(query);
    const vector = await vectorOf(scope, query, onRefusal);
    const found = await index.candidates({ scope, filters, terms, vector, model, depth: depthFor(limit) });
    const ranked = rankPassages([found.lexical, found.semantic]);
    // A few more than asked: what was deleted since the ranking drops out here.
    const rows = await store.passages(
      scope,
      ranked.slice(0, limit + 20).map((r) => r.seq),
    );
    const hits: (SearchHit & { coverage: number })[] = [];
    for (const { seq, score } of ranked) {
      const passage = rows.get(seq);
      if (passage === undefined) continue;
      hits.push({ passage, score, ...highlight(passage.text, terms) });
      if (hits.length === limit) break;
    }
    const coverage = Math.max(0, ...hits.slice(0, 10).map((hit) => hit.coverage));
    const strength = clamp01(Math.max(found.semantic[0]?.similarity ?? 0, coverage, 0.01));
    return hits.map(({ passage, score, highlights }) => ({ passage, score: score * strength, highlights }));
  };

  return {
    passages,

    /** Documents and, on request, memories in one order. */
    async search(ask: {
      scope: Scope;
      query: string;
      limit: number;
      filters: SearchFilters | null;
      includeMemories: boolean;
    }): Promise<SearchResult[]> {
      const { scope, query, limit } = ask;
      const [hits, memories] = await Promise.all([
        passages(scope, query, limit, ask.filters),
        ask.includeMemories && deps.searchMemories ? deps.searchMemories(scope, query, limit) : [],
      ]);
      const terms = queryTerms(query);
      const results: SearchResult[] = [
        ...hits.map((hit) => ({ type: 'document' as const, hit })),
        ...memories.map((memory) => ({
          type: 'memory' as const,
          ...memory,
          score: clamp01(memory.score),
          highlights: highlight(memory.content, terms).highlights,
        })),
      ];
      const scoreOf = (result: SearchResult): number =>
        result.type === 'document' ? result.hit.score : result.score;
      return results.sort((a, b) => scoreOf(b) - scoreOf(a)).slice(0, limit);
    },

    /** For the agent loop: passages that an answer may cite; by words alone where no limit leaves room for the query. */
    async toolPassages(
      scope: Scope,
      query: string,
      limit: number,
      filters: SearchFilters | null,
    ): Promise<ToolPassage[]> {
      const hits = await passages(scope, query, limit, filters, 'words');
      return hits.map(({ passage, score }) => ({
        documentId: passage.documentId,
        chunkId: passage.chunkId,
        title: passage.title,
        page: passage.page,
        text: passage.text,
        score,
      }));
    },
  };
};
