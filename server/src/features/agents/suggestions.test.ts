import { describe, expect, test } from 'vitest';
import { callerOf } from '../../../test/support/memory.ts';
import { testStores } from '../../../test/support/stores.ts';
import {
  AGENTS,
  createAgentService,
  createAgentStore,
  createSuggestionStore,
  createSuggestions,
} from './index.ts';

const PAGE = { page: 1, limit: 10, after: null };

describe.each(testStores)('suggestions on $name', ({ open }) => {
  const house = async () => {
    const { db, drop } = await open();
    const clock = { now: () => 1_000 };
    const agents = createAgentService({
      cluster: { alone: true },
      definitions: AGENTS,
      seats: {},
      store: createAgentStore(db),
      clock,
      figures: () => Promise.resolve(new Map()),
      modelAvailable: () => true,
      modelExists: () => true,
    });
    return {
      agents,
      suggestions: createSuggestions({ store: createSuggestionStore(db), agents, clock }),
      drop,
    };
  };
  const ann = callerOf('ann');
  const boss = callerOf('boss', 'operator');
  const stranger = callerOf('zoe', 'admin', 't2');
  const input = { agentId: 'athena', instruction: ' Be brief. ', reason: null, conversationId: null };

  test('two decisions at once: one wins, the text is added once', async () => {
    const { agents, suggestions, drop } = await house();
    try {
      await agents.patch('t1', 'athena', { instructions: 'Say please.' });
      const { suggestion } = await suggestions.suggest(ann, input);
      const done = await Promise.allSettled([1, 2, 3].map(() => suggestions.accept(boss, suggestion.id)));
      expect(done.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
      expect((await agents.find('t1', 'athena'))?.instructions).toBe('Say please.\nBe brief.');
    } finally {
      await drop();
    }
  });

  test('the same text is open once; another tenant sees nothing of it', async () => {
    const { suggestions, drop } = await house();
    try {
      const first = await suggestions.suggest(ann, input);
      expect(await suggestions.suggest(boss, input)).toEqual({
        suggestion: first.suggestion,
        created: false,
      });
      expect(await suggestions.list(boss, { status: 'open' }, PAGE)).toMatchObject({ total: 1 });
      expect(await suggestions.list(stranger, {}, PAGE)).toMatchObject({ total: 0 });
      await expect(suggestions.accept(stranger, first.suggestion.id)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
      expect(await suggestions.reject(boss, first.suggestion.id)).toMatchObject({
        status: 'rejected',
        decided_by: 'boss',
      });
    } finally {
      await drop();
    }
  });

  test('what would not fit stays open', async () => {
    const { agents, suggestions, drop } = await house();
    try {
      await agents.patch('t1', 'athena', { instructions: 'x'.repeat(15_999) });
      const { suggestion } = await suggestions.suggest(ann, input);
      await expect(suggestions.accept(boss, suggestion.id)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect(await suggestions.list(boss, { status: 'open' }, PAGE)).toMatchObject({ total: 1 });
    } finally {
      await drop();
    }
  });
});
