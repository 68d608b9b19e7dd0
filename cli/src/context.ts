import {
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  staticToken,
  type TokenSource,
} from 'pentarch-sdk';
import { type ExitCode, usage } from './errors.ts';
import { createOutput, type Output, type Sink } from './output.ts';
import { createProfileStore, type ProfileStore } from './profiles.ts';
import { storedTokens } from './sign-in.ts';
import { VERSION } from './version.ts';

/** What the process brings, handed to every command; commands read neither `process` nor the environment. */
export interface Runtime {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly now: () => number;
  /** Calls back at Ctrl-C until the function that it returns is called. */
  onInterrupt(listener: () => void): () => void;
  /** As if Ctrl-C had been pressed: a line editor takes the key for itself. */
  interrupt(): void;
  /** Sets the exit code; the process ends by itself. */
  exit(code: ExitCode): void;
}

export interface Globals {
  readonly json?: boolean;
  readonly profile?: string;
  readonly url?: string;
  readonly timeout?: number;
}

/** Where calls go and as whom. */
export interface Target {
  readonly url: string;
  readonly profile: string | null;
  readonly auth: TokenSource | null;
  /** Where the token comes from, for people. */
  readonly authFrom: string;
}

export interface Context {
  readonly runtime: Runtime;
  readonly globals: Globals;
  readonly out: Output;
  readonly store: ProfileStore;
  readonly target: Target;
  readonly client: Client;
  /** A client of the same target with other settings. */
  clientWith(options: Partial<ClientOptions>): Client;
  readonly call: CallOptions;
}

export const DEFAULT_URL = 'http://127.0.0.1:8080';

export const checkedUrl = (text: string): string => {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw usage(`not an address: ${text}`, 'it looks like https://agents.example.com');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw usage(`the address must start with http:// or https://: ${text}`);
  }
  if (url.username !== '' || url.password !== '') throw usage('the address must hold no name or password');
  return url.href.replace(/(?<!\/)\/+$/, '');
};

/**
 * Flags win over the environment, the environment over the profile. A profile's token goes to the profile's own address
 * only, whatever --url says.
 */
export const targetOf = (
  runtime: Runtime,
  globals: Globals,
  store: ProfileStore,
  mayBeNew = false,
): Target => {
  const { env } = runtime;
  const known = store.read();
  const name = globals.profile ?? env.PENTARCH_PROFILE ?? known.current;
  const profile = name === null ? undefined : known.profiles[name];
  if (globals.profile !== undefined && profile === undefined && !mayBeNew) {
    throw usage(`there is no profile ${globals.profile}`, '"pentarch profiles list" shows them');
  }
  const chosen = globals.profile === undefined ? undefined : profile;
  const url = checkedUrl(globals.url ?? chosen?.url ?? env.PENTARCH_URL ?? profile?.url ?? DEFAULT_URL);
  const own = name !== null && profile !== undefined && profile.url === url ? name : null;
  const token = env.PENTARCH_TOKEN;
  if (chosen === undefined && token !== undefined && token !== '') {
    return { url, profile: own, auth: staticToken(token), authFrom: 'PENTARCH_TOKEN' };
  }
  if (own === null || profile?.credentials.kind === 'none') {
    return { url, profile: own, auth: null, authFrom: 'nothing' };
  }
  return { url, profile: own, auth: storedTokens(store, own), authFrom: `profile ${own}` };
};

/** @param mayBeNew --profile may name one that is about to be made. */
export const createContext = (runtime: Runtime, globals: Globals, mayBeNew = false): Context => {
  const { stdout, stderr, env } = runtime;
  const out = createOutput({ stdout, stderr, env, json: globals.json === true });
  const store = createProfileStore(env);
  const target = targetOf(runtime, globals, store, mayBeNew);
  const clientWith = (options: Partial<ClientOptions>): Client =>
    createClient({
      baseUrl: target.url,
      headers: { 'user-agent': `pentarch-cli/${VERSION}` },
      ...(target.auth === null ? {} : { auth: target.auth }),
      ...(globals.timeout === undefined ? {} : { timeoutMs: globals.timeout * 1000 }),
      ...options,
    });
  return { runtime, globals, out, store, target, client: clientWith({}), clientWith, call: {} };
};
