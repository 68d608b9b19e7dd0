import { PREFERENCE_NAMES, PREFERENCES, TOLD_PREFERENCES } from 'pentarch-memory-patterns';
import { type Static, Type } from 'typebox';
import {
  AnyObject,
  Nullable,
  Page,
  PageQuery,
  Strict,
  StringEnum,
  Timestamp,
  Uuid,
} from '../../kernel/schema.ts';
import { GRAPH_ENTITIES, MAX_GRAPH_ENTITIES, MAX_NAME, MAX_TEXT, MAX_TYPE, VISIBLE } from './rules.ts';

export const VISIBILITIES = ['private', 'tenant'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

export const SOURCE_KINDS = ['message', 'api', 'agent', 'import', 'merge', 'untrusted'] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

const Filled = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: VISIBLE, description });

export const Source = Type.Object(
  {
    kind: StringEnum(SOURCE_KINDS, {
      description:
        'message: taken from what the user wrote; api, import: given by a client; agent: stored by an agent’s tool; untrusted: the same while foreign content was in its run; merge: made when two entities were joined',
    }),
    message_id: Nullable(Type.String(), { description: 'The message that it was taken from' }),
    conversation_id: Nullable(Type.String()),
    user: Type.String({ description: 'Id of the user who said it' }),
  },
  { description: 'Where a fact comes from' },
);

export const Observation = Type.Object({
  id: Uuid(),
  text: Type.String(),
  source: Source,
  created_at: Timestamp(),
  valid_from: Timestamp(),
  valid_to: Nullable(Timestamp(), {
    description: 'Null while it holds; set when a newer statement took its place',
  }),
});

export const Entity = Type.Object({
  id: Uuid(),
  name: Type.String(),
  entity_type: Type.String(),
  visibility: StringEnum(VISIBILITIES, {
    description: 'private: of one user; tenant: shared with all of the tenant',
  }),
  owner_id: Nullable(Type.String(), {
    description: 'The user whose memory it is; null when the tenant shares it',
  }),
  observations: Type.Array(Observation, { description: 'Oldest first, those that no longer hold included' }),
  importance: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'As it stands now: it fades while it is not used',
  }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});
export type EntityView = Static<typeof Entity>;

export const Preference = Type.Object({
  id: Uuid('Of the observation that keeps it: corrected and deleted there'),
  entity_id: Uuid('The entity of the caller, which holds the observation'),
  name: Nullable(StringEnum(PREFERENCE_NAMES), {
    description: 'Null for what is kept in other words, and for what the person is called',
  }),
  value: Nullable(Type.String(), { description: 'Null where the text has another form' }),
  text: Type.String({ description: 'As the agents read it' }),
  told: Type.Boolean({
    description: `Told to the agents with every message: the newest ${TOLD_PREFERENCES} are`,
  }),
  source: Source,
  created_at: Timestamp(),
});
export type PreferenceView = Static<typeof Preference>;
export const PreferencePage = Page(Preference);
export const PreferenceQuery = Strict(PageQuery);
export const PreferenceInput = Strict({
  name: StringEnum(PREFERENCE_NAMES, {
    description: Object.entries(PREFERENCES)
      .map(([name, { about }]) => `${name}: ${about}`)
      .join('; '),
  }),
  value: Filled(200, 'A new value takes the place of the old one; other keeps several'),
});

export const Relation = Type.Object({
  id: Uuid(),
  from_entity_id: Uuid(),
  to_entity_id: Uuid(),
  relation_type: Type.String(),
  properties: AnyObject(),
  visibility: StringEnum(VISIBILITIES),
  valid_from: Timestamp(),
  valid_to: Nullable(Timestamp()),
  created_at: Timestamp(),
  updated_at: Timestamp(),
});
export type RelationView = Static<typeof Relation>;

const ObservationText = Filled(MAX_TEXT, 'One fact');
/** A text, or an object with it, so that what a list answers can be sent back. */
const ObservationInput = Type.Union([ObservationText, Strict({ text: ObservationText })]);
const ObservationList = Type.Array(ObservationInput, { maxItems: 100 });

export const EntityInput = Strict({
  name: Filled(MAX_NAME, 'Unique by type within its owner'),
  entity_type: Filled(MAX_TYPE, 'person, organization, project, …'),
  observations: Type.Optional(ObservationList),
  importance: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  visibility: Type.Optional(
    StringEnum(VISIBILITIES, { description: 'Default private; tenant needs memory:*' }),
  ),
});

export const EntityPatch = Strict(
  {
    name: Type.Optional(Filled(MAX_NAME, 'New name; 409 when another entity of the type has it')),
    entity_type: Type.Optional(Filled(MAX_TYPE, 'New type')),
    importance: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    visibility: Type.Optional(
      StringEnum(['tenant'], { description: 'Shares an own entity with the tenant; needs memory:*' }),
    ),
  },
  { minProperties: 1 },
);

export const ObservationsInput = Type.Unsafe<{
  text?: string;
  observations?: (string | { text: string })[];
}>({
  ...Strict({
    text: Type.Optional(ObservationText),
    observations: Type.Optional({ ...ObservationList, minItems: 1 }),
  }),
  minProperties: 1,
});

export const ObservationPatch = Strict({ text: ObservationText });
export const MergeInput = Strict({ entity_id: Uuid('The entity that is taken in and then gone') });

export const RelationInput = Strict({
  from_entity_id: Uuid(),
  to_entity_id: Uuid(),
  relation_type: Filled(MAX_TYPE, 'works_at, knows, part_of, …'),
  properties: Type.Optional(AnyObject({ maxProperties: 100 })),
  valid_from: Type.Optional(Timestamp()),
  valid_to: Type.Optional(Nullable(Timestamp())),
  visibility: Type.Optional(
    StringEnum(VISIBILITIES, { description: 'tenant needs memory:* and two shared entities' }),
  ),
});

export const RelationPatch = Strict(
  {
    relation_type: Type.Optional(Filled(MAX_TYPE, 'New type')),
    properties: Type.Optional(AnyObject({ maxProperties: 100 })),
    valid_from: Type.Optional(Timestamp()),
    valid_to: Type.Optional(
      Nullable(Timestamp(), { description: 'Ends the relation; null lets it hold again' }),
    ),
  },
  { minProperties: 1 },
);

/** No store takes a NUL in a text. */
const Word = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000]*$', description });

export const EntityQuery = Strict({
  ...PageQuery,
  q: Type.Optional(Word(200, 'Part of the name or of an observation, in any case')),
  type: Type.Optional(Word(MAX_TYPE, 'Entity type')),
});

export const RelationQuery = Strict({
  ...PageQuery,
  entity_id: Type.Optional(Uuid('Either end of the relation')),
  type: Type.Optional(Word(MAX_TYPE, 'Relation type')),
  at: Type.Optional(Type.String({ format: 'date-time', description: 'Only what holds at this time' })),
});

export const GraphQuery = Strict({
  entity_id: Type.Optional(Uuid('Where to start; all that the caller may read without it')),
  depth: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 3, description: 'Steps from the start (default 1)' }),
  ),
  at: Type.Optional(
    Type.String({ format: 'date-time', description: 'What held at this time (default now)' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_GRAPH_ENTITIES,
      description: `Entities at most (default ${GRAPH_ENTITIES}), with up to five relations for each`,
    }),
  ),
});

export const Graph = Type.Object({
  entities: Type.Array(Entity),
  relations: Type.Array(Relation),
  truncated: Type.Boolean({ description: 'True when more was reachable than is answered' }),
});
export type GraphView = Static<typeof Graph>;

export const ImportQuery = Strict({
  visibility: Type.Optional(
    StringEnum(VISIBILITIES, { description: 'Default private; tenant needs memory:*' }),
  ),
});
export const ImportResult = Type.Object({
  entities: Type.Integer({ description: 'Lines that made an entity or added to one' }),
  relations: Type.Integer({ description: 'Lines that made a relation' }),
  skipped: Type.Integer({ description: 'Lines that could not be read, or said nothing new' }),
});
export type ImportCounts = Static<typeof ImportResult>;

/** Any text: what is no id names no record, so it is 404 like one. */
const AnyId = Word(64, 'Id of the record');
export const IdParams = Strict({ id: AnyId });
export const ObservationParams = Strict({ id: AnyId, observation_id: AnyId });
export const EntityPage = Page(Entity);
export const RelationPage = Page(Relation);
