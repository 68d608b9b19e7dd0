import { AppError, type FieldFault, invalid } from '../../kernel/errors.ts';
import {
  type McpEndpoint,
  McpFault,
  type McpOAuthSettings,
  type McpStdioEndpoint,
} from '../../kernel/mcp.ts';
import { envFault, headerFault, isStdioAllowed, type StdioOwner } from './rules.ts';

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
  /** Why a program may not be given this argument or variable, or null. */
  checkStdioText(text: string): string | null;
  /** Where programs run that the API has registered. */
  stdioFolder: string | undefined;
  checkUrl(url: string): string | null;
}

const pointer = (part: string): string => part.replaceAll('~', '~0').replaceAll('/', '~1');

/** Throws FORBIDDEN for a command that is not allowed; used again before each start, since the list may have shrunk. */
export const assertStdioAllowed = (
  limits: Pick<EndpointLimits, 'allowStdio' | 'checkStdioText'>,
  endpoint: Pick<McpStdioEndpoint, 'command' | 'args' | 'env'>,
  owner: StdioOwner,
): void => {
  if (!isStdioAllowed(limits.allowStdio, endpoint, owner))
    throw new AppError(
      'FORBIDDEN',
      'this command is not allowed; the setting MCP_ALLOW_STDIO names those that are, whole, and for whom',
      { details: { required: 'MCP_ALLOW_STDIO' } },
    );
  const faults = [
    { field: '/command', text: endpoint.command },
    ...endpoint.args.map((text, i) => ({ field: `/args/${i}`, text })),
    ...Object.entries(endpoint.env).map(([name, text]) => ({ field: `/env/${pointer(name)}`, text })),
  ].flatMap(({ field, text }) => {
    const reason = limits.checkStdioText(text);
    return reason === null ? [] : [{ field, reason }];
  });
  if (faults.length > 0) throw invalid(...faults);
};

/** Endpoint of a server that the API registers. Throws FORBIDDEN and VALIDATION_ERROR. */
export const endpointOf = (
  input: EndpointInput,
  limits: Omit<EndpointLimits, 'stdioFolder'>,
  owner: StdioOwner,
): McpEndpoint => {
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
    assertStdioAllowed(limits, { command, args, env }, owner);
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

/** A program that the API has registered runs in a folder that holds nothing, never where the platform does. */
export const inFolder = (endpoint: McpEndpoint, folder: string | undefined): McpEndpoint =>
  endpoint.transport === 'stdio' ? { ...endpoint, cwd: folder } : endpoint;

/** An endpoint as the store keeps it. */
export const readEndpoint = (text: string): McpEndpoint => JSON.parse(text) as McpEndpoint;

/** What is shorter stands in too many words to be taken out of them. */
const MIN_SECRET_CHARACTERS = 6;
const REDACTED = '[redacted]';

/** Forms in which a value comes back: as it is, after a scheme or an option's name, and escaped. */
const formsOf = (value: string): string[] =>
  [value, value.replace(/^\S+\s+/, ''), value.replace(/^-{0,2}[\w.-]+=/, '')].flatMap((text) => [
    text,
    JSON.stringify(text).slice(1, -1),
    encodeURIComponent(text.toWellFormed()),
  ]);

/** Text that was cut for its length may begin or end within a secret. */
const redactCutEnds = (text: string, secret: string): string => {
  let rest = text;
  for (let length = Math.min(secret.length - 1, rest.length); length >= MIN_SECRET_CHARACTERS; length--) {
    if (rest.endsWith(secret.slice(0, length))) {
      rest = `${rest.slice(0, -length)}${REDACTED}`;
      break;
    }
  }
  for (let length = Math.min(secret.length - 1, rest.length); length >= MIN_SECRET_CHARACTERS; length--) {
    if (rest.startsWith(secret.slice(-length))) return `${REDACTED}${rest.slice(length)}`;
  }
  return rest;
};

/**
 * Takes the configured values of an endpoint (environment, headers, arguments, address, client secret) out of text that
 * others may read: log lines, error messages.
 */
export const redactorOf = (endpoint: McpEndpoint | null): ((text: string) => string) => {
  if (endpoint === null) return (text) => text;
  const configured =
    endpoint.transport === 'stdio'
      ? [...Object.values(endpoint.env), ...endpoint.args]
      : [
          ...Object.values(endpoint.headers),
          endpoint.oauth?.clientSecret ?? '',
          endpoint.url,
          `${new URL(endpoint.url).pathname}${new URL(endpoint.url).search}`,
          ...[...new URL(endpoint.url).searchParams.values()],
        ];
  const longest = [...new Set(configured.flatMap(formsOf))]
    .filter((secret) => secret.length >= MIN_SECRET_CHARACTERS)
    .sort((a, b) => b.length - a.length);
  return (text) => {
    const whole = longest.reduce((rest, secret) => rest.replaceAll(secret, REDACTED), text);
    return longest.reduce(redactCutEnds, whole);
  };
};

/** A fault without the secrets of the endpoint, in its message, its stack and the causes that a log shows. */
export const redactFault = <E>(error: E, redact: (text: string) => string): E | McpFault => {
  if (!(error instanceof McpFault)) return error;
  const fault = new McpFault(error.kind, redact(error.message), undefined, error.code);
  fault.stack = redact(error.stack ?? fault.message);
  return fault;
};
