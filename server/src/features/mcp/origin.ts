import { createHmac } from 'node:crypto';
import type { ServerDefinition } from './types.ts';

/**
 * Names a registration and where it leads, so that an approval can be held to it. Keyed, since commands and addresses
 * may hold secrets; headers do not count (they may be renewed), the environment does (it can lead elsewhere).
 */
export const createOriginOf = (key: Uint8Array): ((definition: ServerDefinition) => string) => {
  const known = new WeakMap<ServerDefinition, string>();
  return (definition) => {
    let origin = known.get(definition);
    if (origin === undefined) {
      const { endpoint, source, tenantId, name } = definition;
      const place =
        endpoint === null
          ? null
          : endpoint.transport === 'http'
            ? [endpoint.url]
            : [endpoint.command, endpoint.args, Object.entries(endpoint.env).sort(), endpoint.cwd ?? null];
      // Only a registration over the API has a time of its own; the others are read anew at each start.
      const since = source === 'api' ? definition.createdAt : null;
      origin = createHmac('sha256', key)
        .update(JSON.stringify(['mcp origin', source, tenantId, name, since, place]))
        .digest('base64url');
      known.set(definition, origin);
    }
    return origin;
  };
};
