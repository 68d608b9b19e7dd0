import type { Row } from '../../db/archive/session.ts';
import { aboutPushSecrets } from '../../features/a2a/index.ts';
import type { PlatformKeys } from '../../features/identity/index.ts';
import { createCarriedSecrets } from '../../features/mcp/index.ts';
import { aboutWebhookSecret } from '../../features/webhooks/index.ts';
import { mcpKeysOf, sealOf } from '../keys.ts';

/** Columns that are encrypted with the installation's own keys. */
const SEALED: Record<
  string,
  { columns: readonly string[]; about(row: { tenant_id: string; id: string }): string }
> = {
  webhooks: { columns: ['secret', 'previous_secret'], about: aboutWebhookSecret },
  a2a_push_configs: { columns: ['secrets'], about: aboutPushSecrets },
};

/** Takes rows out of this installation's encryption, or into it. */
export const createSecrets = (keys: PlatformKeys) => {
  const seal = sealOf(keys);
  const [present, ...previous] = mcpKeysOf(keys);
  if (present === undefined) throw new Error('there is no key for MCP servers');
  const mcp = createCarriedSecrets(present, previous);

  const change = (
    table: string,
    row: Row,
    how: { plain(text: string, about: string): string; mcp(text: string): string },
  ): Row => {
    const changed: Row = { ...row };
    const sealed = SEALED[table];
    for (const column of sealed?.columns ?? []) {
      const text = row[column];
      const about = sealed?.about({ tenant_id: String(row.tenant_id), id: String(row.id) }) ?? '';
      if (typeof text === 'string') changed[column] = how.plain(text, about);
    }
    const own = mcp.columnOf(table);
    const text = own === null ? null : row[own];
    if (own !== null && typeof text === 'string') changed[own] = how.mcp(text);
    return changed;
  };

  return {
    opened: (table: string, row: Row): Row =>
      change(table, row, { plain: seal.open, mcp: (text) => mcp.open(table, row, text) }),
    sealed: (table: string, row: Row): Row =>
      change(table, row, { plain: seal.seal, mcp: (text) => mcp.seal(table, row, text) }),
  };
};
