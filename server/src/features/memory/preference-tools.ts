import { Type } from 'typebox';
import type { Caller } from '../../kernel/caller.ts';
import { defineTool, READS, refused, said, toolSource, WRITES } from '../../kernel/define-tool.ts';
import { Strict, StringEnum } from '../../kernel/schema.ts';
import type { ToolSource } from '../../kernel/tools.ts';
import { speakerOf } from './observe.ts';
import { PREFERENCE_NAMES, PREFERENCES, preferenceFact } from './preferences.rules.ts';
import type { Remember } from './remember.ts';
import { cleanText, looksSecret } from './rules.ts';

/** Preferences as Hestia sets them: statements of the memory, one value for each name, which every agent is told. */

export const preferenceTools = (parts: {
  remember: Remember;
  preferences(caller: Caller): Promise<string[]>;
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
        const preferences = await parts.preferences(caller);
        return said(
          preferences.length === 0
            ? 'No preferences are set.'
            : preferences.map((text) => `- ${text}`).join('\n'),
          { preferences },
        );
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
      async run(args, context) {
        if (context.tainted)
          return refused(
            'Not done: this run has read foreign content, and preferences follow the user’s own words alone. The user can ask for it in a new message.',
          );
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
