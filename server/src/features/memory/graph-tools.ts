import { Type } from 'typebox';
import type { Caller } from '../../kernel/caller.ts';
import { defineTool, READS, refused, said, WRITES } from '../../kernel/define-tool.ts';
import { Strict } from '../../kernel/schema.ts';
import type { AgentTool } from '../../kernel/tools.ts';
import { personalScope } from './access.rules.ts';
import { cleanText, MAX_TYPE } from './rules.ts';
import type { GraphView } from './schema.ts';
import { untilItStands } from './store-faults.ts';
import { confirmedSource, isSelf, Name } from './tool-form.ts';
import type { ToolMentions } from './tool-mentions.ts';
import type { ToolParts } from './tool-parts.ts';

/** Tools that tie entities and follow what ties them. */

export const relateTool = (
  { relations, clock }: Pick<ToolParts, 'relations' | 'clock'>,
  { endOf }: Pick<ToolMentions, 'endOf'>,
): AgentTool =>
  defineTool({
    name: 'relate',
    description:
      'Ties two entities of the memory by a relation such as works_at, manages, part_of, married_to. Entities that are not known yet are made. Use "user" for the user.',
    input: Strict({
      from: Name('"user", or a name'),
      relation_type: Type.String({ minLength: 1, maxLength: MAX_TYPE, pattern: '\\S' }),
      to: Name('"user", or a name'),
      from_type: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TYPE })),
      to_type: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_TYPE })),
    }),
    annotations: WRITES,
    permission: 'memory:write',
    taint: [],
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
        return said(
          `${created ? 'Remembered' : 'Known already'}: ${from.name} ${args.relation_type} ${to.name}`,
        );
      });
    },
  });

/** What the model reads of a graph: an entity or a relation a line. */
const linesOf = (graph: GraphView): string[] => {
  const names = new Map(graph.entities.map((entity) => [entity.id, entity.name]));
  return [
    ...graph.entities.map((entity) => {
      const held = entity.observations.filter((o) => o.valid_to === null && o.source.kind !== 'untrusted');
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
};

/** Whether somebody else than the caller has said some of it. */
const isForeign = (graph: GraphView, { userId }: Caller): boolean =>
  graph.entities.some(
    (entity) =>
      entity.visibility === 'tenant' ||
      entity.observations.some(
        ({ source }) => source.user !== userId || source.kind === 'import' || source.kind === 'untrusted',
      ),
  );

export const graphTool = ({ service, entities }: Pick<ToolParts, 'service' | 'entities'>): AgentTool =>
  defineTool({
    name: 'memory_graph',
    description: 'Shows what an entity of the memory is tied to, in up to three steps.',
    input: Strict({
      entity: Name('"user", or a name'),
      depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 3 })),
    }),
    annotations: READS,
    permission: 'memory:read',
    taint: [],
    async run(args, context) {
      const scope = personalScope(context.caller);
      const start = isSelf(args.entity)
        ? await entities.self(scope)
        : await entities.byName(scope, args.entity, null);
      if (start === null)
        return said('Nothing is remembered under this name.', { entities: [], relations: [] });
      // Without the reach of an operator's role: an agent sees what is the user's own or shared.
      const graph = await service.graph(
        { ...context.caller, roles: ['user'] },
        { entity_id: start.id, depth: args.depth },
      );
      const lines = linesOf(graph);
      return {
        ...said(lines.slice(0, 100).join('\n').slice(0, 16_000), graph),
        taint: isForeign(graph, context.caller) ? ['memory'] : [],
      };
    },
  });
