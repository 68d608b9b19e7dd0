import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseVote } from './prompt.rules.ts';

describe('a vote', () => {
  it('is taken only in its whole form', () => {
    const good = '{"vote":"reject","reason":"x","confidence":1,"veto_reason":"compliance"}';
    expect(parseVote('aegis', good)).toEqual({
      vote: 'reject',
      reason: 'x',
      confidence: 1,
      veto: 'compliance',
    });
    expect(parseVote('athena', good)?.veto).toBeNull();
    for (const bad of [
      '',
      'approve',
      '[]',
      '{"vote":"approve"}',
      '{"vote":"APPROVE","reason":"x"}',
      '{"vote":"approve","reason":" "}',
      '{"vote":"approve","reason":"x","confidence":"1"}',
      '{"vote":"reject","reason":"x","veto_reason":"because"}',
    ]) {
      expect(parseVote('aegis', bad), bad).toBeNull();
    }
    fc.assert(fc.property(fc.string(), (text) => void parseVote('aegis', text)));
  });
});
