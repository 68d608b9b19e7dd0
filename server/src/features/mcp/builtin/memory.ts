import type { Caller } from '../../../kernel/caller.ts';
import { type BuiltinServer, type BuiltinTool, jsonResult, textResult } from '../builtin-runtime.ts';

/** The platform's knowledge graph, by names, as the public MCP memory server has it. The memory feature implements it. */
export interface GraphMemory {
  /** Makes entities, or joins observations to those that exist. */
  remember(
    caller: Caller,
    entities: readonly { name: string; entityType: string; observations: readonly string[] }[],
  ): Promise<GraphEntity[]>;
  /** Adds facts to entities that exist, of whatever type; throws NOT_FOUND for one that does not. */
  observe(
    caller: Caller,
    additions: readonly { entityName: string; contents: readonly string[] }[],
  ): Promise<{ entityName: string; addedObservations: string[] }[]>;
  relate(caller: Caller, relations: readonly GraphRelation[]): Promise<GraphRelation[]>;
  /** Entities whose name, type or observations fit, with the relations between them. */
  search(caller: Caller, query: string, limit: number): Promise<Graph>;
  open(caller: Caller, names: readonly string[]): Promise<Graph>;
  read(caller: Caller, limit: number): Promise<Graph>;
  /** How many were there to be deleted. */
  forget(caller: Caller, names: readonly string[]): Promise<number>;
  forgetObservations(
    caller: Caller,
    deletions: readonly { entityName: string; observations: readonly string[] }[],
  ): Promise<number>;
  unrelate(caller: Caller, relations: readonly GraphRelation[]): Promise<number>;
}

export interface GraphEntity {
  name: string;
  entityType: string;
  observations: string[];
}

export interface GraphRelation {
  from: string;
  to: string;
  relationType: string;
}

export interface Graph {
  entities: GraphEntity[];
  relations: GraphRelation[];
}

const name = { type: 'string', minLength: 1, maxLength: 500 };
const observations = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 10_000 },
  maxItems: 200,
};
const entity = {
  type: 'object',
  properties: { name, entityType: { type: 'string', minLength: 1, maxLength: 200 }, observations },
  required: ['name', 'entityType', 'observations'],
  additionalProperties: false,
};
const relation = {
  type: 'object',
  properties: { from: name, to: name, relationType: { type: 'string', minLength: 1, maxLength: 200 } },
  required: ['from', 'to', 'relationType'],
  additionalProperties: false,
};

const schema = (properties: Record<string, unknown>): Record<string, unknown> => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((key) => key !== 'limit'),
  additionalProperties: false,
});

const list = (items: unknown): Record<string, unknown> => ({
  type: 'array',
  items,
  minItems: 1,
  maxItems: 100,
});
/** An entity's name and a list of its facts. */
const facts = (field: string): Record<string, unknown> => ({
  type: 'object',
  properties: { entityName: name, [field]: observations },
  required: ['entityName', field],
  additionalProperties: false,
});
const limit = { type: 'integer', minimum: 1, maximum: 200, description: 'Most entities; 50 when left out' };

const READ = { readOnlyHint: true, openWorldHint: false };
const WRITE = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const DELETE = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

/** `Args` is what `inputSchema` has checked before the call. */
const tool = <Args>(
  definition: Omit<BuiltinTool, 'title' | 'outputSchema' | 'call'>,
  call: (args: Args, caller: Caller) => Promise<Record<string, unknown> | string>,
): BuiltinTool => ({
  ...definition,
  title: null,
  outputSchema: null,
  async call(args, { caller }) {
    const result = await call(args as Args, caller);
    return typeof result === 'string' ? textResult(result) : jsonResult(result);
  },
});

const read = 'memory:read';
const write = 'memory:write';

export const createMemoryServer = (memory: GraphMemory): BuiltinServer => ({
  name: 'memory',
  title: 'Memory',
  version: '1.0.0',
  tools: [
    tool<{ query: string; limit?: number }>(
      {
        name: 'search_nodes',
        description: 'Entities of the knowledge graph that fit a text, with the relations between them',
        inputSchema: schema({ query: { type: 'string', minLength: 1, maxLength: 1_000 }, limit }),
        annotations: READ,
        permission: read,
      },
      async (args, caller) => ({ ...(await memory.search(caller, args.query, args.limit ?? 50)) }),
    ),
    tool<{ names: string[] }>(
      {
        name: 'open_nodes',
        description: 'Entities of the knowledge graph by their names',
        inputSchema: schema({ names: list(name) }),
        annotations: READ,
        permission: read,
      },
      async (args, caller) => ({ ...(await memory.open(caller, args.names)) }),
    ),
    tool<{ limit?: number }>(
      {
        name: 'read_graph',
        description: 'The knowledge graph, newest entities first',
        inputSchema: schema({ limit }),
        annotations: READ,
        permission: read,
      },
      async (args, caller) => ({ ...(await memory.read(caller, args.limit ?? 50)) }),
    ),
    tool<{ entities: GraphEntity[] }>(
      {
        name: 'create_entities',
        description: 'Writes entities; those that exist get the new observations',
        inputSchema: schema({ entities: list(entity) }),
        annotations: WRITE,
        permission: write,
      },
      async (args, caller) => ({ entities: await memory.remember(caller, args.entities) }),
    ),
    tool<{ relations: GraphRelation[] }>(
      {
        name: 'create_relations',
        description: 'Writes relations between entities, in active voice',
        inputSchema: schema({ relations: list(relation) }),
        annotations: WRITE,
        permission: write,
      },
      async (args, caller) => ({ relations: await memory.relate(caller, args.relations) }),
    ),
    tool<{ observations: { entityName: string; contents: string[] }[] }>(
      {
        name: 'add_observations',
        description: 'Adds facts to entities that exist',
        inputSchema: schema({ observations: list(facts('contents')) }),
        annotations: WRITE,
        permission: write,
      },
      async (args, caller) => ({ observations: await memory.observe(caller, args.observations) }),
    ),
    tool<{ entityNames: string[] }>(
      {
        name: 'delete_entities',
        description: 'Deletes entities and their relations',
        inputSchema: schema({ entityNames: list(name) }),
        annotations: DELETE,
        permission: write,
      },
      async (args, caller) => `${await memory.forget(caller, args.entityNames)} deleted`,
    ),
    tool<{ deletions: { entityName: string; observations: string[] }[] }>(
      {
        name: 'delete_observations',
        description: 'Deletes facts of entities',
        inputSchema: schema({ deletions: list(facts('observations')) }),
        annotations: DELETE,
        permission: write,
      },
      async (args, caller) => `${await memory.forgetObservations(caller, args.deletions)} deleted`,
    ),
    tool<{ relations: GraphRelation[] }>(
      {
        name: 'delete_relations',
        description: 'Deletes relations between entities',
        inputSchema: schema({ relations: list(relation) }),
        annotations: DELETE,
        permission: write,
      },
      async (args, caller) => `${await memory.unrelate(caller, args.relations)} deleted`,
    ),
  ],
});
