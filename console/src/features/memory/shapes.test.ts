import type { MemoryEntity, MemoryGraph } from 'pentarch-sdk';
import { describe, expect, it } from 'vitest';
import { HUES, labelOf, matchesOf, textOfValue, typedValue, typesOf } from './shapes.ts';

const entity = (name: string, type: string, facts: readonly string[] = []): MemoryEntity => ({
  id: name,
  name,
  entity_type: type,
  visibility: 'private',
  owner_id: 'me',
  importance: 0.5,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  observations: facts.map((text) => ({
    id: text,
    text,
    source: { kind: 'api', message_id: null, conversation_id: null, user: 'me' },
    created_at: '2026-01-01T00:00:00.000Z',
    valid_from: '2026-01-01T00:00:00.000Z',
    valid_to: null,
  })),
});
const graph: MemoryGraph = {
  entities: [entity('Ada', 'person', ['Likes Tee']), entity('Teekanne', 'project'), entity('Bo', 'person')],
  relations: [],
  truncated: false,
};

describe('the memory page', () => {
  it('draws a name as one line of data', () => {
    expect(labelOf('Ada\u202e\n<b>x</b>')).toBe('Ada <b>x</b>');
    expect([...labelOf('👋'.repeat(60))]).toHaveLength(32);
  });
  it('gives the most frequent types a hue, in an order that stays', () => {
    const types = typesOf([...'hgfedcba', 'h'].map((type) => ({ entity_type: type })));
    expect(types.map(({ type }) => type).join('')).toBe('habcdefg');
    expect(types.map(({ hue }) => hue)).toEqual([1, 2, 3, 4, 5, 6, HUES, 0]);
  });
  it('searches names and facts in any case, within a type', () => {
    expect(matchesOf(graph, '', '')).toBeNull();
    expect([...(matchesOf(graph, 'tee', '') ?? [])]).toEqual(['Ada', 'Teekanne']);
    expect([...(matchesOf(graph, 'TEE', 'Person') ?? [])]).toEqual(['Ada']);
    expect(matchesOf(graph, 'nothing', '')?.size).toBe(0);
  });
  it('takes properties as JSON or as text, and shows them so that they can be sent back', () => {
    for (const value of ['plain', '12', 12, true, null, { a: [1] }, '"quoted"'])
      expect(typedValue(textOfValue(value))).toEqual(value);
  });
});
