/** A node of the knowledge graph. Times are epoch ms. */
export interface MemoryEntityRow {
  id: string;
  tenant_id: string;
  /** The user whose memory it is, or `*` for what the tenant shares. */
  owner: string;
  /** Null once the creator's data has been erased. */
  created_by: string | null;
  /** Set on the one entity that stands for its owner: what they say of themselves. */
  subject_user_id: string | null;
  /** The first spelling. */
  name: string;
  /** What names compare by (`foldName` of packages/prose). */
  name_folded: string;
  entity_type: string;
  type_folded: string;
  /** By which way it came to be; the values of observations. */
  source_kind: string;
  /** 0–1, as set; what readers see is decayed from it. */
  importance: number;
  used_count: number;
  used_at: number;
  created_at: number;
  updated_at: number;
}

export interface MemoryObservationRow {
  id: string;
  tenant_id: string;
  entity_id: string;
  /** Who said it. */
  user_id: string;
  text: string;
  text_folded: string;
  /** SHA-256 of `text_folded`. */
  text_key: string;
  /** The slot of a fact that has one value at a time (`employer`, `favourite colour`); null for the others. */
  attribute: string | null;
  /** `preference`, `identity`, `fact`. */
  category: string;
  /** `message`, `api`, `agent`, `import`, `merge`, `untrusted`. */
  source_kind: string;
  message_id: string | null;
  conversation_id: string | null;
  /** float32, little-endian; null until it is asked for the first time. */
  embedding: Uint8Array | null;
  embedding_model: string | null;
  valid_from: number;
  /** Null while it holds. */
  valid_to: number | null;
  created_at: number;
}

export interface MemoryRelationRow {
  id: string;
  tenant_id: string;
  owner: string;
  created_by: string | null;
  from_entity_id: string;
  to_entity_id: string;
  relation_type: string;
  type_folded: string;
  /** A JSON object. */
  properties: string;
  source_kind: string;
  message_id: string | null;
  conversation_id: string | null;
  valid_from: number;
  valid_to: number | null;
  created_at: number;
  updated_at: number;
}

/** A message of which its author has had something forgotten. */
export interface MemoryForgottenRow {
  id: string;
  tenant_id: string;
  user_id: string;
  message_id: string;
  created_at: number;
}

export interface MemoryTables {
  memory_entities: MemoryEntityRow;
  memory_observations: MemoryObservationRow;
  memory_relations: MemoryRelationRow;
  memory_forgotten: MemoryForgottenRow;
}
