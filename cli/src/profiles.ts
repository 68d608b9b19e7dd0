import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { CliError } from './errors.ts';

/** The servers and sign-ins that this account knows: one file, readable by its owner alone. */

export type Credentials =
  | { readonly kind: 'none' }
  /** An API key or personal token, or an access token as it is. */
  | { readonly kind: 'token'; readonly token: string }
  /** From the browser (`oauth`) or by password (`session`); the refresh token is good for one use. */
  | {
      readonly kind: 'oauth' | 'session';
      readonly accessToken: string;
      readonly refreshToken: string;
      readonly expiresInS: number;
      readonly obtainedAtMs: number;
      /** An identity provider other than the server itself, and the client's id there. */
      readonly authUrl: string | null;
      readonly clientId: string;
    };

export interface Profile {
  readonly url: string;
  readonly email: string | null;
  readonly credentials: Credentials;
}

export interface Profiles {
  readonly current: string | null;
  readonly profiles: Readonly<Record<string, Profile>>;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The public client that every server knows. */
export const CLIENT_ID = 'pentarch-cli';

const EMPTY: Profiles = { current: null, profiles: {} };
const VERSION = 1;

/** XDG Base Directory Specification: $XDG_CONFIG_HOME, else ~/.config. */
export const profilesFile = (env: Env): string => {
  const base = env.XDG_CONFIG_HOME;
  const folder =
    base !== undefined && path.isAbsolute(base) ? base : path.join(env.HOME ?? homedir(), '.config');
  return path.join(folder, 'pentarch', 'profiles.json');
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const credentialsOf = (value: unknown): Credentials => {
  if (!isRecord(value)) return { kind: 'none' };
  const { kind, token, accessToken, refreshToken, expiresInS, obtainedAtMs } = value;
  if (kind === 'token' && typeof token === 'string') return { kind, token };
  if (
    (kind === 'oauth' || kind === 'session') &&
    typeof accessToken === 'string' &&
    typeof refreshToken === 'string' &&
    typeof expiresInS === 'number' &&
    typeof obtainedAtMs === 'number'
  ) {
    const authUrl = typeof value.authUrl === 'string' ? value.authUrl : null;
    const clientId = typeof value.clientId === 'string' ? value.clientId : CLIENT_ID;
    return { kind, accessToken, refreshToken, expiresInS, obtainedAtMs, authUrl, clientId };
  }
  return { kind: 'none' };
};

const profilesOf = (value: unknown): Profiles => {
  if (!isRecord(value) || !isRecord(value.profiles)) return EMPTY;
  const entries = Object.entries(value.profiles).flatMap(([name, entry]): [string, Profile][] => {
    if (!isRecord(entry) || typeof entry.url !== 'string') return [];
    const email = typeof entry.email === 'string' ? entry.email : null;
    return [[name, { url: entry.url, email, credentials: credentialsOf(entry.credentials) }]];
  });
  return {
    current: typeof value.current === 'string' ? value.current : null,
    profiles: Object.fromEntries(entries),
  };
};

const LOCK_STALE_MS = 30_000;
const LOCK_WAIT_MS = 50;
const LOCK_TRIES = 400;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface ProfileStore {
  readonly file: string;
  read(): Profiles;
  /** Changes the file while no other process does. */
  change(with_: (known: Profiles) => Profiles): Promise<void>;
  /**
   * Only one process at a time is inside: a refresh token is good for one use, and a second use ends the whole session.
   */
  alone<T>(work: (write: (profiles: Profiles) => void) => Promise<T>): Promise<T>;
  /** Permission bits of the file; null where there is none. */
  mode(): number | null;
}

export const createProfileStore = (env: Env): ProfileStore => {
  const file = profilesFile(env);
  const lock = `${file}.lock`;

  const read = (): Profiles => {
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      return EMPTY;
    }
    try {
      return profilesOf(JSON.parse(text));
    } catch {
      // The text itself is secret: it goes into no message.
      throw new CliError(`${file} is no JSON`, 1, 'remove it and sign in again');
    }
  };

  const write = (profiles: Profiles): void => {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify({ version: VERSION, ...profiles }, null, 2)}\n`, { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  };

  const taken = (): boolean => {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
      return false;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    try {
      // Left behind by a process that was killed.
      if (Date.now() - statSync(lock).mtimeMs > LOCK_STALE_MS) rmSync(lock, { force: true });
    } catch {
      // Gone between the two looks.
    }
    return true;
  };

  const alone = async <T>(work: (write: (profiles: Profiles) => void) => Promise<T>): Promise<T> => {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    for (let tries = 0; taken(); tries += 1) {
      if (tries >= LOCK_TRIES) throw new CliError(`${lock} is held by another process`, 7);
      await pause(LOCK_WAIT_MS);
    }
    try {
      return await work(write);
    } finally {
      rmSync(lock, { force: true });
    }
  };

  return {
    file,
    read,
    change: (with_) => alone(async (save) => save(with_(read()))),
    alone,
    mode: () => {
      try {
        return statSync(file).mode & 0o777;
      } catch {
        return null;
      }
    },
  };
};

export const replaceProfile = (known: Profiles, name: string, profile: Profile): Profiles => ({
  ...known,
  profiles: { ...known.profiles, [name]: profile },
});
