import { hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StartRefused } from '../../../db/refusal.ts';

/** What is kept beside the store: whoever has the records alone can neither open what is sealed nor sign. */
export const SECRET_NAMES = ['identity.key', 'mcp.key', 'cookie.key', 'idp-client-secret'] as const;
/** Made of identity.key where they have no file of their own, so that nodes which share that one share these. */
const OF_IDENTITY = ['audit.key', 'archive.key'] as const;
export type SecretName = (typeof SECRET_NAMES)[number] | (typeof OF_IDENTITY)[number];

export interface PlatformKeys {
  /**
   * The text of its file in the data folder; else derived from PLATFORM_KEY, so that all nodes have the same; else random,
   * and in memory alone until `keep`.
   */
  secret(name: SecretName): string;
  /** Earlier ones, which still open and prove what they were used for. */
  previous(name: SecretName): string[];
  /** Those that were made now and are in no file yet. */
  unkept(): SecretName[];
  /** Writes those that were made now (all, or only these), readable by their owner alone. Once the store is known to be theirs. */
  keep(names?: readonly SecretName[]): void;
  /** Names of files that hold no key: they are empty, or cut. */
  damaged(): SecretName[];
  /** Gives such files another name, so that `keep` can write; their new names. */
  setAside(): string[];
  /** Facts that must not depend on the store alone, as empty files beside the keys. */
  hasMark(name: PlatformMark): boolean;
  setMark(name: PlatformMark): void;
}

/** `audit-signed`: every audit chain of this platform has been signed once. */
export type PlatformMark = 'audit-signed';

export interface PlatformKeysOptions {
  dataDir: string;
  /** PLATFORM_KEY and PLATFORM_KEY_PREVIOUS. */
  platformKey: string | null;
  previousKey: string | null;
  /** A damaged file is as one that is not there; without it, `secret` refuses the start. */
  damagedIsLost?: boolean;
}

const SECRET_BYTES = 32;

const derived = (platformKey: string, name: SecretName): string =>
  Buffer.from(hkdfSync('sha256', platformKey, 'pentarch', name, SECRET_BYTES)).toString('base64url');

const isOfIdentity = (name: SecretName): boolean => OF_IDENTITY.some((one) => one === name);

/** What has to be 32 bytes; of the others any text is taken, and none is not. */
const isWhole = (name: SecretName, text: string): boolean =>
  name === 'identity.key' || name === 'mcp.key'
    ? Buffer.from(text, 'base64url').length === SECRET_BYTES
    : text !== '';

const damagedWords = (name: SecretName): string =>
  `keys/${name} in DATA_DIR is damaged (it is empty or cut): bring it back from a backup of the same platform, or, if it is lost for good, run "keys recover", which moves it aside and makes a new one`;

const freeName = (file: string): string => {
  let n = 1;
  const named = (): string => `${file}.damaged${n === 1 ? '' : `-${n}`}`;
  while (existsSync(named())) n += 1;
  return named();
};

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

export const openPlatformKeys = (options: PlatformKeysOptions): PlatformKeys => {
  const folder = path.join(options.dataDir, 'keys');
  const made = new Map<SecretName, string>();
  const fileText = (name: SecretName): string | null => {
    try {
      return readFileSync(path.join(folder, name), 'utf8').trim();
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  };
  const isDamaged = (name: SecretName): boolean => {
    const text = fileText(name);
    return text !== null && !isWhole(name, text);
  };
  const damaged = (): SecretName[] => [...SECRET_NAMES, ...OF_IDENTITY].filter(isDamaged);
  const soundText = (name: SecretName): string | null => {
    const text = fileText(name);
    if (text === null || isWhole(name, text)) return text;
    if (options.damagedIsLost === true) return null;
    throw new StartRefused(damagedWords(name));
  };
  const secret = (name: SecretName): string => {
    const kept = made.get(name) ?? soundText(name);
    if (kept !== null) return kept;
    if (isOfIdentity(name)) return derived(secret('identity.key'), name);
    if (options.platformKey !== null) return derived(options.platformKey, name);
    const random = randomBytes(SECRET_BYTES).toString('base64url');
    made.set(name, random);
    return random;
  };
  const earlier = (name: SecretName): string[] => {
    const others = isOfIdentity(name)
      ? earlier('identity.key').map((text) => derived(text, name))
      : [options.platformKey, options.previousKey]
          .filter((key) => key !== null)
          .map((key) => derived(key, name));
    const present = secret(name);
    return others.filter((text) => text !== present);
  };
  return {
    secret,
    previous: earlier,
    damaged,
    setAside: () =>
      damaged().map((name) => {
        const to = freeName(path.join(folder, name));
        renameSync(path.join(folder, name), to);
        return path.basename(to);
      }),
    unkept: () => [...made.keys()],
    keep(names = SECRET_NAMES) {
      for (const name of names) {
        secret(name);
        const text = made.get(name);
        if (text === undefined) continue;
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(path.join(folder, name), `${text}\n`, { flag: 'wx', mode: 0o600, flush: true });
        made.delete(name);
      }
    },
    hasMark: (name) => existsSync(path.join(folder, name)),
    setMark(name) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(path.join(folder, name), '', { mode: 0o600 });
    },
  };
};
