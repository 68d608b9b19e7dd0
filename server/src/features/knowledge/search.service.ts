import { LRUCache } from 'lru-cache';
import { fileNamesIn } from 'pentarch-prose';
import { ModelError } from '../../kernel/model.ts';
import type { ToolPassage } from '../../kernel/tools.ts';
import type { ChargedRerank } from './embedding.ts';
import type { Candidate, PassageIndex, SemanticCandidate } from './passage-index.ts';
import type { Passage, SearchFilters, SearchMemories } from './ports.ts';
import {
  createQueryVectors,
  type OnRefusal,
  type PayingScope,
  type QueryVectorDeps,
  refusedCost,
} from './query-vectors.ts';
import { clamp01, highlight, interleave, rankPassages } from './rules.ts';
import { inSearchSpan } from './search-span.ts';
import { queryTerms } from './terms.rules.ts';

export interface SearchDeps extends QueryVectorDeps {
  index: PassageIndex;
  /** A second look at the best passages; null without a model for it. */
  rerank: ChargedRerank | null;
  searchMemories: SearchMemories | null;
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

/** Passages that a reranker looks at, at least. */
const RERANKED = 40;

const MAX_RANKED_AGAIN = 5;

/** Tenants that are not asked again whether they have documents. */
const MAX_FILLED = 1_000;

interface Candidates {
  /** Best first. */
  lexical: Candidate[];
  /** For each vector asked with. */
  semantic: SemanticCandidate[][];
}

export type SearchService = ReturnType<typeof createSearchService>;

/** Hybrid search: BM25 and vectors, joined by reciprocal rank. */
export const createSearchService = (deps: SearchDeps) => {
  const { store, index } = deps;
  const vectorsOf = createQueryVectors(deps);
  const filled = new LRUCache<string, true>({ max: MAX_FILLED });

  /** Where there is none, no query is embedded (and paid) for. */
  const hasDocuments = async (tenantId: string): Promise<boolean> => {
    if (filled.has(tenantId)) return true;
    const some = await store.hasDocuments(tenantId);
    if (some) filled.set(tenantId, true);
    return some;
  };

  const candidates = async (
    scope: PayingScope,
    query: string,
    limit: number,
    filters: SearchFilters | null,
    onRefusal: OnRefusal,
  ): Promise<Candidates> => {
    const ask = { scope, filters, depth: depthFor(limit) };
    const byMeaning = async (): Promise<SemanticCandidate[][]> => {
      const vectors = await vectorsOf(scope, query, onRefusal);
      try {
        return await index.byVectors(ask, vectors);
      } catch (error) {
        // The vectors of an earlier model go when its last document has been indexed again.
        const left = await vectorsOf(scope, query, onRefusal);
        if (left.length === vectors.length) throw error;
        return index.byVectors(ask, left);
      }
    };
    // Words are ranked while the query is embedded.
    const [lexical, semantic] = await Promise.all([index.byWords(ask, queryTerms(query)), byMeaning()]);
    return { lexical, semantic };
  };

  interface Ranking {
    hits: (SearchHit & { coverage: number })[];
    bestSimilarity: number;
    /** Something that was ranked went away before it could be read. */
    moved: boolean;
  }

  const rank = async (
    scope: PayingScope,
    query: string,
    limit: number,
    filters: SearchFilters | null,
    onRefusal: OnRefusal,
  ): Promise<Ranking> => {
    const terms = queryTerms(query);
    const found = await candidates(scope, query, limit, filters, onRefusal);
    const ranked = rankPassages([found.lexical, interleave(found.semantic)]);
    const hits: Ranking['hits'] = [];
    let moved = false;
    for (let at = 0; at < ranked.length && hits.length < limit; at += limit) {
      const part = ranked.slice(at, at + limit);
      const rows = await store.passages(
        scope,
        part.map((r) => r.seq),
      );
      for (const { seq, score } of part) {
        const passage = rows.get(seq);
        if (passage === undefined) moved = true;
        else hits.push({ passage, score, ...highlight(passage.text, terms) });
      }
    }
    const bestSimilarity = Math.max(0, ...found.semantic.map((list) => list[0]?.similarity ?? 0));
    return { hits: hits.slice(0, limit), bestSimilarity, moved };
  };

  /** The order stays as it is when the provider is away. A refused cost is hidden only from an agent's search. */
  const reranked = async (
    scope: PayingScope,
    query: string,
    hits: SearchHit[],
    onRefusal: OnRefusal,
  ): Promise<SearchHit[]> => {
    if (deps.rerank === null || hits.length < 2) return hits;
    try {
      const texts = hits.map(({ passage }) => `${passage.headingPath.join(' › ')}\n${passage.text}`);
      const scores = await deps.rerank(scope, query, texts);
      return hits
        .map((hit, i) => ({ ...hit, score: clamp01(scores[i] ?? 0) }))
        .sort((a, b) => b.score - a.score);
    } catch (error) {
      if (refusedCost(error) && onRefusal === 'words') return hits;
      if (!(error instanceof ModelError)) throw error;
      deps.warn(error, 'the passages could not be reranked: they stay in their first order');
      return hits;
    }
  };

  /**
   * Up to `limit` passages, best first. `score`: the fused rank (1 = first in both lists) times the strength of the best
   * match (the highest cosine or share of the query's words found), so that an answer that knows nothing scores low
   * as a whole while its order stays that of the ranks. With a reranker the best passages have its order and its scores.
   */
  const searched = async (
    scope: PayingScope,
    query: string,
    limit: number,
    filters: SearchFilters | null,
    onRefusal: OnRefusal = 'throw',
  ): Promise<SearchHit[]> => {
    if (!(await hasDocuments(scope.tenantId))) return [];
    // A document whose text was replaced between ranking and reading is ranked again, so that it is not missed.
    const wanted = deps.rerank === null ? limit : Math.max(limit, RERANKED);
    let ranking = await rank(scope, query, wanted, filters, onRefusal);
    for (let again = 0; ranking.moved && again < MAX_RANKED_AGAIN; again++) {
      ranking = await rank(scope, query, wanted, filters, onRefusal);
    }
    const { hits, bestSimilarity } = ranking;
    const coverage = Math.max(0, ...hits.slice(0, 10).map((hit) => hit.coverage));
    const strength = clamp01(Math.max(bestSimilarity, coverage, 0.01));
    const fused = hits.map(({ passage, score, highlights }) => ({
      passage,
      score: score * strength,
      highlights,
    }));
    return (await reranked(scope, query, fused, onRefusal)).slice(0, limit);
  };

  const passages: typeof searched = (scope, query, limit, filters, onRefusal) =>
    inSearchSpan({ query, limit, tenantId: scope.tenantId }, () =>
      searched(scope, query, limit, filters, onRefusal),
    );

  return {
    passages,

    /** Documents and, on request, memories in one order. */
    async search(ask: {
      scope: PayingScope;
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

    /**
     * For the agent loop: passages that an answer may cite; by words alone where no limit leaves room for the query. What
     * names files is answered from those files, and with nothing where the person can read none of them.
     */
    async toolPassages(
      scope: PayingScope,
      query: string,
      limit: number,
      filters: SearchFilters | null,
    ): Promise<ToolPassage[]> {
      const names = filters?.documentIds === undefined ? fileNamesIn(query) : [];
      const named = names.length === 0 ? [] : await store.idsByName(scope, names);
      if (names.length > 0 && named.length === 0) return [];
      const narrowed = names.length === 0 ? filters : { ...filters, documentIds: named };
      const hits = await passages(scope, query, limit, narrowed, 'words');
      return hits.map(({ passage, score }) => ({
        documentId: passage.documentId,
        chunkId: passage.chunkId,
        title: passage.title,
        page: passage.page,
        text: passage.text,
        score,
        trusted: passage.trusted,
      }));
    },
  };
};
