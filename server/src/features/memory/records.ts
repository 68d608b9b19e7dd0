import { iso, isoOrNull } from '../../kernel/clock.ts';
import { decayedImportance, SHARED } from './rules.ts';
import type { EntityView, RelationView, SourceKind } from './schema.ts';

/** What stores hand out and services work with. Times are epoch ms. */
export interface FactSource {
  kind: SourceKind;
  messageId: string | null;
  conversationId: string | null;
  userId: string;
}

export type FactCategory = 'preference' | 'identity' | 'fact';

export interface NewObservation {
  text: string;
  /** Slot of which one value holds at a time; null where many may. */
  attribute: string | null;
  category: FactCategory;
}

export interface ObservationRecord extends NewObservation {
  id: string;
  entityId: string;
  source: FactSource;
  validFrom: number;
  validTo: number | null;
  createdAt: number;
}

export interface EntityRecord {
  id: string;
  tenantId: string;
  /** User id, or `*`. */
  owner: string;
  subjectUserId: string | null;
  name: string;
  entityType: string;
  importance: number;
  usedCount: number;
  usedAt: number;
  createdAt: number;
  updatedAt: number;
  /** Oldest first. */
  observations: ObservationRecord[];
}

export interface RelationRecord {
  id: string;
  tenantId: string;
  owner: string;
  fromEntityId: string;
  toEntityId: string;
  relationType: string;
  properties: Record<string, unknown>;
  validFrom: number;
  validTo: number | null;
  createdAt: number;
  updatedAt: number;
}

const visibilityOf = (owner: string): 'private' | 'tenant' => (owner === SHARED ? 'tenant' : 'private');

export const sourceView = (source: FactSource) => ({
  kind: source.kind,
  message_id: source.messageId,
  conversation_id: source.conversationId,
  user: source.userId,
});

export const entityView = (entity: EntityRecord, nowMs: number): EntityView => ({
  id: entity.id,
  name: entity.name,
  entity_type: entity.entityType,
  visibility: visibilityOf(entity.owner),
  owner_id: entity.owner === SHARED ? null : entity.owner,
  observations: entity.observations.map((o) => ({
    id: o.id,
    text: o.text,
    source: sourceView(o.source),
    created_at: iso(o.createdAt),
    valid_from: iso(o.validFrom),
    valid_to: isoOrNull(o.validTo),
  })),
  importance: decayedImportance(
    { importance: entity.importance, usedCount: entity.usedCount, usedAtMs: entity.usedAt },
    nowMs,
  ),
  created_at: iso(entity.createdAt),
  updated_at: iso(entity.updatedAt),
});

export const relationView = (relation: RelationRecord): RelationView => ({
  id: relation.id,
  from_entity_id: relation.fromEntityId,
  to_entity_id: relation.toEntityId,
  relation_type: relation.relationType,
  properties: relation.properties,
  visibility: visibilityOf(relation.owner),
  valid_from: iso(relation.validFrom),
  valid_to: isoOrNull(relation.validTo),
  created_at: iso(relation.createdAt),
  updated_at: iso(relation.updatedAt),
});
