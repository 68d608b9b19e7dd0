import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { req } from '../../../test/requirements.ts';
import type { TestChatBody } from '../../../test/support/provider.ts';
import { strictFault } from '../../../test/support/provider-strict.ts';
import { toPrompt } from '../../adapters/models/ai-sdk/prompt.ts';
import { COMPATIBLE_DIALECT, requestBody } from '../../adapters/models/chat-completions/request.ts';
import type { ModelMessage, ToolSpec } from '../../kernel/model.ts';
import { sendable } from './sendable.rules.ts';

const text = fc.oneof(fc.constantFrom('', ' ', '\n\t ', 'a', 'Hello'), fc.string({ maxLength: 20 }));
const id = fc.constantFrom('', 'a', 'b', 'Abc123xyz', 'call_with_a_long_name');
const name = fc.constantFrom('files__read', 'odd name', '', '9lives', 'x'.repeat(80));
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.record({ role: fc.constantFrom('system' as const, 'user' as const), content: text }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: text,
    toolCalls: fc.array(fc.record({ id, name, arguments: fc.constantFrom('', '{}', '{"a":1}', '{"a":') }), {
      maxLength: 3,
    }),
  }),
  fc.record({ role: fc.constant('tool' as const), toolCallId: id, name, content: text }),
);
const history = fc.array(message, { maxLength: 12 });
const TOOL: ToolSpec = { name: 'files__read', description: 'Reads', inputSchema: { type: 'object' } };

const onWire = (messages: ModelMessage[], tools: ToolSpec[]): TestChatBody => {
  const { signal } = new AbortController();
  const body = requestBody({ model: 'm', messages, tools, signal }, false, COMPATIBLE_DIALECT);
  return JSON.parse(body.toString()) as TestChatBody;
};

describe(req('PROV-01', 'what goes to a provider'), () => {
  it('is valid for the strictest, whatever the history', () => {
    fc.assert(
      fc.property(history, fc.boolean(), (messages, hasTools) => {
        const tools = hasTools ? [TOOL] : [];
        const sent = sendable(messages, tools);
        expect(strictFault(onWire(sent, tools))).toBeNull();
        for (const { content } of toPrompt(sent)) {
          if (typeof content === 'string') continue;
          for (const block of content) if (block.type === 'text') expect(block.text.trim()).not.toBe('');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('is left alone where it is valid already, and loses no word that was said', () => {
    fc.assert(
      fc.property(history, (messages) => {
        const sent = sendable(messages, [TOOL]);
        expect(sendable(sent, [TOOL])).toBe(sent);
        const all = sent.map((one) => one.content).join('\n');
        for (const one of messages)
          if (one.role !== 'tool' && one.content.trim() !== '') expect(all).toContain(one.content);
      }),
    );
  });

  it('keeps unanswered questions, empty answers and lost results apart from what was said', () => {
    const call = { id: 'Abc123xyz', name: 'files__read', arguments: '{}' };
    expect(
      sendable(
        [
          { role: 'system', content: 'Rules' },
          { role: 'assistant', content: 'Welcome' },
          { role: 'user', content: 'one' },
          { role: 'assistant', content: ' \n' },
          { role: 'user', content: 'two' },
          { role: 'assistant', content: '', toolCalls: [call] },
          { role: 'user', content: 'three' },
        ],
        [TOOL],
      ),
    ).toEqual([
      { role: 'system', content: 'Rules' },
      { role: 'user', content: '[The conversation begins with an answer.]' },
      { role: 'assistant', content: 'Welcome' },
      { role: 'user', content: 'one\n\ntwo' },
      { role: 'assistant', content: '', toolCalls: [call] },
      {
        role: 'tool',
        toolCallId: 'Abc123xyz',
        name: 'files__read',
        content: '[The result of this call was not kept.]',
      },
      { role: 'assistant', content: '[No answer was given to this.]' },
      { role: 'user', content: 'three' },
    ]);
  });
});
