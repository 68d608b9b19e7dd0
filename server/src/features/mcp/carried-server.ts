import { Value } from 'typebox/value';
import { type EndpointInput, type EndpointLimits, endpointOf } from './endpoint.ts';
import { type StdioOwner, serverNameFault } from './rules.ts';
import { ServerCreate } from './schema.ts';

/** A server as an archive has it: its endpoint is in the clear. */
type Row = Record<string, unknown>;

const isRecord = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parsed = (text: unknown): unknown => {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
};

const oauthInput = (value: unknown): unknown =>
  isRecord(value)
    ? {
        grant: value.grant,
        client_id: value.clientId,
        client_secret: value.clientSecret,
        scope: value.scope,
      }
    : value;

/** What the API would have been sent for this row, as far as the row says it. */
const inputOf = (row: Row): Row => {
  const endpoint = parsed(row.endpoint);
  const { transport, command, args, env, url, headers, oauth } = isRecord(endpoint) ? endpoint : {};
  const input: Row = {
    name: row.name,
    transport,
    title: row.title ?? undefined,
    timeout_ms: row.timeout_ms,
    policy: parsed(row.policy),
    access: parsed(row.access),
    ...(transport === 'stdio' ? { command, args, env } : { url, headers, oauth: oauthInput(oauth) }),
  };
  // JSON drops what is undefined, which the schema takes for a wrong value.
  return JSON.parse(JSON.stringify(input)) as Row;
};

/**
 * A server of another installation under the rules of this one's API: the endpoint is built anew, so that it stands under the
 * guard of addresses and the list of commands, whatever the archive says. A text: why it cannot be taken over.
 */
export const carriedServer = (row: Row, limits: EndpointLimits, owner: StdioOwner): Row | string => {
  const input = inputOf(row);
  if (!Value.Check(ServerCreate, input)) {
    const [first] = Value.Errors(ServerCreate, input);
    return `${first?.instancePath || '/'} ${first?.message ?? 'is wrong'}`;
  }
  const fault = serverNameFault(input.name);
  if (fault !== null) return `its name ${fault}`;
  try {
    const endpoint = endpointOf(input as EndpointInput, limits, owner);
    return { ...row, transport: endpoint.transport, endpoint: JSON.stringify(endpoint) };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** In place of an endpoint whose key is lost: it leads nowhere until somebody gives the right one. */
export const lostEndpoint = (transport: string): string =>
  JSON.stringify(
    transport === 'stdio'
      ? { transport: 'stdio', command: 'lost', args: [], env: {} }
      : { transport: 'http', url: 'https://lost.invalid/', headers: {}, trusted: false },
  );
