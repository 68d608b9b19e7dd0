import { PREFERENCE_NAMES, PREFERENCES, preferenceFact } from 'pentarch-memory-patterns';
import { Type } from 'typebox';
import type { Caller } from '../../kernel/caller.ts';
import { defineTool, READS, refused, said, toolSource, WRITES } from '../../kernel/define-tool.ts';
import { Strict, StringEnum } from '../../kernel/schema.ts';
import { looksSecret } from '../../kernel/text-signs.ts';
import type { ToolSource } from '../../kernel/tools.ts';
import { speakerOf } from './observe.ts';
import { type RecalledFact, taintOfFacts } from './recall.ts';
import type { Remember } from './remember.ts';
import { cleanText } from './rules.ts';

/** Preferences as Hestia sets them: statements of the memory, one value for each name, which every agent is told. */

export const preferenceTools = (parts: {
  remember: Remember;
  preferences(caller: Caller): Promise<RecalledFact[]>;
}): ToolSource =>
  toolSource([
    defineTool({
      name: 'get_preferences',
      description:
        'Lists what is kept of how the person who asks wants to be answered and what they like: language, tone, length, units, time zone and the like.',
      input: Strict({}),
      annotations: READS,
      permission: 'memory:read',
      async run(_args, { caller }) {
        const facts = await parts.preferences(caller);
        const preferences = facts.map((fact) => fact.text);
        const text = preferences.map((one) => `- ${one}`).join('\n');
        return {
          ...said(text === '' ? 'No preferences are set.' : text, { preferences }),
          taint: taintOfFacts(facts),
        };
      },
    }),
    defineTool({
      name: 'set_preference',
      description:
        'Sets how the person who asks wants to be answered, for all agents and later conversations. A new value takes the place of the old one; "other" keeps several.',
      input: Strict({
        name: StringEnum(PREFERENCE_NAMES, {
          description: Object.entries(PREFERENCES)
            .map(([name, { about }]) => `${name}: ${about}`)
            .join('; '),
        }),
        value: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }),
      }),
      annotations: WRITES,
      permission: 'memory:write',
      taint: [],
      personal: true,
      async run(args, context) {
        const value = cleanText(args.value);
        if (looksSecret(value)) return refused('Not kept: secrets do not belong into preferences.');
        const fact = preferenceFact(args.name, value);
        if (typeof fact === 'string') return refused(fact);
        const done = await parts.remember.apply(speakerOf(context.caller), [fact], {
          kind: 'agent',
          messageId: null,
          conversationId: context.conversationId,
          userId: context.caller.userId,
        });
        const name = args.name.replaceAll('_', ' ');
        return said(done.added > 0 ? `Set: ${name} = ${value}` : `This was set already: ${name} = ${value}`, {
          name: args.name,
          value,
          changed: done.added > 0,
        });
      },
    }),
  ]);
