import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { McpFault, McpSession, McpSessionEvents } from '../../kernel/mcp.ts';
import { createGuardedFetch } from '../guarded-fetch/index.ts';
import { createMcpConnector } from './connect.ts';
import { walkPages } from './session.ts';

const fixture = fileURLToPath(new URL('../../../test/mcp/fixture-server.ts', import.meta.url));
const slow = fileURLToPath(new URL('../../../test/mcp/slow-server.ts', import.meta.url));
const open = createGuardedFetch({ allowPrivate: true });
const guarded = createGuardedFetch({ allowPrivate: false });
const connector = createMcpConnector({
  clientInfo: { name: 'test', version: '1' },
  guarded,
  open,
  oauthRedirectUrl: () => 'http://127.0.0.1/callback',
});

let folder: string;
let logFile: string;
const sessions: McpSession[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'pentarch-mcp-'));
  logFile = path.join(folder, 'log');
});
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
  rmSync(folder, { recursive: true });
});

const logged = (): string => (existsSync(logFile) ? readFileSync(logFile, 'utf8') : '');
const pidsOf = (word: string): number[] =>
  [...logged().matchAll(new RegExp(`^${word} (\\d+)$`, 'gm'))].map((match) => Number(match[1]));
/** Running, and not a zombie that nobody has waited for. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  return !existsSync(`/proc/${pid}/stat`) || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
};

const newEvents = () => ({
  onToolsChanged: vi.fn<McpSessionEvents['onToolsChanged']>(),
  onClosed: vi.fn<McpSessionEvents['onClosed']>(),
  onLog: vi.fn<McpSessionEvents['onLog']>(),
});

const connect = async (switches: Record<string, unknown> = {}, timeoutMs = 10_000) => {
  const events = newEvents();
  const session = await connector.connect(
    {
      transport: 'stdio',
      command: process.execPath,
      args: [fixture, JSON.stringify(switches)],
      env: { FIXTURE_LOG: logFile },
    },
    { timeoutMs, signal: new AbortController().signal, events },
  );
  sessions.push(session);
  return { session, events };
};

const limits = (timeoutMs = 5_000) => ({ signal: new AbortController().signal, timeoutMs });
const faultOf = async (work: Promise<unknown>): Promise<McpFault> =>
  work.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: McpFault) => error,
  );

describe('stdio sessions', () => {
  it('say who the server is and which version is spoken', async () => {
    const { session, events } = await connect();
    expect(session.serverInfo).toEqual({ name: 'fixture', version: '1.2.3', title: null });
    expect(session.protocolVersion).toMatch(/^20\d\d-\d\d-\d\d$/);
    await vi.waitFor(() => expect(events.onLog).toHaveBeenCalledWith('stderr', 'fixture started'));
  });

  it.each(['answer-first', 'refuse-first', 'say-nothing'])(
    'are made with a newer server that starts slowly, by its late answer (%s)',
    async (order) => {
      const session = await connector.connect(
        { transport: 'stdio', command: process.execPath, args: [slow, order], env: {} },
        { timeoutMs: 6_000, signal: new AbortController().signal, events: newEvents() },
      );
      sessions.push(session);
      expect(session.protocolVersion).toBe('2026-07-28');
      expect((await session.listTools(limits())).map((tool) => tool.name)).toEqual(['now']);
      const pid = session.pid ?? 0;
      expect(isAlive(pid)).toBe(true);
      await session.close();
      await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 5_000 });
    },
  );

  it('list 101 tools that come in pages of 50', async () => {
    const { session } = await connect({ toolCount: 101 });
    const tools = await session.listTools(limits());
    expect(tools.map((tool) => tool.name)).toEqual(Array.from({ length: 101 }, (_, i) => `tool_${i}`));
  });

  it('end a list whose cursor does not move with an error', async () => {
    const { session } = await connect({ stuckCursor: true });
    expect(await faultOf(session.listTools(limits()))).toMatchObject({ kind: 'protocol', message: /cursor/ });
  });

  it('give results of all kinds as they came', async () => {
    const { session } = await connect();
    const call = (name: string, args = {}) => session.callTool(name, args, limits());
    expect(await call('echo', { text: 'é𝄞' })).toEqual({
      content: [{ type: 'text', text: 'é𝄞' }],
      structured: undefined,
      isError: false,
    });
    expect(await call('fails')).toMatchObject({ isError: true });
    expect(await call('picture')).toMatchObject({ content: [{ type: 'image', mimeType: 'image/png' }] });
    expect(await call('honest')).toMatchObject({ structured: { n: 1 } });
    expect((await call('big', { bytes: 12_000_000 })).content[0]).toMatchObject({ type: 'text' });
    expect(await faultOf(call('protocol_error'))).toMatchObject({ kind: 'protocol' });
  });

  it('end with a message beyond every measure, and without its process', async () => {
    const { session, events } = await connect();
    expect(await faultOf(session.callTool('big', { bytes: 70_000_000 }, limits(20_000)))).toMatchObject({
      kind: 'closed',
    });
    await vi.waitFor(() => expect(events.onClosed).toHaveBeenCalledTimes(1), { timeout: 5_000 });
    await vi.waitFor(() => expect(pidsOf('pid').filter(isAlive)).toEqual([]), { timeout: 5_000 });
  });

  it('cancel a call at the server when its time is over, and when it is aborted', async () => {
    const { session } = await connect();
    const slow = session.callTool('slow', { ms: 60_000 }, limits(200));
    expect(await faultOf(slow)).toMatchObject({ kind: 'timeout' });
    await vi.waitFor(() => expect(logged().match(/notifications\/cancelled/g)).toHaveLength(1));
    const abort = new AbortController();
    const aborted = session.callTool('slow', { ms: 60_000 }, { signal: abort.signal, timeoutMs: 60_000 });
    await vi.waitFor(() => expect(logged().match(/tools\/call/g)).toHaveLength(2));
    abort.abort();
    expect(await faultOf(aborted)).toMatchObject({ kind: 'cancelled' });
    await vi.waitFor(() => expect(logged().match(/notifications\/cancelled/g)).toHaveLength(2));
  });

  it('hand progress on', async () => {
    const { session } = await connect();
    const onProgress = vi.fn();
    const done = session.callTool('steps', {}, { ...limits(60_000), onProgress });
    // The tool goes on until it is told: what is heard does not hang on who is faster.
    await vi.waitFor(() => expect(onProgress.mock.calls.length).toBeGreaterThanOrEqual(3), {
      timeout: 20_000,
    });
    await session.callTool('go_on', {}, limits());
    expect(await done).toMatchObject({ content: [{ type: 'text', text: 'done' }] });
    expect(onProgress.mock.calls.slice(0, 3).map(([progress]) => progress)).toMatchObject([
      { progress: 1, total: 1_000_000 },
      { progress: 2, total: 1_000_000 },
      { progress: 3, total: 1_000_000 },
    ]);
  });

  it('report that the list of tools changed', async () => {
    const { session, events } = await connect();
    await session.callTool('add_tool', { name: 'later' }, limits());
    await vi.waitFor(() => expect(events.onToolsChanged).toHaveBeenCalled());
    expect((await session.listTools(limits())).map((tool) => tool.name)).toContain('later');
  });

  it('fail a call at once when the process dies, and say so', async () => {
    const { session, events } = await connect();
    const started = performance.now();
    expect(await faultOf(session.callTool('crash', {}, limits(30_000)))).toMatchObject({ kind: 'closed' });
    expect(performance.now() - started).toBeLessThan(2_000);
    await vi.waitFor(() =>
      expect(events.onClosed).toHaveBeenCalledExactlyOnceWith('the process exited with code 3'),
    );
  });

  it('start servers that leave at any question before initialize', async () => {
    const { session } = await connect({ strict: true });
    expect(await session.listTools(limits())).not.toHaveLength(0);
    expect(pidsOf('pid')).toHaveLength(2);
    expect(pidsOf('pid').filter(isAlive)).toHaveLength(1);
  });

  it('give up in time on a server that never answers, and leave no process behind', async () => {
    const started = performance.now();
    expect(await faultOf(connect({ mute: true }, 600))).toMatchObject({ kind: 'timeout' });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(pidsOf('pid').filter(isAlive)).toEqual([]);
  });

  it('end the whole process group on close, even when SIGTERM is ignored', async () => {
    const { session, events } = await connect({ grandchild: true, ignoreTerm: true });
    await vi.waitFor(() => expect(pidsOf('grandchild')).toHaveLength(1));
    const pids = [...pidsOf('pid'), ...pidsOf('grandchild')];
    expect(pids.every(isAlive)).toBe(true);
    await session.close();
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]));
    expect(events.onClosed).not.toHaveBeenCalled();
  });

  it('take the children along when the server itself is killed', async () => {
    const { session, events } = await connect({ grandchild: true });
    await vi.waitFor(() => expect(pidsOf('grandchild')).toHaveLength(1));
    process.kill(session.pid!, 'SIGKILL');
    await vi.waitFor(() => expect(events.onClosed).toHaveBeenCalledWith('the process was ended by SIGKILL'));
    await vi.waitFor(() => expect(pidsOf('grandchild').filter(isAlive)).toEqual([]));
  });

  it('say when a command does not exist', async () => {
    const work = connector.connect(
      { transport: 'stdio', command: 'no-such-command-here', args: [], env: {} },
      { timeoutMs: 2_000, signal: new AbortController().signal, events: newEvents() },
    );
    expect(await faultOf(work)).toMatchObject({ kind: 'unreachable', message: /ENOENT/ });
  });

  it('hand the server only what it was given and what every program needs', async () => {
    process.env.PENTARCH_TEST_SECRET = 'not for servers';
    const { session } = await connect();
    const result = await session.callTool('environment', {}, limits());
    expect(String(result.content[0]?.text)).toContain('FIXTURE_LOG');
    expect(String(result.content[0]?.text)).not.toContain('PENTARCH_TEST_SECRET');
    delete process.env.PENTARCH_TEST_SECRET;
  });
});

describe('pages', () => {
  it('end with an error after more pages than any honest list has', async () => {
    let n = 0;
    const endless = walkPages(() => Promise.resolve({ items: [1], nextCursor: String(n++) }));
    await expect(endless).rejects.toMatchObject({ kind: 'protocol' });
  });
});
