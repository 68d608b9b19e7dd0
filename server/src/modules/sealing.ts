import type { Queryable } from '../db/db.ts';
import { SEALED_PLACES, type SealedPlace, type SealedValue, sealedValues } from '../db/sealed.ts';
import { aboutPushSecrets } from '../features/a2a/index.ts';
import { auditSignerOf, headsOfUnknownKeys } from '../features/audit/index.ts';
import { aboutSigningKey, createSeal, type PlatformKeys } from '../features/identity/index.ts';
import { createCarriedSecrets } from '../features/mcp/index.ts';
import { aboutWebhookSecret } from '../features/webhooks/index.ts';
import { aboutAnswer } from '../http/idempotency.store.ts';

/** What opens and seals the values of the store, wherever they stand. */
export interface Sealing {
  /** Null where the keys do not open it. */
  open(value: SealedValue): string | null;
  seal(value: SealedValue, plain: string): string;
  isCurrent(value: SealedValue): boolean;
}

const keyBytes = (text: string): Buffer => Buffer.from(text, 'base64url');

const aboutOf = (place: SealedPlace, row: Record<string, string>): string => {
  const { id = '', tenant_id = '', caller_id = '', key = '' } = row;
  if (place.table === 'signing_keys') return aboutSigningKey(id);
  if (place.table === 'a2a_push_configs') return aboutPushSecrets({ tenant_id, id });
  return place.table === 'webhooks' ? aboutWebhookSecret({ tenant_id, id }) : aboutAnswer({ caller_id, key });
};

export const composeSealing = (keys: PlatformKeys): Sealing => {
  const seal = createSeal(keys);
  const mcp = createCarriedSecrets(keyBytes(keys.secret('mcp.key')), keys.previous('mcp.key').map(keyBytes));
  const ofMcp = (place: SealedPlace): boolean => mcp.columnOf(place.table) === place.column;
  return {
    open({ place, row, sealed }) {
      try {
        return ofMcp(place) ? mcp.open(place.table, row, sealed) : seal.open(sealed, aboutOf(place, row));
      } catch {
        return null;
      }
    },
    seal: ({ place, row }, plain) =>
      ofMcp(place) ? mcp.seal(place.table, row, plain) : seal.seal(plain, aboutOf(place, row)),
    isCurrent: ({ place, row, sealed }) =>
      ofMcp(place) ? mcp.isCurrent(place.table, row, sealed) : seal.isCurrent(sealed, aboutOf(place, row)),
  };
};

export const LOST_KEYS =
  'the keys of this installation are not those that its store was sealed with. Bring back DATA_DIR/keys (or PLATFORM_KEY) from a backup of the same platform: a backup holds the folder. If they are lost for good, "keys recover" makes new ones: everybody signs in anew, secrets of webhooks and MCP servers are given again, all records stay';

/**
 * Whether the keys open what the store has sealed: the newest value of each kind, and the seals of the audit chain. Answers of
 * idempotency keys live for a day and do not count.
 */
export const keysFit = async (db: Queryable, keys: PlatformKeys): Promise<boolean> => {
  const sealing = composeSealing(keys);
  for (const place of SEALED_PLACES) {
    if (place.table === 'idempotency_keys') continue;
    for (const value of await sealedValues(db, place, 1)) if (sealing.open(value) === null) return false;
  }
  return (await headsOfUnknownKeys(db, auditSignerOf(keys), 1)).length === 0;
};
