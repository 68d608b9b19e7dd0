import { LRUCache } from 'lru-cache';
import type { EmbeddingPayer, MeteredEmbedder } from '../../kernel/embedder.ts';
import { AppError } from '../../kernel/errors.ts';
import { ModelError } from '../../kernel/model.ts';
import type { AgentDefinition } from './definitions.ts';
import {
  asksThePlatform,
  blend,
  createClassifier,
  looksLikeQuestion,
  scoreByExamples,
} from './router.rules.ts';

/**
 * Chooses the agent for a message without a model: words first, embeddings of example requests where the words are
 * unsure, and a look whether the documents answer. Results are cached by text.
 */
export interface RouteChoice {
  agentId: string;
  reason: string;
  /** 0–1. */
  confidence: number;
  candidates: { agent_id: string; score: number }[];
}

export interface RouterOptions {
  agents: readonly AgentDefinition[];
  embedder: MeteredEmbedder;
  /** Gets faults of the embedder: words alone then decide. */
  onError?(error: unknown, message: string): void;
}

export interface RoutingInput {
  /** Pays where the embedder costs something. */
  payer: EmbeddingPayer;
  text: string;
  /** Agents that are switched on for the tenant. */
  enabled: ReadonlySet<string>;
  /** Agent of the last answer in this conversation: an unclear follow-up stays with it. */
  previousAgentId: string | null;
  /** 0–1: how well the best passage of the caller's documents fits; asked only where it can decide. */
  documentsFit: () => Promise<number>;
}

const SURE = 0.9;
/** From this fit on, a question that no specialist claims clearly is taken to be one about the documents. */
const DOCUMENTS_FIT = 0.5;
/** The same where the words alone surely point to a specialist, as single ones do: "How many months does a rope last?". */
const DOCUMENTS_SURELY_FIT = 0.6;
/** The same of a question that sounds like one about the platform's own data. */
const DOCUMENTS_OUTWEIGH = 0.8;
const CACHE_SIZE = 2_000;

const round = (value: number): number => Math.round(value * 1000) / 1000;

export const createRouter = ({ agents, embedder, onError }: RouterOptions) => {
  const classifier = createClassifier(agents);
  const cache = new LRUCache<string, { scores: { agentId: string; score: number }[]; by: string }>({
    max: CACHE_SIZE,
  });
  let examples: Promise<{ agentId: string; vector: Float32Array }[]> | null = null;

  /** Vectors of the examples: made once for all; who first needs them pays for them. */
  const exampleVectors = (payer: EmbeddingPayer): Promise<{ agentId: string; vector: Float32Array }[]> => {
    examples ??= (async () => {
      const texts = agents.flatMap((agent) => agent.examples.map((text) => ({ agentId: agent.id, text })));
      const { vectors } = await embedder.embed(
        payer,
        texts.map((entry) => entry.text),
      );
      return texts.flatMap((entry, i) => {
        const vector = vectors[i];
        return vector ? [{ agentId: entry.agentId, vector }] : [];
      });
    })();
    // A failed try must not stand for ever: the next request tries again.
    examples.catch(() => {
      examples = null;
    });
    return examples;
  };

  /** Null where the embedder is away or no limit leaves room for it. */
  const scoresByMeaning = async (payer: EmbeddingPayer, text: string) => {
    try {
      // Before the examples, which all runs wait for together: one that must not pay must not wait for one that asks it to.
      if (!embedder.local) await payer.run?.before?.();
      // The examples first: without them the vector of the text would be paid for in vain. They are for every run.
      const vectorsOfExamples = await exampleVectors({ ...payer, run: undefined });
      const { vectors } = await embedder.embed(payer, [text], { urgent: true });
      const query = vectors[0];
      return query === undefined ? null : scoreByExamples(query, vectorsOfExamples);
    } catch (error) {
      if (error instanceof AppError && error.code === 'COST_EXCEEDED') return null;
      if (!(error instanceof ModelError)) throw error;
      onError?.(error, 'a message could not be embedded: its words alone choose the agent');
      return null;
    }
  };

  const scoresOf = async (
    payer: EmbeddingPayer,
    text: string,
  ): Promise<{ scores: { agentId: string; score: number }[]; by: string }> => {
    const known = cache.get(text);
    if (known) return known;
    const byWords = classifier.classify(text);
    let result = { scores: byWords, by: 'its words' };
    if ((byWords[0]?.score ?? 0) < SURE) {
      const byMeaning = await scoresByMeaning(payer, text);
      // Not kept: the next time the embedder may answer.
      if (byMeaning === null) return result;
      result = {
        scores: byWords.length === 0 ? byMeaning : blend(byWords, byMeaning, 0.4),
        by: 'its meaning',
      };
    }
    cache.set(text, result);
    return result;
  };

  return {
    /** Computes the vectors of the examples ahead of the first unclear message, where that costs nobody anything. */
    warm: async (payer: EmbeddingPayer): Promise<void> => {
      if (embedder.local) await exampleVectors(payer);
    },

    async choose(input: RoutingInput): Promise<RouteChoice> {
      const { scores, by } = await scoresOf(input.payer, input.text.slice(0, 1_000));
      const open = scores.filter((entry) => input.enabled.has(entry.agentId));
      const candidates = open
        .slice(0, 3)
        .map((entry) => ({ agent_id: entry.agentId, score: round(entry.score) }));
      const best = open[0];
      const choice = (agentId: string, reason: string, confidence: number): RouteChoice => ({
        agentId,
        reason,
        confidence: round(confidence),
        candidates,
      });
      if (best?.agentId === 'athena') return choice('athena', `${by} point to the documents`, best.score);
      const sure = best !== undefined && best.score >= SURE;
      if (input.enabled.has('athena') && looksLikeQuestion(input.text)) {
        const platform = asksThePlatform(input.text);
        const claimed = sure && best.agentId !== 'zeus';
        const enough = platform ? DOCUMENTS_OUTWEIGH : claimed ? DOCUMENTS_SURELY_FIT : DOCUMENTS_FIT;
        const fit = platform && claimed ? 0 : await input.documentsFit();
        if (fit >= enough) return choice('athena', 'the documents speak about this', fit);
      }
      if (best !== undefined && best.score >= 0.3)
        return choice(best.agentId, `${by} point to ${best.agentId}`, best.score);
      if (input.previousAgentId !== null && input.enabled.has(input.previousAgentId)) {
        return choice(
          input.previousAgentId,
          'the conversation goes on with the same agent',
          best?.score ?? 0,
        );
      }
      const fallback = input.enabled.has('zeus')
        ? 'zeus'
        : (open[0]?.agentId ?? [...input.enabled][0] ?? 'zeus');
      return choice(fallback, 'nothing points clearly to a specialist', best?.score ?? 0);
    },
  };
};

export type Router = ReturnType<typeof createRouter>;
