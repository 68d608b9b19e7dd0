import type { Config } from '../../config.ts';
import type { Row } from '../../db/archive/session.ts';
import { createCarriedSecrets } from '../../features/mcp/index.ts';
import { mcpKeyOf, sealOf } from '../keys.ts';

/** Columns that are encrypted with the installation's own keys. */
const SEALED: Record<string, readonly string[]> = { webhooks: ['secret', 'previous_secret'] };

/** Takes rows out of this installation's encryption, or into it. Makes the keys when the folder has none yet. */
export const createSecrets = (config: Config) => {
  const seal = sealOf(config);
  const mcp = createCarriedSecrets(mcpKeyOf(config));

  const change = (
    table: string,
    row: Row,
    how: { plain(text: string): string; mcp(text: string): string },
  ): Row => {
    const changed: Row = { ...row };
    for (const column of SEALED[table] ?? []) {
      const text = row[column];
      if (typeof text === 'string') changed[column] = how.plain(text);
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
