import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import type { Client } from '../support/client.ts';
import {
  DOC_FILES,
  type DocBlock,
  docBlocks,
  docText,
  NOT_RUN,
  namedPrograms,
} from '../support/doc-blocks.ts';
import { createDocShell, type DocShell, ROOT } from '../support/doc-shell.ts';
import { makeZip } from '../support/documents.ts';
import { startReceiver } from '../support/receiver.ts';
import { startServer, type TestServer } from '../support/server.ts';

/**
 * Every fenced block of README, CONTRIBUTING and docs/ is run against a started server with the built-in model, as it
 * stands there; only addresses, keys and folders that stand for some are put in. A block that nothing here runs fails, unless
 * it says why it is not run (doc-blocks.ts). docs/cli.md has a suite of its own (docs-cli.test.ts).
 */

// Each block starts processes of its own, and other suites run beside this one.
vi.setConfig({ testTimeout: 240_000 });

const BLOCKS = docBlocks().filter(({ file }) => file !== 'docs/cli.md');
const RUN = BLOCKS.filter(({ notRun }) => notRun === null);

let server: TestServer;
let admin: Client;
let key: string;
let shell: DocShell;
let home: string;
let pages: Awaited<ReturnType<typeof startReceiver>>;

const onThisMachine = (code: string): string =>
  code
    .replaceAll('127.0.0.1:8080', new URL(server.url).host)
    .replaceAll('localhost:8080', new URL(server.url).host)
    .replaceAll('https://example.org/tides.pdf', pages.url)
    .replaceAll('ptk_…', key)
    .replaceAll('=…', '=test-key')
    .replaceAll('/backup', `${home}/backup`)
    .replaceAll('/etc/pentarch', home);

const settings = (): Record<string, string> => ({
  HOST: '127.0.0.1',
  PORT: '0',
  ADMIN_PASSWORD: server.admin.password,
});

/** Commands, from the repository's root, beside the server: its settings, its address and a token are in the environment. */
const runShell = async ({ code }: DocBlock): Promise<void> => {
  const ended = await shell.run(onThisMachine(code).replaceAll('@server/', `@${ROOT}/server/`), {
    cwd: /\bnode server\//.test(code) ? ROOT : shell.folder,
    env: {
      ...settings(),
      TOKEN: admin.token ?? '',
      URL: server.url,
      DATA_DIR: server.dataDir,
    },
  });
  expect(ended.code, `${ended.out}${ended.err}`).toBe(0);
};

/** What only a person at a terminal is shown. */
const atTerminal = (code: string): string => `script -qefc '${code}' /dev/null`;

/** `npm start`, with or without settings in front: the server comes up, shows its banner, and ends with the signal. */
const runStart = async ({ code }: DocBlock): Promise<void> => {
  // "npm ci" brought the modules that this test runs on.
  const run = shell.start(atTerminal(onThisMachine(code).replace('npm ci && ', '').trim()), {
    cwd: ROOT,
    env: { HOST: '127.0.0.1', PORT: '0', DATA_DIR: path.join(home, `start-${Math.random()}`) },
  });
  try {
    await run.said(/listening/);
    const [banner = ''] = await run.said(/ {2}Pentarch [\s\S]+? {2}Try it:\r?\n/);
    expect(banner).toContain('(generated, shown this once)');
    expect(banner).toContain(code.includes('MODEL=') ? 'openai/gpt-5-mini' : 'builtin');
  } finally {
    run.signal('SIGTERM');
    await run.ended;
  }
};

/** What README shows of the banner is what a first start shows, but for password and folder. */
const runBanner = async ({ code }: DocBlock): Promise<void> => {
  const run = shell.start(atTerminal('npm start'), {
    cwd: ROOT,
    env: { HOST: '127.0.0.1', PORT: '0', DATA_DIR: path.join(home, 'banner') },
  });
  const plain = (text: string): string[] =>
    text
      .replaceAll(/http:\/\/[\w.:-]+/g, '<address>')
      .replace(/(Password\s+)\S+/, '$1<password>')
      .replace(/(Data\s+)\S+/, '$1<folder>')
      .trim()
      .split('\n')
      .map((line) => line.trim().replaceAll(/\s+/g, ' '));
  try {
    const [banner = ''] = await run.said(/ {2}Pentarch [\s\S]+?(?=\r?\n\r?\n {2}Try it:)/);
    expect(plain(banner)).toEqual(plain(code));
  } finally {
    run.signal('SIGTERM');
    await run.ended;
  }
};

const runTypeScript = async ({ code }: DocBlock): Promise<void> => {
  const file = path.join(shell.folder, `example-${Math.random()}.ts`);
  writeFileSync(file, onThisMachine(code));
  const ended = await shell.run(`node ${file}`, { env: { PENTARCH_API_KEY: key } });
  expect(ended.code, `${ended.out}${ended.err}`).toBe(0);
};

/** A request as one writes it down: method and path, then the body. */
const runHttp = async ({ code }: DocBlock): Promise<void> => {
  const [, method = '', where = '', body = ''] = /^(\w+) (\S+)\n([\s\S]*)$/.exec(code) ?? [];
  const answer = await admin.send(method, where, body, { headers: { 'content-type': 'application/json' } });
  expect(answer.status, answer.text).toBeLessThan(300);
};

/** A whole GOVERNANCE_FILE: the server starts with it, and its policy holds. */
const runGovernance = async ({ code }: DocBlock): Promise<void> => {
  const file = path.join(home, 'governance.yaml');
  writeFileSync(file, onThisMachine(code));
  expect(parse(code)).toMatchObject({ thresholds: {}, seats: {}, policies: {} });
  const other = await startServer({
    env: {
      DATABASE_URL: '',
      GOVERNANCE_FILE: file,
      MODELS: 'openai/gpt-5-mini',
      OPENAI_API_KEY: 'test-key',
      OPENAI_BASE_URL: 'http://127.0.0.1:9',
    },
  });
  try {
    const client = await other.signIn();
    const made = await client.post('/api/v1/governance/proposals', { action: 'Order', estimated_cost: 40 });
    expect(made.json<{ status: string }>().status).toBe('approved');
  } finally {
    await other.close();
  }
};

/** A file of MCP servers: the server starts with it and knows all of them. What it would fetch is not there. */
const runMcpConfig = async ({ code }: DocBlock): Promise<void> => {
  const file = path.join(home, 'mcp.json');
  writeFileSync(file, code.replaceAll('https://mcp.example.com/mcp', 'http://127.0.0.1:9/mcp'));
  const other = await startServer({ env: { DATABASE_URL: '', MCP_CONFIG: file, PATH: shell.path } });
  try {
    const client = await other.signIn();
    const names = async (): Promise<string[]> =>
      (await client.get('/api/v1/mcp/servers'))
        .json<{ items: { name: string; source: string }[] }>()
        .items.filter(({ source }) => source === 'file')
        .map(({ name }) => name)
        .sort();
    await expect.poll(names).toEqual(['github', 'wiki']);
  } finally {
    await other.close();
  }
};

/** The settings of another program: an MCP client that reads them reaches the platform. */
const runMcpClient = async ({ code }: DocBlock): Promise<void> => {
  const { mcpServers } = JSON.parse(onThisMachine(code)) as {
    mcpServers: Record<string, { url: string; headers: Record<string, string> }>;
  };
  const { url = '', headers = {} } = mcpServers.pentarch ?? {};
  const client = new McpClient({ name: 'docs', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  try {
    const { tools } = await client.listTools();
    expect(tools.length).toBeGreaterThan(0);
  } finally {
    await client.close();
  }
};

type Runner = (block: DocBlock) => Promise<void>;

const RUNNERS: readonly { fits(block: DocBlock): boolean; run: Runner }[] = [
  { fits: ({ language, code }) => language === 'sh' && /\bnpm start\b/.test(code), run: runStart },
  { fits: ({ language, code }) => language === 'text' && code.includes('is up'), run: runBanner },
  { fits: ({ language }) => language === 'sh', run: runShell },
  { fits: ({ language }) => language === 'ts', run: runTypeScript },
  { fits: ({ language }) => language === 'http', run: runHttp },
  { fits: ({ file, language }) => file === 'docs/governance.md' && language === 'yaml', run: runGovernance },
  { fits: ({ language, code }) => language === 'json' && code.includes('"pentarch"'), run: runMcpClient },
  { fits: ({ language, code }) => language === 'json' && code.includes('"mcpServers"'), run: runMcpConfig },
];

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'pentarch-docs-'));
  shell = createDocShell(home);
  mkdirSync(path.join(home, 'backup'));
  writeFileSync(path.join(home, 'passphrase'), 'a passphrase of the night\n');
  const handbook = readFileSync(path.join(ROOT, 'server', 'test', 'fixtures', 'keepers-handbook.pdf'));
  writeFileSync(path.join(shell.folder, 'handbook.pdf'), handbook);
  const exported = readFileSync(path.join(ROOT, 'server', 'test', 'fixtures', 'exports', 'chatgpt.json'));
  writeFileSync(
    path.join(shell.folder, 'chatgpt-export.zip'),
    makeZip({ 'conversations.json': exported.toString('utf8') }),
  );
  pages = await startReceiver((response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end('High water at six, low water at noon.');
  });
  // Backup and its kin read the settings of the server beside them: records in its folder.
  server = await startServer({
    env: { DATABASE_URL: '', MCP_BUILTIN: 'on', WEBHOOK_ALLOW_PRIVATE: 'on' },
  });
  admin = await server.signIn();
  key = (await admin.post('/v2/auth/api-keys', { name: 'docs' })).json<{ key: string }>().key;
});
afterAll(async () => {
  await server?.close();
  await pages?.close();
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
});

describe('what the documents show', () => {
  it('is run, or says why not', () => {
    expect(BLOCKS.length).toBeGreaterThan(15);
    expect(RUN.length).toBeGreaterThan(10);
    const unknown = BLOCKS.filter(({ notRun }) => notRun !== null && NOT_RUN[notRun] === undefined);
    expect(unknown.map(({ file, line, notRun }) => `${file}:${line} ${notRun}`)).toEqual([]);
    const idle = RUN.filter((block) => !RUNNERS.some(({ fits }) => fits(block)));
    expect(idle.map(({ file, line, language }) => `${file}:${line} ${language}`)).toEqual([]);
    const used = new Set(BLOCKS.map(({ notRun }) => notRun));
    expect(Object.keys(NOT_RUN).filter((reason) => !used.has(reason))).toEqual([]);
  });

  it.each(DOC_FILES)('%s names scripts and files that are there', (file) => {
    const { scripts, files } = namedPrograms(docText(file));
    const known = (JSON.parse(docText('package.json')) as { scripts: Record<string, string> }).scripts;
    expect(scripts.filter((name) => !(name in known))).toEqual([]);
    expect(files.filter((name) => !existsSync(path.join(ROOT, name)))).toEqual([]);
  });

  it('that CI alone runs is what CI runs', () => {
    const ci = docText('.ci/run');
    const lines = BLOCKS.filter(({ notRun, file }) => notRun === 'ci' && file === 'README.md').flatMap(
      ({ code }) => code.trim().split('\n'),
    );
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((line) => !ci.includes(line))).toEqual([]);
  });

  it.each(RUN.map((block) => [`${block.file}:${block.line} ${block.language}`, block] as const))(
    '%s',
    async (_name, block) => {
      const runner = RUNNERS.find(({ fits }) => fits(block));
      if (runner === undefined) throw new Error('nothing runs this block');
      await runner.run(block);
    },
  );
});
