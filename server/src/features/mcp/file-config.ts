import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { oauthOf } from './endpoint.ts';
import { AccessListSchema, OAuthSchema, ServerPolicySchema } from './policy.schema.ts';
import { serverNameFault, slugOf } from './rules.ts';
import { DEFAULT_CALL_TIMEOUT_MS, MAX_CALL_TIMEOUT_MS, type ServerDefinition } from './types.ts';

/**
 * The file that MCP clients share: `{"mcpServers": {"<name>": {command, args, env} | {url, headers}}}`. Fields of other
 * clients are passed over; `disabled`, `title`, `timeout_ms`, `policy` and `access` are of the platform. The file belongs to the operator
 * of the machine and is trusted: any command, any address.
 */
const FileServer = Type.Object({
  command: Type.Optional(Type.String({ minLength: 1 })),
  args: Type.Optional(Type.Array(Type.String())),
  env: Type.Optional(Type.Record(Type.String(), Type.String())),
  cwd: Type.Optional(Type.String()),
  url: Type.Optional(Type.String()),
  serverUrl: Type.Optional(Type.String()),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  oauth: Type.Optional(OAuthSchema),
  disabled: Type.Optional(Type.Boolean()),
  title: Type.Optional(Type.String()),
  timeout_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_CALL_TIMEOUT_MS })),
  policy: Type.Optional(ServerPolicySchema),
  access: Type.Optional(AccessListSchema),
});
type FileServer = Static<typeof FileServer>;

export interface FileReading {
  servers: ServerDefinition[];
  /** What is wrong with the others, for the log; without values, which may be secret. */
  faults: string[];
}

const endpointOf = (entry: FileServer): ServerDefinition['endpoint'] => {
  const url = entry.url ?? entry.serverUrl;
  if (url !== undefined) {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return null;
    const signIn = entry.oauth === undefined ? {} : { oauth: oauthOf(entry.oauth) };
    return { transport: 'http', url, headers: entry.headers ?? {}, trusted: true, ...signIn };
  }
  if (entry.command === undefined) return null;
  return {
    transport: 'stdio',
    command: entry.command,
    args: entry.args ?? [],
    env: entry.env ?? {},
    ...(entry.cwd === undefined ? {} : { cwd: entry.cwd }),
  };
};

/** Throws when the text is not of the form; faults of single servers leave the others standing. */
export const readServers = (text: string, createdAt: number): FileReading => {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null || !('mcpServers' in parsed)) {
    throw new Error('expected {"mcpServers": {…}}');
  }
  const listed = parsed.mcpServers;
  if (typeof listed !== 'object' || listed === null) throw new Error('mcpServers must be an object');
  const servers = new Map<string, ServerDefinition>();
  const faults: string[] = [];
  for (const [given, entry] of Object.entries(listed)) {
    const name = slugOf(given);
    const fault = serverNameFault(name);
    if (fault !== null) faults.push(`${given}: the name ${fault}`);
    else if (servers.has(name)) faults.push(`${given}: the name ${name} is there twice`);
    else if (!Value.Check(FileServer, entry)) {
      const first = Value.Errors(FileServer, entry)[0];
      faults.push(`${given}: ${first?.instancePath || '/'} ${first?.message ?? 'is invalid'}`);
    } else {
      const endpoint = endpointOf(entry);
      if (endpoint === null) faults.push(`${given}: needs a command, or a url of http or https`);
      else
        servers.set(name, {
          name,
          title: entry.title ?? (given === name ? null : given),
          source: 'file',
          tenantId: null,
          enabled: entry.disabled !== true,
          endpoint,
          policy: entry.policy ?? {},
          access: entry.access ?? {},
          forAgents: true,
          timeoutMs: entry.timeout_ms ?? DEFAULT_CALL_TIMEOUT_MS,
          createdAt,
        });
    }
  }
  return { servers: [...servers.values()], faults };
};

/** Polling, because editors and volume mounts replace the file instead of writing into it. */
const WATCH_MS = 1_000;

/**
 * Reads the file now and after each change. A file that cannot be read leaves what was read before (at the start:
 * nothing) and is reported.
 */
export const watchServers = (
  file: string,
  now: () => number,
  onRead: (reading: FileReading) => void,
  onFault: (message: string) => void,
): { close(): void } => {
  const firstSeen = new Map<string, number>();
  const read = (): void => {
    try {
      const reading = readServers(readFileSync(file, 'utf8'), now());
      for (const server of reading.servers) {
        server.createdAt = firstSeen.get(server.name) ?? server.createdAt;
        firstSeen.set(server.name, server.createdAt);
      }
      onRead(reading);
    } catch (error) {
      onFault(
        error instanceof SyntaxError ? 'it is not valid JSON' : error instanceof Error ? error.message : '',
      );
    }
  };
  read();
  const onChange = (current: { mtimeMs: number }, before: { mtimeMs: number }): void => {
    if (current.mtimeMs !== before.mtimeMs) read();
  };
  watchFile(file, { interval: WATCH_MS, persistent: false }, onChange);
  return { close: () => unwatchFile(file, onChange) };
};
