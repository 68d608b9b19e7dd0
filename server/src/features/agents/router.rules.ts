import { bounded } from 'pentarch-prose';
import type { AgentDefinition } from './definitions.ts';

/**
 * The cheap half of the built-in router: words of the request against words of each agent's examples, charter and
 * keywords, as naive Bayes with a uniform prior and add-one smoothing over a shared vocabulary (Manning, Raghavan and
 * Schütze, Introduction to Information Retrieval, section 13.2). Costs microseconds; where it is unsure, embeddings decide.
 */

const STOP_WORDS = new Set(
  'a an the of to in on at for and or is are was were be been do does did i me my we our us you your it its this that these those with by from as not no so if then than can could would should will shall may might have has had please'.split(
    ' ',
  ),
);

export const routingWordsOf = (text: string): string[] =>
  (
    text
      .toLowerCase()
      .normalize('NFKC')
      .match(/[\p{L}\p{N}][\p{L}\p{N}’'-]*/gu) ?? []
  )
    .map((word) => (word.length > 4 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word))
    .filter((word) => !STOP_WORDS.has(word));

export interface Classifier {
  /** Scores that add up to 1, best first; empty when no word of the text is known. */
  classify(text: string): { agentId: string; score: number }[];
}

const KEYWORD_WEIGHT = 4;
const CHARTER_WEIGHT = 0.3;

export const createClassifier = (agents: readonly AgentDefinition[]): Classifier => {
  const counts = agents.map((agent) => {
    const words = new Map<string, number>();
    const add = (text: string, weight: number): void => {
      for (const word of routingWordsOf(text)) words.set(word, (words.get(word) ?? 0) + weight);
    };
    for (const example of agent.examples) add(example, 1);
    add(agent.charter, CHARTER_WEIGHT);
    add(agent.domain, 1);
    for (const keyword of agent.keywords) add(keyword, KEYWORD_WEIGHT);
    let total = 0;
    for (const count of words.values()) total += count;
    return { id: agent.id, words, total };
  });
  const vocabulary = new Set(counts.flatMap((agent) => [...agent.words.keys()]));

  return {
    classify(text) {
      const known = [...new Set(routingWordsOf(text))].filter((word) => vocabulary.has(word));
      if (known.length === 0) return [];
      const logs = counts.map((agent) => {
        let log = 0;
        for (const word of known) {
          log += Math.log(((agent.words.get(word) ?? 0) + 0.1) / (agent.total + 0.1 * vocabulary.size));
        }
        return { agentId: agent.id, log };
      });
      const best = Math.max(...logs.map((entry) => entry.log));
      const sum = logs.reduce((total, entry) => total + Math.exp(entry.log - best), 0);
      return logs
        .map((entry) => ({ agentId: entry.agentId, score: Math.exp(entry.log - best) / sum }))
        .sort((a, b) => b.score - a.score);
    },
  };
};

/** Dot product of normalised vectors = cosine similarity. */
export const similarity = (a: Float32Array, b: Float32Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] ?? 0) * (b[i] ?? 0);
  return sum;
};

/**
 * Softmax over each agent's similarity (mean of its three closest examples), sharpened so that a lead of 0.1 in cosine
 * counts clearly.
 */
export const scoreByExamples = (
  query: Float32Array,
  examples: readonly { agentId: string; vector: Float32Array }[],
): { agentId: string; score: number }[] => {
  const byAgent = new Map<string, number[]>();
  for (const { agentId, vector } of examples) {
    const list = byAgent.get(agentId) ?? [];
    list.push(similarity(query, vector));
    byAgent.set(agentId, list);
  }
  const raw = [...byAgent].map(([agentId, list]) => {
    const top = list.sort((a, b) => b - a).slice(0, 3);
    return { agentId, value: (2 * (top[0] ?? 0) + (top[1] ?? 0) + (top[2] ?? 0)) / 4 };
  });
  const best = Math.max(...raw.map((entry) => entry.value));
  const weights = raw.map((entry) => ({
    agentId: entry.agentId,
    score: Math.exp((entry.value - best) * 18),
  }));
  const sum = weights.reduce((total, entry) => total + entry.score, 0);
  return weights
    .map((entry) => ({ agentId: entry.agentId, score: entry.score / sum }))
    .sort((a, b) => b.score - a.score);
};

/** Weighted mean of two score lists over the same agents. */
export const blend = (
  a: readonly { agentId: string; score: number }[],
  b: readonly { agentId: string; score: number }[],
  weightOfA: number,
): { agentId: string; score: number }[] => {
  const scores = new Map<string, number>();
  for (const { agentId, score } of a) scores.set(agentId, (scores.get(agentId) ?? 0) + weightOfA * score);
  for (const { agentId, score } of b)
    scores.set(agentId, (scores.get(agentId) ?? 0) + (1 - weightOfA) * score);
  return [...scores].map(([agentId, score]) => ({ agentId, score })).sort((x, y) => y.score - x.score);
};

export const looksLikeQuestion = (text: string): boolean =>
  /[?？]\s*$/.test(text) ||
  /^\s*(who|whom|whose|what|when|where|why|which|how|is|are|was|were|does|do|did|can|could|should|has|have|wer|was|wann|wo|warum|wie|welche)\b/i.test(
    text,
  );

/**
 * Questions about the platform's own data or about the moment, which documents cannot know however well their words fit:
 * what was spent, what the time is, what the agents do, what the person set up or said.
 */
const MAX_ASKED = 2_000;
const PLATFORM: readonly RegExp[] = [
  /\b(?:what(?:'s|’s| is| was)? (?:the )?(?:current |local |exact )?(?:time|date|day)(?: is it| now| today|[?]|$| in\b)|what (?:time|day|date) (?:is it|is today)|how late is it|wie sp[äa]t ist es|welcher tag ist)/i,
  bounded(
    MAX_ASKED,
    /\b(?:i|we|you|us|our|my|your|agents?|models?|platform|pentarch|tenant|organi[sz]ation)\b.{0,80}\b(?:spen[dt]|spending|costs?|usage|tokens?|budgets?|quotas?|bill|requests|runs)\b/i,
  ),
  bounded(
    MAX_ASKED,
    /\b(?:spen[dt]|spending|costs?|usage|tokens?|budgets?|requests|runs)\b.{0,80}\b(?:i|we|us|our|my|agents?|models?|platform|so far|left|today|yesterday|(?:this|last) (?:day|week|month|year))\b/i,
  ),
  bounded(
    MAX_ASKED,
    /\b(?:my|our|me|i|we|open|pending|failed|unread|upcoming)\b.{0,60}\b(?:permissions?|roles?|reminders?|tasks?|schedules?|notifications?|alerts?|preferences?|settings|sessions?|log-?ins?|sign-?ins?|memor(?:y|ies)|approvals?|proposals?|api keys?|webhooks?)\b/i,
  ),
  /\b(?:do|did|can|could|will|would|are|have) you\b|\byou (?:know|remember)\b|\b(?:did|have) i (?:tell|told|say|said|mention)/i,
  /\b(?:zeus|athena|hermes|aegis|chronos|hephaestus|prometheus|iris|memorix|morpheus|mcp|agents)\b/i,
];

export const asksThePlatform = (text: string): boolean =>
  PLATFORM.some((pattern) => pattern.test(text.slice(0, MAX_ASKED)));
