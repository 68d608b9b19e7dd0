/** Peers of `bench/peers.ts`: what is installed, how it starts, what it is asked. Nothing of them is a dependency. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../server/test/support/free-port.ts';
import { type Started, startProgram } from './processes.ts';

export interface Request {
  path: string;
  body: Record<string, unknown>;
}

export interface Peer {
  readonly name: string;
  /** What works on each of the requests, and what is left out. */
  readonly features: string;
  install(folder: string): Promise<void>;
  start(folder: string, providerUrl: string): Promise<Started & { headers: Record<string, string> }>;
  readonly json: Request;
  readonly stream: Request;
}

/** A registry that does not answer must not hold the bench up. */
const INSTALL_TIMEOUT_MS = 300_000;
const START_TIMEOUT_MS = 120_000;
const json = { 'content-type': 'application/json' };
export const MESSAGE = 'Say the fixed answer.';
const messages = [{ role: 'user', content: MESSAGE }];

export const completion = (where: string, model: string): { json: Request; stream: Request } => ({
  json: { path: where, body: { model, messages } },
  stream: { path: where, body: { model, messages, stream: true } },
});

const run = (command: string, args: readonly string[], cwd: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (part: Buffer) => {
      said = (said + part.toString()).slice(-2_000);
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), INSTALL_TIMEOUT_MS);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      const last = said.trim().split('\n').at(-1) ?? '';
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args[0]} ended with ${code ?? 'a signal'}: ${last}`));
    });
  });

const npmInstall = (folder: string, packages: readonly string[]): Promise<void> => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{"private":true,"type":"module"}\n');
  return run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], folder);
};

const portkey: Peer = {
  name: 'Portkey gateway 1.15.2',
  features: 'a proxy: no sign-in, no limits, no storage',
  install: (folder) => npmInstall(folder, ['@portkey-ai/gateway@1.15.2']),
  start: async (folder, providerUrl) => {
    const port = await freePort();
    const started = await startProgram({
      name: 'portkey',
      command: process.execPath,
      args: ['node_modules/@portkey-ai/gateway/build/start-server.js', `--port=${port}`, '--headless'],
      cwd: folder,
      env: {},
      logFile: path.join(folder, 'log'),
      url: `http://127.0.0.1:${port}`,
      timeoutMs: START_TIMEOUT_MS,
    });
    const headers = {
      ...json,
      authorization: 'Bearer key',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': providerUrl,
    };
    return { ...started, headers };
  },
  ...completion('/v1/chat/completions', 'test'),
};

const litellm: Peer = {
  name: 'LiteLLM proxy 1.89.7',
  features: 'one master key, no database: no virtual keys, no budgets, no storage',
  install: async (folder) => {
    mkdirSync(folder, { recursive: true });
    const where = ['--target', 'site', '--quiet', '--disable-pip-version-check', '--root-user-action=ignore'];
    await run('python3', ['-m', 'pip', 'install', ...where, 'litellm[proxy]==1.89.7'], folder);
  },
  start: async (folder, providerUrl) => {
    const port = await freePort();
    const config = {
      model_list: [
        {
          model_name: 'test',
          litellm_params: { model: 'openai/test', api_base: providerUrl, api_key: 'key' },
        },
      ],
      general_settings: { master_key: 'sk-bench' },
    };
    writeFileSync(path.join(folder, 'config.yaml'), JSON.stringify(config));
    const started = await startProgram({
      name: 'litellm',
      command: 'python3',
      args: ['site/bin/litellm', '--config', 'config.yaml', '--host', '127.0.0.1', '--port', String(port)],
      cwd: folder,
      env: { PYTHONPATH: 'site', LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_LOG: 'ERROR' },
      logFile: path.join(folder, 'log'),
      url: `http://127.0.0.1:${port}/health/liveliness`,
      timeoutMs: START_TIMEOUT_MS,
    });
    const url = `http://127.0.0.1:${port}`;
    return { ...started, url, headers: { ...json, authorization: 'Bearer sk-bench' } };
  },
  ...completion('/v1/chat/completions', 'test'),
};

const MASTRA_SERVER = `import { serve } from '@hono/node-server';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { Mastra } from '@mastra/core/mastra';
import { MastraServer } from '@mastra/hono';
import { Hono } from 'hono';
const [port, baseURL] = process.argv.slice(2);
const provider = createOpenAICompatible({ name: 'test', baseURL, apiKey: 'key' });
const zeus = new Agent({ id: 'zeus', name: 'zeus', instructions: 'Answer.', model: provider.chatModel('test') });
const mastra = new Mastra({ agents: { zeus }, logger: false });
const app = new Hono();
await new MastraServer({ app, mastra }).init();
serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' });
`;

const mastra: Peer = {
  name: 'Mastra 1.71.0 (Hono)',
  features: 'one agent without tools: no sign-in, no limits, no storage',
  install: (folder) =>
    npmInstall(folder, [
      '@mastra/core@1.71.0',
      '@mastra/hono@1.7.9',
      'hono',
      '@hono/node-server',
      '@ai-sdk/openai-compatible@3.0.92',
    ]),
  start: async (folder, providerUrl) => {
    const port = await freePort();
    writeFileSync(path.join(folder, 'server.mjs'), MASTRA_SERVER);
    const started = await startProgram({
      name: 'mastra',
      command: process.execPath,
      args: ['server.mjs', String(port), providerUrl],
      cwd: folder,
      env: { MASTRA_TELEMETRY_DISABLED: '1' },
      logFile: path.join(folder, 'log'),
      url: `http://127.0.0.1:${port}`,
      timeoutMs: START_TIMEOUT_MS,
    });
    return { ...started, headers: json };
  },
  json: { path: '/api/agents/zeus/generate', body: { messages } },
  stream: { path: '/api/agents/zeus/stream', body: { messages } },
};

export const PEERS: Readonly<Record<string, Peer>> = { portkey, mastra, litellm };
