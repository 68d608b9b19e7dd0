import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import type { Caller } from '../../kernel/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import { looksSecret } from '../../kernel/text-signs.ts';
import type { AgentTool, ToolAnnotations, ToolContext, ToolOutcome, ToolSource } from '../../kernel/tools.ts';
import { personalScope } from './access.rules.ts';
import type { EntityStore } from './entities.store.ts';
import type { EntityMention, Extracted } from './facts.rules.ts';
import { speakerOf } from './observe.ts';
import { type PayingWho, type Recall, taintOfFacts } from './recall.ts';
import type { FactSource } from './records.ts';
import type { RelationStore } from './relations.store.ts';
import type { Remember } from './remember.ts';
import { cleanText, MAX_NAME, MAX_TEXT, MAX_TYPE } from './rules.ts';
import { type MemoryService, observationOf } from './service.ts';
import { untilItStands } from './store-faults.ts';

/** The memory as agents see it. They act as the caller, in the caller's own memory; what is shared they can read. */

export interface ToolParts {
  service: MemoryService;
  entities: EntityStore;
  relations: RelationStore;
  remember: Remember;
  recall: Recall;
  clock: Clock;
}

const WRITES: ToolAnnotations = { readOnly: false, destructive: false, idempotent: true, openWorld: false };
const READS: ToolAnnotations = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const FORGETS: ToolAnnotations = { readOnly: false, destructive: true, idempotent: true, openWorld: false };

const Name = (description: string) =>
  Type.String({ minLength: 1, maxLength: MAX_NAME, pattern: '\\S', description });
const SELF = /^(?:the )?(?:user|me|i|myself|self)$/i;

const ok = (content: string, structured?: unknown): ToolOutcome => ({ content, isError: false, structured });
const refused = (content: string): ToolOutcome => ({ content, isError: true });

const sourceOf = (context: ToolContext): FactSource => ({
  kind: context.tainted ? 'untrusted' : 'agent',
  messageId: null,
  conversationId: context.conversationId,
  userId: context.caller.userId,
});

/** Of what is done in a marked run only after the person has said yes: it counts as their word. */
const confirmedSource = (context: ToolContext): FactSource => ({ ...sourceOf(context), kind: 'agent' });

const payingOf = ({ caller: { tenantId, userId }, paying }: ToolContext): PayingWho => ({
  tenantId,
  userId,
  run: paying,
});

const tool = <S extends TSchema>(definition: {
  name: string;
  description: string;
  input: S;
  annotations: ToolAnnotations;
  permission: 'memory:read' | 'memory:write';
  /** It changes or deletes what the user said: nothing that foreign text could bring an agent to do unasked. */
  personal?: true;
  run(args: Static<S>, context: ToolContext): Promise<ToolOutcome>;
}): AgentTool => ({
  server: 'pentarch',
  name: definition.name,
  description: definition.description,
  inputSchema: Object.fromEntries(Object.entries(definition.input)),
  annotations: definition.annotations,
  permission: definition.permission,
  taint: [],
  ...(definition.personal === undefined ? {} : { personal: definition.personal }),
  call: async (args, context) => {
    context.signal.throwIfAborted();
    if (!Value.Check(definition.input, args)) return refused('The arguments do not fit the tool’s schema.');
    return definition.run(args, context);
  },
});

const strict = { additionalProperties: false };

export const createMemoryTools = (parts: ToolParts): ToolSource => {
  const { service, entities, relations, remember, recall, clock } = parts;

  const mentionOf = async (
    caller: Caller,
    name: string,
    type: string | undefined,
  ): Promise<EntityMention | null> => {
    if (SELF.test(name.trim())) return null;
    const known = await entities.byName(personalScope(caller), name, type ?? null);
    return { name: known?.name ?? name.trim(), entityType: type ?? known?.entityType ?? 'thing' };
  };

  /** Id of an entity to tie a relation to: one that is there, or a new one in the caller's memory. */
  const endOf = async (caller: Caller, name: string, type: string | undefined, source: FactSource) => {
    const mention = await mentionOf(caller, name, type);
    const speaker = speakerOf(caller);
    const known =
      mention === null ? null : await entities.byName(personalScope(caller), mention.name, type ?? null);
    if (known !== null) return { id: known.id, name: known.name };
    const made = await entities.upsert(
      {
        tenantId: caller.tenantId,
        owner: caller.userId,
        name: mention?.name ?? speaker.name,
        entityType: mention?.entityType ?? 'person',
        importance: null,
        subjectUserId: mention === null ? caller.userId : null,
      },
      [],
      source,
      clock.now(),
    );
    return { id: made.id, name: mention?.name ?? speaker.name };
  };

  const apply = (context: ToolContext, findings: readonly Extracted[], source = sourceOf(context)) =>
    remember.apply(speakerOf(context.caller), findings, source);

  const tools: readonly AgentTool[] = [
    tool({
      name: 'remember_fact',
      description:
        'Keeps a lasting fact for later conversations. entity is "user" for facts about the user, else the name of the person, organisation, project or thing. fact is a short predicate, e.g. "works at Acme".',
      input: Type.Object(
        {
          entity: Name('"user", or a name'),
          entity_type: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: MAX_TYPE,
              description: 'person, organization, project, place, event, thing',
            }),
          ),
          fact: Type.String({ minLength: 1, maxLength: MAX_TEXT, pattern: '\\S' }),
        },
        strict,
      ),
      annotations: WRITES,
      permission: 'memory:write',
      async run(args, context) {
        const text = cleanText(args.fact);
        if (looksSecret(text))
          return refused('Not kept: passwords, keys and card numbers do not belong in memory.');
        const subject = await mentionOf(context.caller, args.entity, args.entity_type);
        const said = observationOf(text, subject?.name ?? 'user');
        // A statement that came in with foreign content must not end what the user said: it takes no slot.
        const attribute = context.tainted ? null : said.attribute;
        const done = await apply(context, [
          {
            kind: 'fact',
            subject,
            text: said.text,
            attribute,
            category: said.category,
            importance: 0.5,
            relation: null,
          },
        ]);
        await recall.embedPending(payingOf(context)).catch(() => 0);
        return ok(
          done.added > 0 ? `Remembered: ${subject?.name ?? 'the user'} — ${text}` : 'This was known already.',
        );
      },
    }),
    tool({
      name: 'recall',
      description:
        'Finds remembered facts of the user and of the organisation. Use it before answering about the user or people, projects and things they know.',
      input: Type.Object(
        {
          query: Type.String({ minLength: 1, maxLength: 4096, pattern: '\\S' }),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'default 10' })),
        },
        strict,
      ),
      annotations: READS,
      permission: 'memory:read',
      async run(args, context) {
        const facts = await recall.recall(payingOf(context), args.query, args.limit ?? 10);
        if (facts.length === 0) return ok('Nothing is remembered about this.', { facts: [] });
        const found = ok(facts.map((fact) => `- ${fact.text}`).join('\n'), {
          facts: facts.map((fact) => ({
            entity_id: fact.entityId,
            entity: fact.entityName,
            fact: fact.statement,
            score: fact.score,
          })),
        });
        return { ...found, taint: taintOfFacts(facts) };
      },
    }),
    tool({
      name: 'relate',
      description:
        'Ties two entities of the memory by a relation such as works_at, manages, part_of, married_to. Entities that are not known yet are made. Use "user" for the user.',
      input: Type.Object(
        {
          from: Name('"user", or a name'),
          relation_type: Type.String({ minLength: 1, maxLength: MAX_TYPE, pattern: '\\S' }),
          to: Name('"user", or a name'),
          from_type: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TYPE })),
          to_type: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TYPE })),
        },
        strict,
      ),
      annotations: WRITES,
      permission: 'memory:write',
      personal: true,
      async run(args, context) {
        const source = confirmedSource(context);
        return untilItStands(async () => {
          const from = await endOf(context.caller, args.from, args.from_type, source);
          const to = await endOf(context.caller, args.to, args.to_type, source);
          if (from.id === to.id) return refused('An entity cannot be tied to itself.');
          const now = clock.now();
          const { created } = await relations.add(
            {
              tenantId: context.caller.tenantId,
              owner: context.caller.userId,
              fromEntityId: from.id,
              toEntityId: to.id,
              relationType: args.relation_type,
              properties: {},
              validFrom: now,
              validTo: null,
            },
            source,
            now,
          );
          return ok(
            `${created ? 'Remembered' : 'Known already'}: ${from.name} ${args.relation_type} ${to.name}`,
          );
        });
      },
    }),
    tool({
      name: 'correct_fact',
      description:
        'Corrects what is remembered: the statement with the wrong words ends (it stays as history) and the right one holds from now on.',
      input: Type.Object(
        {
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
        },
        strict,
      ),
      annotations: WRITES,
      permission: 'memory:write',
      personal: true,
      async run(args, context) {
        const done = await apply(
          context,
          [{ kind: 'replace', before: cleanText(args.wrong), after: cleanText(args.right) }],
          confirmedSource(context),
        );
        return done.added > 0
          ? ok(`Corrected: ${args.wrong} → ${args.right}`)
          : refused('No remembered fact of the user has these words.');
      },
    }),
    tool({
      name: 'forget',
      description:
        'Deletes remembered facts of the user for good: those that have all words of the topic, or a whole entity by its name. Only when the user asks for it.',
      input: Type.Object({ topic: Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' }) }, strict),
      annotations: FORGETS,
      permission: 'memory:write',
      personal: true,
      async run(args, context) {
        const done = await apply(context, [
          { kind: 'forget', words: cleanText(args.topic), everything: false },
        ]);
        return ok(done.forgotten > 0 ? `Forgotten: ${args.topic}` : 'Nothing of this kind was remembered.');
      },
    }),
    tool({
      name: 'memory_graph',
      description: 'Shows what an entity of the memory is tied to, in up to three steps.',
      input: Type.Object(
        { entity: Name('"user", or a name'), depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 3 })) },
        strict,
      ),
      annotations: READS,
      permission: 'memory:read',
      async run(args, context) {
        const scope = personalScope(context.caller);
        const start = SELF.test(args.entity.trim())
          ? await entities.self(scope)
          : await entities.byName(scope, args.entity, null);
        if (start === null)
          return ok('Nothing is remembered under this name.', { entities: [], relations: [] });
        // Without the reach of an operator's role: an agent sees what is the user's own or shared.
        const graph = await service.graph(
          { ...context.caller, roles: ['user'] },
          { entity_id: start.id, depth: args.depth },
        );
        const names = new Map(graph.entities.map((entity) => [entity.id, entity.name]));
        const lines = [
          ...graph.entities.map((entity) => {
            const held = entity.observations.filter(
              (o) => o.valid_to === null && o.source.kind !== 'untrusted',
            );
            return `${entity.name} (${entity.entity_type})${
              held.length > 0
                ? `: ${held
                    .slice(-5)
                    .map((o) => cleanText(o.text).slice(0, 200))
                    .join('; ')}`
                : ''
            }`;
          }),
          ...graph.relations.map(
            (r) => `${names.get(r.from_entity_id)} ${r.relation_type} ${names.get(r.to_entity_id)}`,
          ),
        ];
        const foreign = graph.entities.some(
          (entity) =>
            entity.visibility === 'tenant' ||
            entity.observations.some(
              ({ source }) =>
                source.user !== context.caller.userId ||
                source.kind === 'import' ||
                source.kind === 'untrusted',
            ),
        );
        return {
          ...ok(lines.slice(0, 100).join('\n').slice(0, 16_000), graph),
          taint: foreign ? ['memory'] : [],
        };
      },
    }),
  ];

  /** Agents whose work is the memory get all; the others read, and keep what they are told. */
  const common = new Set(['remember_fact', 'recall']);
  return {
    fixed: true,
    list: (caller, agentId) =>
      tools.filter(
        (one) =>
          caller.permissions.has(one.permission) &&
          (agentId === null ||
            agentId === 'memorix' ||
            agentId === 'hestia' ||
            agentId === 'zeus' ||
            common.has(one.name)),
      ),
  };
};
