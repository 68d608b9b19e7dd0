import { describe, expect, it } from 'vitest';
import type { MeteredEmbedder } from '../../kernel/embedder.ts';
import { AGENTS } from './definitions.ts';
import { createRouter } from './router.ts';

/** Meaning that says nothing: the words and the documents decide. */
const flat: MeteredEmbedder = {
  id: 'flat',
  dimensions: 2,
  local: true,
  embed: (_payer, texts) =>
    Promise.resolve({ vectors: texts.map(() => new Float32Array([1, 0])), tokens: texts.length }),
};

const chosen = async (text: string, documentsFit: number): Promise<string> => {
  const router = createRouter({ agents: AGENTS, embedder: flat });
  const enabled = new Set(AGENTS.map((agent) => agent.id));
  const choice = await router.choose({
    payer: { tenantId: 't', userId: 'u' },
    text,
    enabled,
    previousAgentId: null,
    documentsFit: () => Promise.resolve(documentsFit),
  });
  return choice.agentId;
};

describe('router', () => {
  const ferry = 'When does the ferry leave on Sundays?';

  it('gives a question that the documents surely answer to athena, whatever its words point to', async () => {
    expect(await chosen(ferry, 0.1)).toBe('chronos');
    expect(await chosen(ferry, 1)).toBe('athena');
  });

  it('leaves a clear question to its specialist where the documents only touch on it', async () => {
    expect(await chosen(ferry, 0.5)).toBe('chronos');
  });

  it.each([
    'After how many months is a mooring rope replaced?',
    'How many months does a mooring rope last?',
    '東京タワーの高さは？',
    'How much does a ferry ticket cost?',
  ])('gives %j to athena where the documents answer', async (question) => {
    expect(await chosen(question, 0.7)).toBe('athena');
  });

  it.each([
    ['How much did we spend this month?', 'prometheus'],
    ['How much of the budget is left?', 'prometheus'],
    ['What time is it in Tokyo?', 'chronos'],
  ])('leaves %j to %s, however well the documents fit', async (question, agent) => {
    expect(await chosen(question, 1)).toBe(agent);
  });

  it('leaves an order to its specialist, however well the documents fit', async () => {
    expect(await chosen('Remind me tomorrow at nine to call the dentist', 1)).toBe('chronos');
  });
});
