import { AppError, type FieldFault, invalid } from '../../kernel/errors.ts';
import type { McpEndpoint, McpOAuthSettings } from '../../kernel/mcp.ts';
import { envFault, headerFault, isStdioAllowed } from './rules.ts';

/** What a user may say about where a server is, and what is made of it. */
export interface EndpointInput {
  transport: 'stdio' | 'http';
  command?: string | undefined;
  args?: readonly string[] | undefined;
  env?: Readonly<Record<string, string>> | undefined;
  url?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  oauth?: OAuthInput | undefined;
}

export interface OAuthInput {
  grant?: McpOAuthSettings['grant'] | undefined;
  client_id?: string | undefined;
  client_secret?: string | undefined;
  scope?: string | undefined;
}

export const oauthOf = (input: OAuthInput): McpOAuthSettings => ({
  grant: input.grant ?? 'authorization_code',
  clientId: input.client_id,
  clientSecret: input.client_secret,
  scope: input.scope,
});

export interface EndpointLimits {
  /** `MCP_ALLOW_STDIO`. */
  allowStdio: readonly string[];
  checkUrl(url: string): string | null;
}

const pointer = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** Throws FORBIDDEN for a command that is not allowed; used again before each start, since the list may have shrunk. */
export const assertStdioAllowed = (
  allowed: readonly string[],
  command: string,
  args: readonly string[],
): void => {
  if (isStdioAllowed(allowed, command, args)) return;
  throw new AppError(
    'FORBIDDEN',
    'this command is not allowed; the setting MCP_ALLOW_STDIO names those that are',
    {
      details: { required: 'MCP_ALLOW_STDIO' },
    },
  );
};

/** Endpoint of a server that the API registers. Throws FORBIDDEN and VALIDATION_ERROR. */
export const endpointOf = (input: EndpointInput, limits: EndpointLimits): McpEndpoint => {
  const faults: FieldFault[] = [];
  const foreign =
    input.transport === 'stdio'
      ? (['url', 'headers', 'oauth'] as const)
      : (['command', 'args', 'env'] as const);
  for (const field of foreign) {
    if (input[field] !== undefined) {
      faults.push({ field: `/${field}`, reason: `does not go with the transport ${input.transport}` });
    }
  }
  if (input.transport === 'stdio') {
    const { command, args = [], env = {} } = input;
    if (command === undefined) throw invalid({ field: '/command', reason: 'is required' }, ...faults);
    assertStdioAllowed(limits.allowStdio, command, args);
    for (const [name, value] of Object.entries(env)) {
      const reason = envFault(name, value);
      if (reason !== null) faults.push({ field: `/env/${pointer(name)}`, reason });
    }
    if (faults.length > 0) throw invalid(...faults);
    return { transport: 'stdio', command, args: [...args], env: { ...env } };
  }
  const { url, headers = {}, oauth } = input;
  if (url === undefined) throw invalid({ field: '/url', reason: 'is required' }, ...faults);
  const reason = limits.checkUrl(url);
  if (reason !== null) faults.push({ field: '/url', reason });
  for (const [name, value] of Object.entries(headers)) {
    const fault = headerFault(name, value);
    if (fault !== null) faults.push({ field: `/headers/${pointer(name)}`, reason: fault });
  }
  if (
    oauth?.grant === 'client_credentials' &&
    (oauth.client_id === undefined || oauth.client_secret === undefined)
  ) {
    faults.push({ field: '/oauth', reason: 'needs client_id and client_secret for client_credentials' });
  }
  if (faults.length > 0) throw invalid(...faults);
  const signIn = oauth === undefined ? {} : { oauth: oauthOf(oauth) };
  return { transport: 'http', url, headers: { ...headers }, trusted: false, ...signIn };
};

/** An endpoint as the store keeps it. */
export const readEndpoint = (text: string): McpEndpoint => JSON.parse(text) as McpEndpoint;

/** Takes the secrets of an endpoint out of text that others may read: log lines, error messages. */
export const redactorOf = (endpoint: McpEndpoint | null): ((text: string) => string) => {
  if (endpoint === null) return (text) => text;
  const secrets =
    endpoint.transport === 'stdio'
      ? [
          ...Object.values(endpoint.env),
          ...endpoint.args,
          ...endpoint.args.map((arg) => arg.replace(/^--?[\w-]+=/, '')),
        ]
      : [
          ...Object.values(endpoint.headers).flatMap((value) => [value, value.replace(/^\S+\s+/, '')]),
          endpoint.oauth?.clientSecret ?? '',
          endpoint.url,
          `${new URL(endpoint.url).pathname}${new URL(endpoint.url).search}`,
          ...[...new URL(endpoint.url).searchParams.values()],
        ];
  const longest = [...new Set(secrets)].filter((s) => s.length >= 6).sort((a, b) => b.length - a.length);
  return (text) => longest.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
};
