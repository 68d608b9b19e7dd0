import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../kernel/errors.ts';
import { askedEvent, taintOfConversation } from './asked.rules.ts';
import { namedParent } from './follows.rules.ts';
import { earlierCredential, storedRequestOf } from './queued.rules.ts';
import { createRunEvents } from './run-events.ts';
import { shortSchema } from './short-schema.rules.ts';
import { addSums, addUsage, NO_USAGE } from './usage.rules.ts';

describe('the place of a message in its conversation', () => {
  const parentOf = (request: object): unknown => {
    try {
      return namedParent({ message: 'x', ...request } as Parameters<typeof namedParent>[0]);
    } catch (error) {
      return error instanceof AppError ? error.details : error;
    }
  };

  it('is behind the message that it names, before all others, or at the leaf', () => {
    expect(parentOf({ conversation_id: 'c', parent_message_id: 'm' })).toBe('m');
    expect(parentOf({ conversation_id: 'c', parent_message_id: null })).toBeNull();
    expect(parentOf({ conversation_id: 'c' })).toBeUndefined();
    expect(parentOf({ parent_message_id: null })).toBeUndefined();
    expect(parentOf({})).toBeUndefined();
  });

  it('cannot be named without the conversation', () => {
    expect(parentOf({ parent_message_id: 'm' })).toMatchObject({
      fields: [{ field: '/parent_message_id', reason: 'needs the conversation_id' }],
    });
  });
});

describe('the event of a question', () => {
  const run = {
    conversationId: 'c',
    runId: 'r',
    questionId: 'q',
    parentId: 'p',
    subject: { tenantId: 't', userId: 'u', requestId: 'x' },
  };
  const said = { content: 'Which lamp?', attached: [{ id: 'd', title: 'Lamps' }] };

  it('goes to its person alone, with what the message list shows', () => {
    expect(askedEvent(run, said, [])).toEqual({
      type: 'message.created',
      tenantId: 't',
      userId: 'u',
      reach: 'own',
      permission: 'conversations:read',
      data: {
        conversation_id: 'c',
        run_id: 'r',
        id: 'q',
        parent_id: 'p',
        role: 'user',
        content: 'Which lamp?',
        attachments: [{ document_id: 'd', title: 'Lamps' }],
        tainted: false,
      },
      requestId: 'x',
    });
    const { parentId: _, ...first } = run;
    expect(askedEvent(first, said, ['context'], 'tool').data).toMatchObject({
      parent_id: null,
      role: 'tool',
      tainted: true,
    });
  });

  it('of a conversation has its mark; a new one has none', () => {
    expect(taintOfConversation(null)).toEqual([]);
    expect(taintOfConversation({ taint: '["documents"]', message_count: 2 })).toEqual(['documents']);
    expect(taintOfConversation({ taint: null, message_count: 2 })).toEqual(['earlier']);
  });
});

describe('what a queued run keeps of its request', () => {
  const caller = { permissions: new Set(['b', 'a', 'c']) } as unknown as Parameters<
    typeof storedRequestOf
  >[0];
  const how = { requestId: 'x', streaming: true };

  it('is what its turn needs, without what belongs to new conversations', () => {
    const given = { history: [], metadata: {}, clientInstructions: 'Rhyme.' } as unknown as Parameters<
      typeof storedRequestOf
    >[2]['given'];
    const request = { context: { agent_id: 'zeus' }, parent_message_id: 'm' };
    expect(storedRequestOf(caller, request, { ...how, given })).toEqual({
      v: 1,
      context: { agent_id: 'zeus' },
      streaming: true,
      queued: {
        requestId: 'x',
        given: { clientInstructions: 'Rhyme.' },
        parent: 'm',
        permissions: ['a', 'b', 'c'],
      },
    });
    const bare = storedRequestOf(caller, {}, how);
    expect(bare).toMatchObject({ context: {}, queued: { given: {} } });
    expect(bare.queued).not.toHaveProperty('parent');
    expect(storedRequestOf(caller, { parent_message_id: null }, how).queued.parent).toBeNull();
  });

  it('gives a run of an earlier release what its credential allowed, and no more', () => {
    expect(earlierCredential(storedRequestOf(caller, {}, how))).toEqual({
      v: 1,
      kind: 'jwt',
      keyId: null,
      whole: false,
      permissions: ['a', 'b', 'c'],
      added: [],
    });
  });
});

describe('tokens of a run', () => {
  const some = (n: number) => ({
    input_tokens: n,
    output_tokens: 10 * n,
    cached_input_tokens: 100 * n,
    reasoning_tokens: 1000 * n,
  });

  it('are added kind by kind, and taken away again', () => {
    const call = {
      inputTokens: 3,
      outputTokens: 30,
      cachedInputTokens: 300,
      cacheWriteTokens: 7,
      reasoningTokens: 3000,
      estimated: false,
    };
    expect(addUsage(some(2), call)).toEqual(some(5));
    expect(addSums(some(1), [some(2), some(4)])).toEqual(some(7));
    expect(addSums(some(7), [some(2), some(4)], -1)).toEqual(some(1));
    expect(addSums(NO_USAGE, [])).toEqual(some(0));
  });
});

describe('events of a run that has ended', () => {
  it('are followed to the end at once, and nobody is told of them twice', () => {
    const jumps = [{ at: 1, n: 5 }];
    const events = createRunEvents([{ event: 'run.started', data: {} }], jumps);
    expect(events.jumps()).toBe(jumps);
    expect(events.next()).toBe(5);
    const [early, end] = [vi.fn(), vi.fn()];
    events.follow(0, early, end);
    events.delta('zeus', 'x');
    events.end();
    const late = vi.fn();
    const [, stop] = [vi.fn(), events.follow(0, late, end)];
    expect(late.mock.calls.map(([, n]) => n)).toEqual([1, 5]);
    expect(early.mock.calls).toEqual(late.mock.calls);
    stop();
    events.delta('zeus', 'y');
    events.end();
    expect(late).toHaveBeenCalledTimes(2);
    expect(end).toHaveBeenCalledTimes(2);
  });
});

describe('a schema for a model', () => {
  const INNER = { type: 'string', title: 'T', minLength: 1, maxLength: 9 };
  const SHORT = { type: 'string' };

  it.each(['items', 'additionalProperties', 'not'])('is short within %s', (key) => {
    expect(shortSchema({ [key]: INNER })).toEqual({ [key]: SHORT });
  });
  it.each(['anyOf', 'oneOf', 'allOf'])('is short in each of %s', (key) => {
    expect(shortSchema({ [key]: [INNER, true] })).toEqual({ [key]: [SHORT, true] });
  });
  it.each(['properties', 'patternProperties', '$defs', 'definitions'])(
    'is short for each name of %s',
    (key) => {
      expect(shortSchema({ [key]: { title: INNER, list: true } })).toEqual({
        [key]: { title: SHORT, list: true },
      });
      expect(shortSchema({ [key]: [INNER] })).toEqual({ [key]: [INNER] });
    },
  );

  it.each(['$schema', '$id', '$comment', 'title', 'maxLength', 'maxItems', 'examples'])(
    'does without %s',
    (key) => {
      expect(shortSchema({ type: 'string', [key]: 'x' })).toEqual({ type: 'string' });
    },
  );

  it('keeps what a model has to know of lengths, other properties and patterns', () => {
    const kept = {
      minLength: 2,
      minItems: 3,
      additionalProperties: true,
      pattern: '^a',
      const: 1,
      default: false,
    };
    expect(shortSchema(kept)).toEqual(kept);
    expect(shortSchema({ minLength: 1, minItems: 1, additionalProperties: false, pattern: '\\S' })).toEqual(
      {},
    );
    expect(shortSchema({ items: null, default: { title: 'x' } })).toEqual({
      items: null,
      default: { title: 'x' },
    });
  });
});
