import { createSecretBox } from './secret-box.ts';
import { aboutEndpoint, aboutOAuth } from './store.ts';

/**
 * What this feature keeps encrypted, by table and column, for tools that move a tenant to an installation with another
 * key, and that seal anew. `key`: 32 bytes.
 */
export const createCarriedSecrets = (key: Uint8Array, previous: readonly Uint8Array[] = []) => {
  const box = createSecretBox(key, previous);
  const text = (value: unknown): string => String(value);
  const places: Record<string, { column: string; about(row: Record<string, unknown>): string }> = {
    mcp_servers: { column: 'endpoint', about: (row) => aboutEndpoint(text(row.tenant_id), text(row.id)) },
    mcp_oauth: { column: 'state', about: (row) => aboutOAuth(text(row.tenant_id), text(row.server)) },
  };
  return {
    columnOf: (table: string): string | null => places[table]?.column ?? null,
    seal: (table: string, row: Record<string, unknown>, plain: string): string =>
      box.seal(plain, places[table]?.about(row) ?? table),
    open: (table: string, row: Record<string, unknown>, sealed: string): string =>
      box.open(sealed, places[table]?.about(row) ?? table),
    isCurrent: (table: string, row: Record<string, unknown>, sealed: string): boolean =>
      box.isCurrent(sealed, places[table]?.about(row) ?? table),
  };
};
