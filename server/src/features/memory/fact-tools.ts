import { Type } from 'typebox';
import { defineTool, READS, refused, said, WRITES } from '../../kernel/define-tool.ts';
import { Strict } from '../../kernel/schema.ts';
import { looksSecret } from '../../kernel/text-signs.ts';
import type { AgentTool } from '../../kernel/tools.ts';
import { observationOf } from './observation.ts';
import { speakerOf } from './observe.ts';
import { taintOfFacts } from './recall.ts';
import type { Remembered } from './remember.ts';
import { cleanText, MAX_TEXT, MAX_TYPE } from './rules.ts';
import { confirmedSource, FORGETS, Name, payingOf, sourceOf } from './tool-form.ts';
import type { ToolMentions } from './tool-mentions.ts';
import type { ApplyFindings, ToolParts } from './tool-parts.ts';

/** Tools that keep, find, correct and forget facts. */

const applying =
  ({ remember }: Pick<ToolParts, 'remember'>): ApplyFindings =>
  (context, findings, source = sourceOf(context)) =>
    remember.apply(speakerOf(context.caller), findings, source);

export const rememberTool = (parts: ToolParts, { mentionOf }: Pick<ToolMentions, 'mentionOf'>): AgentTool => {
  const apply = applying(parts);
  return defineTool({
    name: 'remember_fact',
    description:
      'Keeps a lasting fact for later conversations. entity is "user" for facts about the user, else the name of the person, organisation, project or thing. fact is a short predicate, e.g. "works at Acme".',
    input: Strict({
      entity: Name('"user", or a name'),
      entity_type: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: MAX_TYPE,
          description: 'person, organization, project, place, event, thing',
        }),
      ),
      fact: Type.String({ minLength: 1, maxLength: MAX_TEXT, pattern: '\\S' }),
    }),
    annotations: WRITES,
    permission: 'memory:write',
    taint: [],
    async run(args, context) {
      const text = cleanText(args.fact);
      if (looksSecret(text))
        return refused('Not kept: passwords, keys and card numbers do not belong in memory.');
      const subject = await mentionOf(context.caller, args.entity, args.entity_type);
      const statement = observationOf(text, subject?.name ?? 'user');
      // A statement that came in with foreign content must not end what the user said: it takes no slot.
      const attribute = context.tainted ? null : statement.attribute;
      const done = await apply(context, [
        {
          kind: 'fact',
          subject,
          text: statement.text,
          attribute,
          category: statement.category,
          importance: 0.5,
          relation: null,
        },
      ]);
      await parts.recall.embedPending(payingOf(context)).catch(() => 0);
      return said(
        done.added > 0 ? `Remembered: ${subject?.name ?? 'the user'} — ${text}` : 'This was known already.',
      );
    },
  });
};

export const recallTool = ({ recall }: Pick<ToolParts, 'recall'>): AgentTool =>
  defineTool({
    name: 'recall',
    description:
      'Finds remembered facts of the user and of the organisation. Use it before answering about the user or people, projects and things they know.',
    input: Strict({
      query: Type.String({ minLength: 1, maxLength: 4096, pattern: '\\S' }),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'default 10' })),
    }),
    annotations: READS,
    permission: 'memory:read',
    taint: [],
    async run(args, context) {
      const facts = await recall.recall(payingOf(context), args.query, args.limit ?? 10);
      if (facts.length === 0) return said('Nothing is remembered about this.', { facts: [] });
      const found = said(facts.map((fact) => `- ${fact.text}`).join('\n'), {
        facts: facts.map((fact) => ({
          entity_id: fact.entityId,
          entity: fact.entityName,
          fact: fact.statement,
          score: fact.score,
        })),
      });
      return { ...found, taint: taintOfFacts(facts) };
    },
  });

export const correctTool = (parts: Pick<ToolParts, 'remember'>): AgentTool => {
  const apply = applying(parts);
  return defineTool({
    name: 'correct_fact',
    description:
      'Corrects what is remembered: the statement with the wrong words ends (it stays as history) and the right one holds from now on.',
    input: Strict({
      wrong: Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '\\S',
        description: 'The wrong words, as they stand in the remembered fact',
      }),
      right: Type.String({
        minLength: 1,
        maxLength: 200,
        pattern: '\\S',
        description: 'What stands in their place',
      }),
    }),
    annotations: WRITES,
    permission: 'memory:write',
    taint: [],
    personal: true,
    async run(args, context) {
      const done = await apply(
        context,
        [{ kind: 'replace', before: cleanText(args.wrong), after: cleanText(args.right) }],
        confirmedSource(context),
      );
      return done.added > 0
        ? said(`Corrected: ${args.wrong} → ${args.right}`)
        : refused('No remembered fact of the user has these words.');
    },
  });
};

const MAX_LISTED = 20;

const listed = (texts: readonly string[]): string =>
  [...new Set(texts)]
    .slice(0, MAX_LISTED)
    .map((text) => `- ${text.replace(/^(?:said|noted): /, '')}`)
    .join('\n');

/** What was forgotten; where nothing was meant for certain, what may have been. */
export const forgottenWords = (done: Pick<Remembered, 'forgottenTexts' | 'perhaps'>): string =>
  done.forgottenTexts.length > 0
    ? `Forgotten:\n${listed(done.forgottenTexts)}`
    : done.perhaps.length > 0
      ? `Nothing is forgotten yet: it is not certain what is meant. These come close; say "forget" with the words of the one that shall go:\n${listed(done.perhaps)}`
      : 'Nothing of this kind was remembered.';

export const forgetTool = (parts: Pick<ToolParts, 'remember'>): AgentTool => {
  const apply = applying(parts);
  return defineTool({
    name: 'forget',
    description:
      'Deletes remembered facts of the user for good: what has the words of the topic, or a whole entity by its full name. The answer lists what is gone, or what may be meant. Only when the user asks for it.',
    input: Strict({ topic: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }) }),
    annotations: FORGETS,
    permission: 'memory:write',
    taint: [],
    personal: true,
    async run(args, context) {
      const done = await apply(context, [
        { kind: 'forget', words: cleanText(args.topic), everything: false },
      ]);
      return said(forgottenWords(done));
    },
  });
};
