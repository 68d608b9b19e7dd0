/** The servers of a run: the provider, the baselines and the platform, each in a process of its own. */
import { mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Started, start } from './processes.ts';

export const SERVERS = ['bare', 't', 's', 'pentarch'] as const;
export type ServerName = (typeof SERVERS)[number];

export interface Server extends Started {
  headers: Record<string, string>;
}

/** What `npm start` gives to node. */
const startArguments = (): string[] => {
  const manifest: unknown = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const { scripts } = manifest as { scripts: { start: string } };
  return scripts.start
    .split(' ')
    .slice(1)
    .map((word) => (word.startsWith('--') ? word : path.join(root, word)));
};

const root = path.join(import.meta.dirname, '..', '..');
const anyLine = (): boolean => true;
const json = { 'content-type': 'application/json' };

/** `intervalMs`: pause between two tokens, 0 for none. The address ends in `/v1`. */
export const startProvider = (folder: string, tokens: number, intervalMs: number): Promise<Started> => {
  const main = path.join(root, 'server', 'test', 'support', 'provider-main.ts');
  return start({
    name: 'test provider',
    args: [main, '--tokens', String(tokens), '--interval-ms', String(intervalMs)],
    logFile: path.join(folder, `provider-${intervalMs}.log`),
    announces: anyLine,
    timeoutMs: 10_000,
  });
};

const startBaseline = async (name: ServerName, folder: string, providerUrl: string): Promise<Server> => {
  const logFolder = mkdtempSync(path.join(folder, `${name}-`));
  const started = await start({
    name: `baseline ${name}`,
    args: [path.join(import.meta.dirname, `baseline-${name}.ts`), providerUrl],
    logFile: path.join(logFolder, 'log'),
    announces: anyLine,
    timeoutMs: 20_000,
  });
  return { ...started, headers: json };
};

const admin = { email: 'bench@localhost', password: 'a bench of loopback servers 1' };

/** POSTs JSON and gives the parsed answer. Throws on any status but 2xx. */
export const post = async (url: string, headers: Record<string, string>, body: unknown): Promise<unknown> => {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`POST ${new URL(url).pathname}: ${response.status} ${text.slice(0, 300)}`);
  return JSON.parse(text);
};

/** Starts the platform on `dataFolder` with everything on but rate limits, and signs in as its first admin. */
export const startPentarch = async (
  dataFolder: string,
  logFile: string,
  providerUrl: string,
): Promise<Server> => {
  const started = await start({
    name: 'pentarch',
    args: startArguments(),
    env: {
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataFolder,
      ADMIN_EMAIL: admin.email,
      ADMIN_PASSWORD: admin.password,
      RATE_LIMITS: 'off',
      SHUTDOWN_LEAD_S: '0',
      MODEL: 'compatible/test',
      COMPATIBLE_BASE_URL: providerUrl,
      LOG_LEVEL: 'info',
    },
    logFile,
    announces: (line) => line.msg === 'listening',
    timeoutMs: 60_000,
  });
  const url = started.url.replace(/\/+$/, '');
  const tokens = await post(`${url}/v2/auth/login`, json, admin);
  if (typeof tokens !== 'object' || tokens === null || !('access_token' in tokens))
    throw new Error('the sign-in gave no access_token');
  return { ...started, url, headers: { ...json, authorization: `Bearer ${tokens.access_token}` } };
};

export const startServer = (name: ServerName, folder: string, providerUrl: string): Promise<Server> => {
  if (name !== 'pentarch') return startBaseline(name, folder, providerUrl);
  const own = mkdtempSync(path.join(folder, 'pentarch-'));
  return startPentarch(path.join(own, 'data'), path.join(own, 'log'), providerUrl);
};
