import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { caller, type Platform, startPlatform } from '../../../test/mcp/harness.ts';

/** Acceptance with servers that others wrote: the four public ones over stdio, `everything` over both HTTP transports. */

const entry = (name: string): string =>
  fileURLToPath(new URL(`../../../../node_modules/${name}/dist/index.js`, import.meta.url));

const freePort = async (): Promise<number> => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
};

let platform: Platform;
let folder: string;
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'pentarch-mcp-public-')));
  writeFileSync(path.join(folder, 'hello.txt'), 'hello from a file');
  const config = path.join(folder, 'mcp.json');
  const node = (...args: string[]) => ({ command: process.execPath, args });
  writeFileSync(
    config,
    JSON.stringify({
      mcpServers: {
        everything: node(entry('@modelcontextprotocol/server-everything'), 'stdio'),
        filesystem: node(entry('@modelcontextprotocol/server-filesystem'), folder),
        memory: {
          ...node(entry('@modelcontextprotocol/server-memory')),
          env: { MEMORY_FILE_PATH: path.join(folder, 'memory.jsonl') },
        },
        'sequential-thinking': node(entry('@modelcontextprotocol/server-sequential-thinking')),
      },
    }),
  );
  platform = await startPlatform({ configFile: config });
});
afterAll(async () => {
  await platform.close();
  rmSync(folder, { recursive: true });
});

const call = async (server: string, tool: string, args: Record<string, unknown> = {}, more = {}) => {
  const { status, body } = await platform.request('POST', `/mcp/${server}/call`, {
    as: 'user',
    body: { tool, arguments: args, ...more },
  });
  return { status, body };
};
const tools = async (server: string) =>
  (await platform.request('GET', `/mcp/${server}/tools?limit=100`)).body.items as {
    name: string;
    held_back: boolean;
    warnings: string[];
  }[];

describe('public servers over stdio', () => {
  it('all connect and none of their tools is held back', async () => {
    for (const server of ['everything', 'filesystem', 'memory', 'sequential-thinking']) {
      const listed = await tools(server);
      expect(listed.length, server).toBeGreaterThan(0);
      expect(listed.filter((tool) => tool.held_back).map((tool) => tool.name)).toEqual([]);
    }
    const { items } = (await platform.request('GET', '/mcp/servers')).body;
    for (const item of items) expect(item).toMatchObject({ status: 'connected', last_error: null });
  });

  it('everything: text, structured content, images, resources', async () => {
    expect((await call('everything', 'echo', { message: 'hi' })).body).toMatchObject({
      is_error: false,
      content: [{ type: 'text', text: 'Echo: hi' }],
    });
    expect((await call('everything', 'get-sum', { a: 2, b: 3 })).body.content[0].text).toContain('5');
    expect((await call('everything', 'get-tiny-image')).body.content).toContainEqual(
      expect.objectContaining({ type: 'image', mimeType: 'image/png' }),
    );
    expect((await call('everything', 'get-structured-content', { location: 'New York' })).body).toMatchObject(
      {
        structured_content: { temperature: expect.any(Number) },
      },
    );
    expect((await call('everything', 'get-sum', { a: 'two', b: 3 })).status).toBe(422);
  });

  it('everything: a long operation is cancelled when its time is over', async () => {
    const started = performance.now();
    const { status } = await call(
      'everything',
      'trigger-long-running-operation',
      { duration: 60, steps: 60 },
      { timeout_ms: 500 },
    );
    expect(status).toBe(504);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('everything: progress reaches who asked', async () => {
    const onProgress = vi.fn();
    await platform.mcp.calls.call(
      'everything',
      { tool: 'trigger-long-running-operation', arguments: { duration: 0.5, steps: 5 }, timeoutMs: 10_000 },
      {
        caller: caller('user'),
        agentId: null,
        conversationId: null,
        runId: null,
        requestId: 'r',
        signal: new AbortController().signal,
        tainted: false,
        onProgress,
      },
    );
    expect(onProgress.mock.calls.length).toBeGreaterThanOrEqual(3);
  });

  it('everything: resources and prompts can be read', async () => {
    const get = (at: string) => platform.request('GET', `/mcp/everything/${at}`, { as: 'user' });
    const resources = (await get('resources')).body.items as { uri: string }[];
    expect(resources.length).toBeGreaterThan(0);
    const read = await get(`resources/read?uri=${encodeURIComponent(resources[0]!.uri)}`);
    expect(read.body.items[0]).toMatchObject({ uri: resources[0]!.uri });
    const prompts = (await get('prompts')).body.items as { name: string }[];
    expect(prompts.map((prompt) => prompt.name)).toContain('simple-prompt');
    const prompt = await platform.request('POST', '/mcp/everything/prompts/get', {
      as: 'user',
      body: { prompt: 'simple-prompt' },
    });
    expect(prompt.body.messages[0]).toMatchObject({ role: 'user' });
  });

  it('filesystem: reads inside its folder, and says no outside', async () => {
    const inside = await call('filesystem', 'read_text_file', { path: path.join(folder, 'hello.txt') });
    expect(inside.body).toMatchObject({
      is_error: false,
      content: [{ type: 'text', text: 'hello from a file' }],
    });
    const outside = await call('filesystem', 'read_text_file', { path: '/etc/passwd' });
    expect(outside).toMatchObject({ status: 200, body: { is_error: true } });
  });

  it('memory: keeps what it was told', async () => {
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote the first program'] }];
    expect((await call('memory', 'create_entities', { entities })).body.is_error).toBe(false);
    const found = await call('memory', 'search_nodes', { query: 'program' });
    expect(JSON.stringify(found.body.content)).toContain('Ada');
  });

  it('sequential thinking: thinks a step', async () => {
    const step = { thought: 'first', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 };
    expect((await call('sequential-thinking', 'sequentialthinking', step)).body.is_error).toBe(false);
  });

  it('give their tools to agents as server.tool', async () => {
    const names = (await platform.mcp.toolSource.list(caller('user'), 'zeus')).map(
      (t) => `${t.server}.${t.name}`,
    );
    expect(names).toEqual(
      expect.arrayContaining([
        'everything.echo',
        'filesystem.read_text_file',
        'memory.read_graph',
        'time.get_current_time',
      ]),
    );
  });
});

describe.each([
  ['streamableHttp', '/mcp'],
  ['sse', '/sse'],
])('everything over %s', (mode, at) => {
  let child: ChildProcess;
  let port: number;
  const name = `http-${mode.toLowerCase()}`;

  const launch = async (): Promise<void> => {
    child = spawn(process.execPath, [entry('@modelcontextprotocol/server-everything'), mode], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    });
    await vi.waitFor(
      async () => {
        const response = await fetch(`http://127.0.0.1:${port}/nowhere`);
        expect(response.status).toBe(404);
      },
      { timeout: 15_000, interval: 100 },
    );
  };
  const kill = async (): Promise<void> => {
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  beforeAll(async () => {
    port = await freePort();
    await launch();
  });
  afterAll(kill);

  it('registers, lists and calls', async () => {
    const body = { name, transport: 'http', url: `http://127.0.0.1:${port}${at}` };
    const created = await platform.request('POST', '/mcp/servers', { body });
    expect(created).toMatchObject({ status: 201, body: { status: 'connected', transport: 'http' } });
    expect((await call(name, 'echo', { message: 'hi' })).body.content).toEqual([
      { type: 'text', text: 'Echo: hi' },
    ]);
    const many = await Promise.all(
      Array.from({ length: 20 }, (_, i) => call(name, 'echo', { message: `${i}` })),
    );
    expect(many.map(({ body: answer }) => answer.content[0].text)).toEqual(
      Array.from({ length: 20 }, (_, i) => `Echo: ${i}`),
    );
  });

  it('answers 502 within 2 s when it is killed during a call', async () => {
    const started = performance.now();
    const slow = call(
      name,
      'trigger-long-running-operation',
      { duration: 60, steps: 600 },
      { timeout_ms: 60_000 },
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    await kill();
    const killed = performance.now();
    const { status, body } = await slow;
    expect(body.error.code).toBe('UPSTREAM_ERROR');
    expect(status).toBe(502);
    expect(performance.now() - killed).toBeLessThan(2_000);
    expect(killed - started).toBeLessThan(5_000);
  });

  it('is used again once it is back, which knows no old session', async () => {
    await launch();
    await vi.waitFor(async () => expect((await call(name, 'echo', { message: 'again' })).status).toBe(200), {
      timeout: 15_000,
      interval: 300,
    });
  });
});
